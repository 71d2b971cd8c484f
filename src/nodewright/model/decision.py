"""Decisions: what is to be done, to what, why, and what it was decided on.

A decision is one value. Its subject is the object it is about, its reason a word that never changes,
its note the sentence for a person, its basis the versions of the objects that it relied on: whoever
acts can tell whether they are still true. Its cause says what woke us, and its id is the same wherever
the same controller decides the same on the same basis. What is done about it, logged, journaled and
published are renderings of that value.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.model.command import Record
from nodewright.model.disruption import Leaving, Score
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import Object, Ref, Resource, refer

type Json = Mapping[str, object]
type Basis = tuple[tuple[str, str], ...]
"""Names of objects with the versions that a decision relied on."""

_DIGEST_BYTES: Final = 5
_ID_BYTES: Final = 6
QUIET_MS: Final = 120_000
# The object that a finalizer is taken off is on the cluster and in the snapshot: its version will do.
_HELD: Final = "thing"


def rest_on(*pairs: tuple[Resource[Any], Object | None]) -> Basis:
    """Give the basis that these objects are; those that are not there count for nothing."""
    return tuple(
        (str(refer(resource, thing)), thing.metadata.resource_version)
        for resource, thing in pairs
        if thing is not None
    )


def digest(*parts: str) -> str:
    """Give a short hash of some words, the same on every machine."""
    text = "\0".join(parts).encode()
    return hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What all decisions have."""

    subject: Ref
    reason: str
    note: str = ""
    basis: Basis = ()
    cause: str = ""
    controller: str = ""

    @property
    def kind(self) -> str:
        """What is to be done, in one word."""
        return type(self).__name__

    @property
    def id(self) -> str:
        """A name that is the same for the same decision of a controller on the same basis."""
        # The cause is how we came to look, note and facts how it is worded: none is the decision.
        said = describe(self) | {"cause": "", "note": "", "facts": {}}
        text = msgspec.json.encode(said, order="deterministic")
        return f"D-{hashlib.blake2b(text, digest_size=_ID_BYTES).hexdigest()}"


def describe(decision: Decision) -> dict[str, object]:
    """Write a decision as plain values: references by name, and what it holds in full."""
    fields = {name: getattr(decision, name) for name in decision.__struct_fields__}
    written: dict[str, object] = {"kind": decision.kind, "uid": decision.subject.uid}
    for name, value in fields.items():
        match value:
            case Ref():
                written[name] = str(value)
            case _ if name == _HELD:
                written[name] = value.metadata.resource_version
            case _:
                written[name] = msgspec.to_builtins(value)
    return written


class Launch(Decision, frozen=True, kw_only=True, tag=True):
    """Write a NodeClaim for these pods (by uid)."""

    claim: NodeClaim
    pods: tuple[str, ...] = ()


class Nominate(Decision, frozen=True, kw_only=True, tag=True):
    """Tell a pod where it is expected to run; it is not planned for again for a while."""

    host: str


class Refuse(Decision, frozen=True, kw_only=True, tag=True):
    """Tell a pod why nothing can be made for it."""

    code: str


class Disrupt(Decision, frozen=True, kw_only=True, tag=True):
    """Begin a command: mark the nodes that go, then make these claims for them.

    `targets` are the nodes that are there and take pods, `types` what the new ones will most likely be.
    """

    record: Record
    leaving: tuple[Leaving, ...]
    claims: tuple[NodeClaim, ...] = ()
    targets: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    scores: tuple[Score, ...] = ()


class Start(Decision, frozen=True, kw_only=True, tag=True):
    """Ask the cloud for the machine of a claim."""

    claim: NodeClaim


class Change(Decision, frozen=True, kw_only=True, tag=True):
    """Merge a change into the subject, or into its status; guarded ones only at this version."""

    change: Json
    on_status: bool = False
    if_version: str = ""


class Delete(Decision, frozen=True, kw_only=True, tag=True):
    """Delete the subject; a pod within a grace where one is given."""

    grace_s: int | None = None


class Evict(Decision, frozen=True, kw_only=True, tag=True):
    """Ask a pod to leave its node."""

    node: Ref


class End(Decision, frozen=True, kw_only=True, tag=True):
    """Give a machine back; the node that it is must be found empty once more right before."""

    provider_id: str
    node: Ref | None = None


class Release(Decision, frozen=True, kw_only=True, tag=True):
    """Take our finalizer off the subject, so that its deletion goes on."""

    thing: Any


class Tell(Decision, frozen=True, kw_only=True, tag=True):
    """Publish an Event about the subject; the same words are not repeated for a while.

    `facts` are the numbers behind the words, for those who count.
    """

    is_warning: bool = False
    dedupe: tuple[str, ...] = ()
    quiet_ms: int = QUIET_MS
    facts: Mapping[str, str] = {}


class Keep(Decision, frozen=True, kw_only=True, tag=True):
    """Leave the subject as it is for now, and look again."""

    look_again_ms: int
