"""What a workload asks for over time, were every pod to run the moment it comes and for as long as it should."""

import heapq
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.model.quantity import parse_resources
from nodewright.trace.entry import Arrival, Scaling, Size, Trace

_SIZE: Final = msgspec.json.Encoder(order="sorted")


class Demand:
    """The pods that are wanted at an instant, counted by size, and what they ask for together."""

    def __init__(self) -> None:
        self.counts: dict[bytes, int] = {}
        self.sizes: dict[bytes, Size] = {}
        self.totals: dict[str, int] = {}
        self.daemons: dict[str, dict[str, int]] = {}

    def change(self, size: Size, count: int) -> None:
        """Have more pods of a size, or fewer."""
        key = _SIZE.encode(size)
        left = self.counts.get(key, 0) + count
        self.sizes[key] = size
        self.counts[key] = left
        if not left:
            del self.counts[key], self.sizes[key]
        for name, amount in parse_resources(size.resources).items():
            self.totals[name] = self.totals.get(name, 0) + count * amount

    def overhead(self) -> dict[str, int]:
        """Give what daemons ask for on every node."""
        total: dict[str, int] = {}
        for asked in self.daemons.values():
            for name, amount in asked.items():
                total[name] = total.get(name, 0) + amount
        return total


def walk(trace: Trace) -> Iterator[tuple[int, Demand]]:
    """Give the demand after each instant at which it changes; it is the same object each time."""
    demand = Demand()
    ends: list[tuple[int, int, Size, int]] = []
    known: dict[str, tuple[Size, int]] = {}
    for number, entry in enumerate(trace.entries):
        while ends and ends[0][0] <= entry.at_ms:
            at_ms, _, size, count = heapq.heappop(ends)
            demand.change(size, -count)
            yield at_ms, demand
        match entry:
            case Arrival():
                demand.change(entry.size, entry.count)
                if (end_ms := _end_of(entry)) is not None:
                    heapq.heappush(ends, (end_ms, number, entry.size, entry.count))
            case Scaling(kind="DaemonSet"):
                _take_daemon(demand, entry)
            case Scaling():
                _take_scaling(demand, known, entry)
        yield entry.at_ms, demand
    while ends:
        at_ms, _, size, count = heapq.heappop(ends)
        demand.change(size, -count)
        yield at_ms, demand


def _end_of(entry: Arrival) -> int | None:
    return entry.until_ms if entry.lasts_ms is None else entry.at_ms + entry.lasts_ms


def _take_daemon(demand: Demand, entry: Scaling) -> None:
    if entry.replicas is None:
        demand.daemons.pop(entry.name, None)
    elif entry.size is not None:
        demand.daemons[entry.name] = parse_resources(entry.size.resources)


def _take_scaling(demand: Demand, known: dict[str, tuple[Size, int]], entry: Scaling) -> None:
    before = known.pop(entry.name, None)
    if before is not None:
        demand.change(before[0], -before[1])
    size = entry.size or (before[0] if before is not None else None)
    if entry.replicas is not None and size is not None:
        known[entry.name] = (size, entry.replicas)
        if entry.replicas:
            demand.change(size, entry.replicas)
