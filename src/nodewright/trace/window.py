"""A part of a trace, as if it had begun there: what is still going on comes at its start.

Only what is alive is kept while the part before is read, so a long trace needs no more memory than its
busiest moment.
"""

import heapq
from collections.abc import Iterator

from msgspec.structs import replace

from nodewright.trace.entry import Arrival, Entry, Scaling, Thing, Trace


def cut(trace: Trace, start_ms: int, length_ms: int | None = None) -> Trace:
    """Give the part of a trace that begins at an instant, and lasts so long at most."""
    rest = None if trace.length_ms is None else max(0, trace.length_ms - start_ms)
    known = [one for one in (rest, length_ms) if one is not None]
    entries = _after(trace.entries, start_ms) if start_ms else trace.entries
    if length_ms is not None:
        entries = _until(entries, length_ms)
    return replace(trace, entries=entries, length_ms=min(known, default=None))


def _until(entries: Iterator[Entry], length_ms: int) -> Iterator[Entry]:
    for entry in entries:
        if entry.at_ms >= length_ms:
            return
        yield entry


def _after(entries: Iterator[Entry], start_ms: int) -> Iterator[Entry]:
    before = _Before()
    for entry in entries:
        if entry.at_ms < start_ms:
            before.take(entry)
            continue
        yield from before.left(start_ms)
        before = _Before()
        yield _shifted(entry, start_ms)
    yield from before.left(start_ms)


class _Before:
    """What has begun before a part, and has not ended."""

    def __init__(self) -> None:
        self._things: list[Thing] = []
        self._workloads: dict[str, Scaling] = {}
        self._staying: list[Arrival] = []
        self._passing: list[tuple[int, int, Arrival]] = []
        self._count = 0

    def take(self, entry: Entry) -> None:
        match entry:
            case Thing():
                self._things.append(entry)
            case Scaling(replicas=None):
                self._workloads.pop(entry.name, None)
            case Scaling():
                known = self._workloads.get(entry.name)
                size = entry.size or (known.size if known is not None else None)
                self._workloads[entry.name] = replace(entry, size=size)
            case Arrival():
                self._take_pod(entry)

    def _take_pod(self, entry: Arrival) -> None:
        while self._passing and self._passing[0][0] <= entry.at_ms:
            heapq.heappop(self._passing)
        ends_ms = entry.until_ms
        if entry.lasts_ms is not None:
            ends_ms = entry.at_ms + entry.lasts_ms
        if ends_ms is None:
            self._staying.append(entry)
        else:
            self._count += 1
            heapq.heappush(self._passing, (ends_ms, self._count, entry))

    def left(self, start_ms: int) -> Iterator[Entry]:
        """Give all of it as coming at the start, in the order in which it came."""
        for thing in self._things:
            yield replace(thing, at_ms=0)
        for workload in self._workloads.values():
            yield replace(workload, at_ms=0)
        for pod in self._staying:
            yield replace(pod, at_ms=0)
        for ends_ms, _, pod in sorted(self._passing, key=lambda one: one[1]):
            if ends_ms <= start_ms:
                continue
            if pod.lasts_ms is not None:
                yield replace(pod, at_ms=0, lasts_ms=ends_ms - start_ms)
            else:
                yield replace(pod, at_ms=0, until_ms=ends_ms - start_ms)


def _shifted(entry: Entry, start_ms: int) -> Entry:
    at_ms = entry.at_ms - start_ms
    if isinstance(entry, Arrival) and entry.until_ms is not None:
        return replace(entry, at_ms=at_ms, until_ms=entry.until_ms - start_ms)
    return replace(entry, at_ms=at_ms)
