"""Histories: what the cluster cost and how many nodes and pods it had, kept in memory for a day.

One point a minute, in rings of a fixed length; pools beyond a number are added up as one. Virtual time counts
as real time does: a point belongs to the instant of its view.
"""

from collections import deque
from typing import Final

import msgspec

from nodewright.model.instant import print_instant
from nodewright.view.values import View
from nodewright.web.answers.overview import CostHistory, CountHistory
from nodewright.web.writing.numbers import write_money

EVERY_MS: Final = 60_000
POINTS_MAX: Final = 1_440
POOLS_MAX: Final = 30
OTHER: Final = "other"


class Point(msgspec.Struct, frozen=True):
    """One instant; what is not known of it is None."""

    at_ms: int
    costs: dict[str, int]
    nodes: int | None = None
    pods: int | None = None
    pending: int | None = None


class Histories:
    """The points of the last day, and the one of now."""

    def __init__(self, every_ms: int = EVERY_MS) -> None:
        self._every_ms = every_ms
        self._points: deque[Point] = deque(maxlen=POINTS_MAX)
        self._now: Point | None = None

    def note(self, view: View) -> None:
        """Take note of a view: it is the point of now, and is kept if it is time for one."""
        if not view.now_ms or not (view.is_complete or view.nodes):
            return  # Nothing has been seen yet, and a cluster without nodes would be a lie.
        costs = {one.name: one.price_nanousd_hour for one in view.pools}
        head = view.head
        self._now = Point(
            view.now_ms,
            costs,
            head.nodes,
            head.pods,
            head.pods_pending,
        )
        last_ms = self._points[-1].at_ms if self._points else None
        if last_ms is None or view.now_ms - last_ms >= self._every_ms:
            self._points.append(self._now)

    def write(self) -> tuple[CostHistory, CountHistory]:
        """Write both histories, with the point of now at the end."""
        points = list(self._points)
        if self._now is not None and (not points or points[-1].at_ms < self._now.at_ms):
            points.append(self._now)
        at = tuple([print_instant(one.at_ms) for one in points])
        return (
            CostHistory(at, self._costs(points)),
            CountHistory(
                at,
                tuple([one.nodes for one in points]),
                tuple([one.pods for one in points]),
                tuple([one.pending for one in points]),
            ),
        )

    def _costs(self, points: list[Point]) -> dict[str, tuple[float | None, ...]]:
        totals: dict[str, int] = {}
        for point in points:
            for name, price in point.costs.items():
                totals[name] = totals.get(name, 0) + price
        dearest = sorted(totals, key=lambda name: (-totals[name], name))
        kept, rest = dearest[:POOLS_MAX], dearest[POOLS_MAX:]
        found = {
            name: tuple([write_money(point.costs.get(name, 0)) for point in points])
            for name in sorted(kept)
        }
        if rest:
            found[OTHER] = tuple(
                [write_money(sum(point.costs.get(name, 0) for name in rest)) for point in points]
            )
        return found
