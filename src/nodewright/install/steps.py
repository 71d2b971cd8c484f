"""A plan is a list of steps, and a step is a list of deeds: plain values that can be shown, saved and compared.

Because a deed says everything that will be done, what is shown is what is applied; a saved plan is carried
out only as long as nothing would be done that it does not hold.
"""

import hashlib
from typing import Any, Final, Literal

import msgspec

from nodewright.install.found import Json
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

MOVED: Final = "NW-9702"
BAD_PLAN: Final = "NW-9703"

type Verb = Literal["install", "uninstall", "hand-back", "mend"]
type Sign = Literal["+", "~", "-", "="]


class Ask(msgspec.Struct, frozen=True, tag="aws", tag_field="do"):
    """A call of AWS; `settled` are the errors that mean that it was done already."""

    call: str
    params: Json
    settled: tuple[str, ...] = ()


class Apply(msgspec.Struct, frozen=True, tag="apply", tag_field="do"):
    """An object for the cluster, put there as a whole."""

    document: Json


class Merge(msgspec.Struct, frozen=True, tag="merge", tag_field="do"):
    """A change of some fields of an object."""

    path: str
    patch: Json


class Remove(msgspec.Struct, frozen=True, tag="remove", tag_field="do"):
    """An object that goes; it may be waited for, and for a list of others to be empty."""

    path: str
    waits: bool = False
    until_none: str = ""


class Remember(msgspec.Struct, frozen=True, tag="remember", tag_field="do"):
    """What was there before a change; written down once, before the change."""

    key: str
    was: Any


class Forget(msgspec.Struct, frozen=True, tag="forget", tag_field="do"):
    """What was written down has been put back."""

    key: str


class Drain(msgspec.Struct, frozen=True, tag="drain", tag_field="do"):
    """A node that is emptied by evictions."""

    node: str


class AwaitNodes(msgspec.Struct, frozen=True, tag="await-nodes", tag_field="do"):
    """A node group that is waited for until so many of its nodes are ready."""

    group: str
    count: int


type Deed = Ask | Apply | Merge | Remove | Remember | Forget | Drain | AwaitNodes


class Step(msgspec.Struct, frozen=True):
    """One line of a plan: its sign, what it is about, and the deeds that bring it about."""

    sign: Sign
    kind: str
    name: str
    detail: str = ""
    deeds: tuple[Deed, ...] = ()
    asks_again: bool = False

    @property
    def title(self) -> str:
        """Kind and name."""
        return f"{self.kind} {self.name}"


class Plan(msgspec.Struct, frozen=True, rename="camel"):
    """Everything that will be done, in order, and what to know about it."""

    verb: Verb
    wish: Wish
    account_id: str
    region: str
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()
    version: int = 1

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change something."""
        return tuple(step for step in self.steps if step.sign != "=")

    @property
    def digest(self) -> str:
        """A short name for exactly this plan."""
        return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()[:8]

    def count(self, sign: Sign) -> int:
        """Count the steps with a sign."""
        return sum(step.sign == sign for step in self.steps)


def times(count: int) -> str:
    """Say how many of a kind a step is about."""
    return f"×{count}"  # noqa: RUF001 - the sign of the multiplication table is meant.


def read_plan(data: bytes, where: str) -> Plan:
    """Read a plan that was saved."""
    try:
        found = msgspec.json.decode(data, type=Plan)
    except msgspec.MsgspecError as error:
        raise UserError(
            f"this is no plan of an installation: {error}",
            code=BAD_PLAN,
            where=where,
            advice="write one with `nodewright install --plan-out FILE`",
        ) from None
    if found.version != 1:
        raise UserError(
            f"the plan is of version {found.version}, and this program reads version 1",
            code=BAD_PLAN,
            where=where,
        )
    return found


def check_still_holds(saved: Plan, now: Plan) -> None:
    """Refuse to go on where something would be done that the saved plan does not hold."""
    if (saved.account_id, saved.region) != (now.account_id, now.region):
        raise UserError(
            f"the plan is for account {saved.account_id} in {saved.region}, "
            f"and this is {now.account_id} in {now.region}",
            code=MOVED,
        )
    shown = set(map(_key, saved.changes))
    strange = [step for step in now.changes if _key(step) not in shown]
    if strange:
        first = strange[0]
        more = f" (and {len(strange) - 1} more)" if len(strange) > 1 else ""
        raise UserError(
            "the account or the cluster has changed since the plan was made: "
            f"{first.sign} {first.title} is needed now and is not in it{more}",
            code=MOVED,
            advice="make a new plan, look at it, and apply that",
        )


def _key(step: Step) -> bytes:
    return msgspec.json.encode((step.sign, step.kind, step.name, step.deeds), order="deterministic")
