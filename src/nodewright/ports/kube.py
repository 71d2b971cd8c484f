"""Kube: what controllers ask of a cluster.

Reading is not here: what is known of a cluster lies in the mirror. Only the pods of a node that is
about to lose its machine are listed anew, because news of them may be late and nothing brings them
back. Everything else changes the cluster, and answers with a value: an answer that a controller must expect (it is gone, it has
changed, a budget forbids it, the server cannot be reached) is an `Outcome`, never an exception.
Patches carry only what they change, so that fields which our narrow structs do not know survive.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Protocol

import msgspec

from nodewright.model.pod import Pod
from nodewright.model.resource import Object, Ref, Resource

type Json = Mapping[str, object]


class Outcome(Enum):
    """What came of an act."""

    DONE = "Done"
    NOTHING_TO_DO = "NothingToDo"
    EXISTS = "Exists"
    NOT_FOUND = "NotFound"
    CONFLICT = "Conflict"
    BLOCKED = "Blocked"
    INVALID = "Invalid"
    FORBIDDEN = "Forbidden"
    TOO_LARGE = "TooLarge"
    NOT_LEADER = "NotLeader"
    BUSY = "Busy"
    UNREACHABLE = "Unreachable"


class Answer(msgspec.Struct, frozen=True):
    """An outcome with what the server said about it.

    After `UNREACHABLE` the act may or may not have happened. `version` is the object's
    resourceVersion after the act, to be awaited in the mirror.
    """

    outcome: Outcome
    message: str = ""
    version: str = ""
    uid: str = ""
    retry_after_ms: int | None = None

    @property
    def is_done(self) -> bool:
        """Tell whether the cluster is now as it was asked to be."""
        return self.outcome in (Outcome.DONE, Outcome.NOTHING_TO_DO)


class Urgency(Enum):
    """Who goes first where the rate of requests is limited; the smallest does."""

    INTERRUPTION = 0
    ORDINARY = 1
    BACKGROUND = 2


class Options(msgspec.Struct, frozen=True):
    """How an act is done: guarded by a version, on a part of the object, with what urgency."""

    if_version: str = ""
    subresource: str = ""
    urgency: Urgency = Urgency.ORDINARY
    grace_s: int | None = None


class Notice(msgspec.Struct, frozen=True):
    """An Event to be published about an object.

    Equal `dedupe` values (the object and the reason always count) are suppressed for `quiet_ms`.
    """

    about: Ref
    reason: str
    note: str
    is_warning: bool = False
    action: str = ""
    dedupe: tuple[str, ...] = ()
    quiet_ms: int = 120_000


class Kube(Protocol):
    """A cluster that can be acted on."""

    async def create[T: Object](
        self, resource: Resource[T], thing: T, options: Options = ...
    ) -> Answer:
        """Create an object; one that is there already is `EXISTS`."""
        ...

    async def create_all[T: Object](
        self, resource: Resource[T], things: Sequence[T], options: Options = ...
    ) -> tuple[Answer, ...]:
        """Create several objects, some at a time, and give their answers in order."""
        ...

    async def patch(self, ref: Ref, change: Json, options: Options = ...) -> Answer:
        """Merge a change into an object (RFC 7386): lists are replaced, null removes."""
        ...

    async def patch_list(self, ref: Ref, steps: Sequence[Json], options: Options = ...) -> Answer:
        """Change an object by JSON patch steps (RFC 6902); a failed test is `CONFLICT`."""
        ...

    async def apply(self, ref: Ref, wanted: Json, options: Options = ...) -> Answer:
        """Own some fields of an object by server-side apply, and make the object if need be."""
        ...

    async def delete(self, ref: Ref, options: Options = ...) -> Answer:
        """Delete an object, only while it is the one that is meant."""
        ...

    async def evict(self, pod: Ref, options: Options = ...) -> Answer:
        """Ask a pod to leave; `BLOCKED` while a disruption budget forbids it."""
        ...

    async def list_pods(self, node: str) -> tuple[Pod, ...] | Answer:
        """Give the pods that are on a node at this instant, whatever the mirror shows."""
        ...

    async def add_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Hold an object's deletion back until the finalizer is removed."""
        ...

    async def remove_finalizer(self, ref: Ref, thing: Object, finalizer: str) -> Answer:
        """Let an object's deletion go on."""
        ...

    def publish(self, notice: Notice) -> bool:
        """Publish an Event soon; tell whether it is new enough to be."""
        ...
