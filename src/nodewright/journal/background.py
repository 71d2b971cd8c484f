"""A recorder in a thread of its own, so that nobody waits for the disk.

What is told is put into a line of limited length, looks into a shorter one, since each holds a whole
cluster in memory. When the disk cannot keep up, the newest is left out, and one line in the log says
so; `left_out` counts.
"""

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final

from nodewright.journal.recorder import Recorder
from nodewright.journal.segments import measure
from nodewright.model.decision import Decision
from nodewright.model.world import World
from nodewright.ports.kube import Answer

_log: Final = logging.getLogger("nodewright.journal")
WAITING_MAX: Final = 5_000
LOOKS_MAX: Final = 50
_FAREWELL_S: Final = 5.0

type _Job = Callable[[], None] | None


class BackgroundRecorder:
    """A witness that hands everything on to a recorder at once."""

    def __init__(
        self, recorder: Recorder, waiting_max: int = WAITING_MAX, looks_max: int = LOOKS_MAX
    ) -> None:
        self._recorder = recorder
        self._waiting: queue.Queue[_Job] = queue.Queue(waiting_max)
        self._room = threading.BoundedSemaphore(looks_max)
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._is_over = False
        self.left_out = 0

    @property
    def problem(self) -> str:
        """What keeps decisions from being written down; nothing while they are."""
        return self._recorder.problem or ("the journal has ended" if self._is_over else "")

    def measure(self) -> int:
        """Give how many bytes the journal has on disk."""
        return measure(self._recorder.folder)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Have a look written down soon."""
        if not decisions:
            return
        if not self._room.acquire(blocking=False):
            self._leave_out()
            return

        def write() -> None:
            self._room.release()
            self._recorder.decided(controller, world, decisions, duration_ms)

        if not self._put(write):
            self._room.release()

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Have an outcome written down soon."""
        self._put(lambda: self._recorder.came_of(controller, decision, answer, duration_ms))

    def close(self) -> None:
        """Write what waits, within a while, and end."""
        try:
            self._waiting.put(None, timeout=_FAREWELL_S)
        except queue.Full:
            _log.error("the journal ends with %d records not written", self._waiting.qsize())
            return
        self._thread.join(_FAREWELL_S)

    def _put(self, job: _Job) -> bool:
        if self._is_over:
            return False
        try:
            self._waiting.put_nowait(job)
        except queue.Full:
            self._leave_out()
            return False
        return True

    def _leave_out(self) -> None:
        if not self.left_out:
            _log.error("the journal cannot keep up with the decisions: some are left out")
        self.left_out += 1

    def _run(self) -> None:
        try:
            while (job := self._waiting.get()) is not None:
                job()
            self._recorder.close()
        finally:
            # Whatever ends the thread, nobody goes on filling the line.
            self._is_over = True
