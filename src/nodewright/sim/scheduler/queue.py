"""The scheduling queue: by priority and age; what did not fit waits for an event that may help.

Pods that could not be placed are kept by shape. An event that may help a shape wakes one pod of it;
when that one is placed, the next is woken, until one fails again: what would fail is not tried.
A pod that is woken too soon after its last try waits out a back-off that doubles from 1 s to 10 s;
whatever happened, nobody waits longer than five minutes for the next try.
"""

import heapq
from collections.abc import Callable
from typing import Final

from nodewright.sim.loop import VirtualLoop
from nodewright.sim.scheduler.shape import Shape

BACKOFF_MS: Final = 1_000
BACKOFF_MS_MAX: Final = 10_000
LEFTOVER_MS: Final = 300_000


class Entry:
    """A pod that waits to be scheduled."""

    __slots__ = ("attempts", "key", "ready_ms", "shape", "since_ms", "uid", "where")

    def __init__(self, key: str, uid: str, shape: Shape, now_ms: int) -> None:
        self.key = key
        self.uid = uid
        self.shape = shape
        self.since_ms = now_ms
        self.ready_ms = now_ms
        self.attempts = 0
        self.where = ""


class Queue:
    """Pods that are to be scheduled."""

    def __init__(self, loop: VirtualLoop, wake: Callable[[], None]) -> None:
        self._loop = loop
        self._wake = wake
        self._count = 0
        self._active: list[tuple[int, int, int, Entry]] = []
        self.entries: dict[str, Entry] = {}
        self.waiting: dict[int, dict[str, Entry]] = {}
        self._minding: dict[int, None] = {}

    def __bool__(self) -> bool:
        return bool(self._active)

    def add(self, entry: Entry) -> None:
        """Take a new pod."""
        self.entries[entry.key] = entry
        self._activate(entry)

    def remove(self, key: str) -> None:
        """Forget a pod that was bound or is gone."""
        entry = self.entries.pop(key, None)
        if entry is not None:
            self._leave(entry)
            entry.where = "gone"

    def pop(self) -> Entry | None:
        """Give the pod that is next."""
        while self._active:
            entry = heapq.heappop(self._active)[3]
            if entry.where == "active":
                entry.where = "trying"
                entry.attempts += 1
                return entry
        return None

    def put_back(self, entry: Entry) -> None:
        """Have a pod that did not fit wait for something to change."""
        if self.entries.get(entry.key) is not entry:
            return
        now_ms = self._loop.now_ms()
        wait_ms = min(BACKOFF_MS << min(entry.attempts - 1, 4), BACKOFF_MS_MAX)
        entry.ready_ms = now_ms + wait_ms
        entry.where = "waiting"
        self.waiting.setdefault(entry.shape.number, {})[entry.key] = entry
        if entry.shape.has_neighbours:
            self._minding[entry.shape.number] = None
        self._loop.after_ms(LEFTOVER_MS, self._flush, entry, entry.attempts)

    def wake_shapes(self, helps: Callable[[Shape], bool]) -> None:
        """Wake the next pod of those shapes that an event may help."""
        for number in list(self.waiting):
            shape = next(iter(self.waiting[number].values())).shape
            if helps(shape):
                self.wake_next(shape)

    def wake_minding(self) -> None:
        """Wake the next pod of those shapes that mind who their neighbours are; mostly none does."""
        if self._minding:
            self.wake_shapes(lambda shape: shape.has_neighbours)

    def wake_next(self, shape: Shape) -> None:
        """Wake one more pod of a shape; all where each has volumes of its own."""
        entries = self.waiting.get(shape.number)
        if entries:
            for key in list(entries) if shape.has_volumes else [next(iter(entries))]:
                self.wake(key)

    def wake(self, key: str) -> None:
        """Wake a pod if it waits."""
        entry = self.entries.get(key)
        if entry is not None and entry.where == "waiting":
            self._leave(entry)
            self._wake_entry(entry)

    def _wake_entry(self, entry: Entry) -> None:
        delay_ms = entry.ready_ms - self._loop.now_ms()
        if delay_ms <= 0:
            self._activate(entry)
        else:
            entry.where = "backoff"
            self._loop.after_ms(delay_ms, self._return, entry, entry.attempts)

    def _return(self, entry: Entry, attempts: int) -> None:
        if entry.where == "backoff" and entry.attempts == attempts:
            self._activate(entry)

    def _flush(self, entry: Entry, attempts: int) -> None:
        if entry.where == "waiting" and entry.attempts == attempts:
            self._leave(entry)
            self._activate(entry)

    def _activate(self, entry: Entry) -> None:
        entry.where = "active"
        self._count += 1
        heapq.heappush(self._active, (-entry.shape.priority, entry.since_ms, self._count, entry))
        self._wake()

    def _leave(self, entry: Entry) -> None:
        entries = self.waiting.get(entry.shape.number)
        if entries is not None:
            entries.pop(entry.key, None)
            if not entries:
                del self.waiting[entry.shape.number]
                self._minding.pop(entry.shape.number, None)
