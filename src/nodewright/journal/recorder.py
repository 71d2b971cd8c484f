"""The recorder: a witness that writes down what is new.

A verdict is written when it changes, not each time it is confirmed; an act when it is decided on a
new basis; what came of it when that is another answer than before. A look at which nothing is new
leaves no trace. On a full disk the older half of the journal makes room. A disk that still takes no more is
one line in the log: the controllers go on, `problem` says what happened, and it is tried again after a
while.
"""

import errno
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from nodewright.journal.records import CameOf, Decided, Line, Look, write_line
from nodewright.journal.segments import Limits, SegmentWriter
from nodewright.journal.sheets import SheetWriter
from nodewright.model import decision as d
from nodewright.model.decision import Decision, describe
from nodewright.model.world import World
from nodewright.ports.clock import Clock
from nodewright.ports.kube import Answer

_log: Final = logging.getLogger("nodewright.journal")
_REMEMBERED_MAX: Final = 200_000
_ANSWER_BYTES: Final = 12
RETRY_MS: Final = 60_000
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)
PODLESS: Final = frozenset((
    "lifecycle", "garbage", "expiration", "nodepool", "nodeclass", "ec2nodeclass", "consistency", "hydration",
    "interruption", "older",
))  # fmt: skip
"""Controllers that decide without pods: what they saw is written without them, the bulk of it."""

_SHARED: Final = frozenset(
    {"kind", "uid", "subject", "reason", "note", "basis", "cause", "controller"}
)


class _Memory:
    """What was said last about things; the things longest not spoken of are forgotten."""

    def __init__(self) -> None:
        self._said: OrderedDict[Any, Any] = OrderedDict()

    def is_new(self, about: object, said: object) -> bool:
        """Take note of what is said; tell whether it is something else than before."""
        before = self._said.get(about)
        self._said[about] = said
        self._said.move_to_end(about)
        if len(self._said) > _REMEMBERED_MAX:
            self._said.popitem(last=False)
        return before != said


class Recorder:
    """Writes a journal into a folder, on the path of whoever tells it."""

    def __init__(self, folder: Path, clock: Clock, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen.
        self._clock = clock
        self._segments = SegmentWriter(folder, limits)
        self._sheets = SheetWriter()
        self._memory = _Memory()
        self._retry_ms = 0
        self.folder = folder
        self.problem = ""

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Write down what of a look is new."""
        if not decisions or not self._may_write():
            return
        ids = [one.id for one in decisions]
        new = [
            (name, one)
            for name, one in zip(ids, decisions, strict=True)
            if self._is_new(controller, name, one)
        ]
        if not new:
            return
        seen = replace(world, pods=(), bad_pods=()) if controller in PODLESS else world

        def lines() -> Sequence[Line]:
            sheets, reference = self._sheets.write(seen)
            look = Look(
                id=f"{controller}@{world.now_ms}",
                controller=controller,
                at_ms=world.now_ms,
                cause=decisions[0].cause,
                duration_ms=duration_ms,
                count=len(decisions),
                answer=answer_of(ids),
                world=reference,
            )
            return [*sheets, look, *(record_of(look, name, one) for name, one in new)]

        self._write(lines)

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Write down what came of a decision, where it is not what came of it before."""
        del controller
        said = (answer.outcome, answer.message)
        if not self._may_write() or not self._memory.is_new(("outcome", decision.id), said):
            return
        line = CameOf(
            id=decision.id,
            at_ms=self._clock.now_ms(),
            outcome=answer.outcome.value,
            message=answer.message,
            duration_ms=duration_ms,
        )
        self._write(lambda: [line])

    def close(self) -> None:
        """End the journal."""
        try:
            self._segments.close()
        except OSError as error:
            self._stop(error)

    def _is_new(self, controller: str, name: str, decision: Decision) -> bool:
        about = (controller, str(decision.subject), decision.subject.uid)
        match decision:
            case d.Keep():
                return self._memory.is_new(about, ("Keep", decision.reason))
            case d.Nominate():
                return self._memory.is_new(about, ("Nominate", decision.host))
            case d.Refuse():
                return self._memory.is_new(about, ("Refuse", decision.code, decision.note))
            case d.Tell():
                return self._memory.is_new((*about, decision.reason), decision.note)
            case _:
                return self._memory.is_new(("act", name), True)

    def _write(self, lines: Callable[[], Sequence[Line]]) -> None:
        """Write lines, after making room on a full disk where that helps; else take note of the problem."""
        try:
            try:
                self._append(lines)
            except OSError as error:
                self._segments.abandon()
                if error.errno not in _FULL or not self._segments.shed():
                    raise
                self._append(lines)
        except OSError as error:
            self._stop(error)

    def _append(self, lines: Callable[[], Sequence[Line]]) -> None:
        now_ms = self._clock.now_ms()
        if self._segments.is_due(now_ms):
            self._segments.begin(now_ms)
            self._sheets = SheetWriter()
        self._segments.append([write_line(one) for one in lines()])

    def _may_write(self) -> bool:
        """Tell whether the disk is believed to take more; after a while it is tried again."""
        if not self.problem:
            return True
        if self._clock.now_ms() < self._retry_ms:
            return False
        _log.info("the journal in %s is tried again", self.folder)
        self.problem = ""
        # What was said meanwhile is not on disk: everything that still holds is said anew.
        self._memory = _Memory()
        return True

    def _stop(self, error: OSError) -> None:
        self.problem = f"the journal in {self.folder} takes no more: {error.strerror or error}"
        self._retry_ms = self._clock.now_ms() + RETRY_MS
        self._segments.abandon()
        _log.error("%s; decisions go on and are not written down for now", self.problem)


def answer_of(ids: Sequence[str]) -> str:
    """Give a hash of a whole answer: all its decisions in order."""
    return blake2b("\n".join(ids).encode(), digest_size=_ANSWER_BYTES).hexdigest()


def record_of(look: Look, name: str, decision: Decision) -> Decided:
    """Write one decision of a look."""
    said = describe(decision)
    return Decided(
        id=name,
        look=look.id,
        at_ms=look.at_ms,
        controller=look.controller,
        kind=decision.kind,
        subject=str(decision.subject),
        reason=decision.reason,
        uid=decision.subject.uid,
        note=decision.note,
        cause=decision.cause,
        basis=decision.basis,
        content={key: value for key, value in said.items() if key not in _SHARED},
    )
