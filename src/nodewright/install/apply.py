"""Carries a plan out, deed by deed. Every deed may be repeated: who was stopped begins again.

What fails stops everything, and is said together with what was done, what was not, and how to go on. A role
that was made a moment ago is not known everywhere at once, so whoever does not know it is asked again.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from nodewright.aws.gateway import Fault
from nodewright.install.asking import Asking
from nodewright.install.cluster import Objects
from nodewright.install.drain import drain
from nodewright.install.found import Json
from nodewright.install.resources.objects import CRD_PATH, RECORD_PATH, path_of
from nodewright.install.steps import (
    Apply,
    Ask,
    AwaitNodes,
    Deed,
    Drain,
    Forget,
    Merge,
    Plan,
    Remember,
    Remove,
    Step,
)
from nodewright.model.errors import UserError
from nodewright.ports.clock import Clock

STUCK: Final = "NW-9718"
_POLL_MS: Final = 1_000
_GONE_LIMIT_MS: Final = 1_800_000
_NODES_LIMIT_MS: Final = 600_000
_SERVED_LIMIT_MS: Final = 60_000
_PATIENCE_MS: Final = 75_000
_UNKNOWN_YET: Final = frozenset(
    {
        "InvalidParameterException",
        "NoSuchEntity",
        "MalformedPolicyDocument",
        "AWS.SimpleQueueService.QueueDeletedRecently",
        "QueueDeletedRecently",
        "ResourceInUseException",
    }
)
_PATIENT: Final = frozenset(
    {
        "eks.CreateAccessEntry",
        "eks.CreateFargateProfile",
        "eks.CreatePodIdentityAssociation",
        "eks.UpdateNodegroupConfig",
        "iam.AttachRolePolicy",
        "iam.AddRoleToInstanceProfile",
        "sqs.CreateQueue",
    }
)

type Told = Callable[[Step, str], None]
"""Told of each step: `begun`, `done`, or what it waits for."""


class Halted(UserError):  # noqa: N818 - it reads as what it is where it is caught.
    """A plan that could not be carried out to its end."""

    def __init__(self, cause: UserError, done: int, left: tuple[Step, ...]) -> None:
        rest = f"; {len(left) - 1} more after it" if len(left) > 1 else ""
        super().__init__(
            f"stopped at {left[0].title}: {cause.message} ({done} steps were done, "
            f"this one was not{rest})",
            code=cause.code,
            where=cause.where,
            advice=cause.advice,
        )
        self.done = done
        self.left = left


class Applier:
    """Brings a plan about."""

    def __init__(self, asking: Asking, objects: Objects, clock: Clock) -> None:
        self._asking = asking
        self._objects = objects
        self._clock = clock
        self._say: Callable[[str], None] = _nobody

    async def apply(self, plan: Plan, tell: Told) -> int:
        """Do every step that changes something, and give how many there were."""
        changes = plan.changes
        for index, step in enumerate(changes):
            tell(step, "begun")
            self._say = _repeated_once(step, tell)
            try:
                for deed in step.deeds:
                    await self.do(deed)
            except UserError as error:
                raise Halted(error, index, changes[index:]) from error
            tell(step, "done")
        return len(changes)

    async def do(self, deed: Deed) -> None:
        """Do one deed."""
        match deed:
            case Ask():
                await self._ask(deed)
            case Apply(document=document):
                await self._objects.apply(document)
                if document["kind"] == "CustomResourceDefinition":
                    await self._await_served(path_of(document))
            case Merge(path=path, patch=patch):
                await self._objects.merge(path, patch)
            case Remove():
                await self._remove(deed)
            case Remember(key=key, was=was):
                await self._remember(key, was)
            case Forget(key=key):
                await self._forget(key)
            case Drain(node=node):
                await drain(self._objects, self._clock, node, self._say)
            case AwaitNodes():
                await self._await_nodes(deed)

    async def _ask(self, deed: Ask) -> None:
        end_ms = self._clock.now_ms() + _PATIENCE_MS
        while True:
            answer = await self._asking.attempt(deed.call, deed.params)
            if not isinstance(answer, Fault) or answer.code in deed.settled:
                return
            is_early = deed.call in _PATIENT and answer.code in _UNKNOWN_YET
            if not is_early or self._clock.now_ms() >= end_ms:
                raise self._asking.failure(deed.call, answer)
            await self._clock.sleep_ms(_POLL_MS)

    async def _remember(self, key: str, was: object) -> None:
        known = await self._objects.get(RECORD_PATH) or {}
        # Written once: a second run would otherwise take our own change for what was there before.
        if key not in (known.get("data") or {}):
            text = msgspec.json.encode({"was": was}).decode()
            await self._objects.merge(RECORD_PATH, {"data": {key: text}})

    async def _forget(self, key: str) -> None:
        if await self._objects.get(RECORD_PATH) is not None:
            await self._objects.merge(RECORD_PATH, {"data": {key: None}})

    async def _remove(self, deed: Remove) -> None:
        await self._objects.remove(deed.path)
        end_ms = self._clock.now_ms() + _GONE_LIMIT_MS
        while deed.waits and (stays := await self._stays(deed)):
            self._say(f"{stays} to go")
            if self._clock.now_ms() >= end_ms:
                raise UserError(
                    f"{stays} is not gone after {_GONE_LIMIT_MS // 60_000} min",
                    code=STUCK,
                    where=deed.path,
                    advice="`nodewright explain` on its node says what keeps it",
                )
            await self._clock.sleep_ms(_POLL_MS)

    async def _stays(self, deed: Remove) -> str:
        if await self._objects.get(deed.path) is not None:
            return deed.path.rpartition("/")[2]
        left = await self._objects.list(deed.until_none) if deed.until_none else []
        return str(left[0]["metadata"]["name"]) if left else ""

    async def _await_nodes(self, deed: AwaitNodes) -> None:
        path = f"/api/v1/nodes?labelSelector=eks.amazonaws.com%2Fnodegroup%3D{deed.group}"
        end_ms = self._clock.now_ms() + _NODES_LIMIT_MS
        while (ready := sum(map(_is_ready, await self._objects.list(path)))) < deed.count:
            self._say(f"{deed.count - ready} nodes of {deed.group} to come")
            if self._clock.now_ms() >= end_ms:
                raise UserError(
                    f"{ready} of {deed.count} nodes of {deed.group} are ready after "
                    f"{_NODES_LIMIT_MS // 60_000} min",
                    code=STUCK,
                    advice="look at the node group's health, then repeat the command",
                )
            await self._clock.sleep_ms(_POLL_MS)

    async def _await_served(self, path: str) -> None:
        end_ms = self._clock.now_ms() + _SERVED_LIMIT_MS
        while self._clock.now_ms() < end_ms:
            found = await self._objects.get(path) or {}
            conditions = (found.get("status") or {}).get("conditions") or ()
            if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
                return
            await self._clock.sleep_ms(_POLL_MS // 10)
        raise UserError(
            f"the definition {path.removeprefix(CRD_PATH)[1:]} is not served after "
            f"{_SERVED_LIMIT_MS // 1000} s",
            code=STUCK,
            where=path,
        )


def _nobody(_said: str) -> None:
    """Whoever does a single deed asks for no word of it."""


def _repeated_once(step: Step, tell: Told) -> Callable[[str], None]:
    """Pass on what a step waits for, each word once."""
    said: set[str] = set()

    def say(word: str) -> None:
        if word not in said:
            said.add(word)
            tell(step, word)

    return say


def _is_ready(node: Json) -> bool:
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
