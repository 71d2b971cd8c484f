"""Metrics of conditions: what they are now, how long, and how often and how fast they change.

Changes are found by comparing what is seen now with what was seen before; an object that has not
changed since is passed over. A condition that was there when we came counts from its next change on.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from nodewright.core.checkup import CHECKUP
from nodewright.core.lifecycle_conditions import FALSE
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.instant import read_instant
from nodewright.model.metadata import Condition
from nodewright.model.world import World
from nodewright.observe.families_objects import FINDINGS, condition_family, ending_family
from nodewright.observe.page import Page, write_labels

_CODE: Final = re.compile(r"\bNW-\d{4}(?=:)")
_EVERY_MS: Final = 1_000
_OBJECT: Final = ("namespace", "name", "type", "status", "reason")

type Count = Callable[..., None]


class Conditions:
    """Follows the conditions of claims, pools, nodes and classes."""

    def __init__(self, count: Count, note: Count) -> None:
        self._count = count
        self._note = note
        self._looked_ms: int | None = None
        self._known: dict[str, dict[str, Any]] = {}

    def look(self, world: World) -> None:
        """Take note of the conditions that have changed; at most once a second."""
        if self._looked_ms is not None and world.now_ms - self._looked_ms < _EVERY_MS:
            return
        self._looked_ms = world.now_ms
        for kind, things in _kinds(world):
            before = self._known.get(kind)
            now = {one.metadata.uid or one.metadata.name: one for one in things}
            self._known[kind] = now
            for key, one in now.items():
                old = before.get(key) if before is not None else None
                if old is not None and old is not one:
                    self._compare(kind, old, one)
            for key, old in (before or {}).items():
                since_ms = read_instant(old.metadata.deletion_timestamp)
                if key not in now and since_ms is not None:
                    self._note(ending_family(kind, "duration"), _seconds(since_ms, world.now_ms))

    def _compare(self, kind: str, old: Any, new: Any) -> None:
        before = {one.type: one for one in old.status.conditions}
        for one in new.status.conditions:
            was = before.get(one.type)
            if was is None or was.status == one.status:
                continue
            row = (one.type, one.status, one.reason)
            self._count(condition_family(kind, "transitions_total"), *row)
            since_ms = read_instant(was.last_transition_time)
            until_ms = read_instant(one.last_transition_time)
            if since_ms is not None and until_ms is not None:
                lasted_s = _seconds(since_ms, until_ms)
                self._note(condition_family(kind, "transition_seconds"), lasted_s, *row[:2])


def fill_conditions(page: Page, world: World) -> None:
    """Write what the conditions of everything are now."""
    for kind, things in _kinds(world):
        counts, lasting = (
            condition_family(kind, "count"),
            condition_family(kind, "current_status_seconds"),
        )
        for one in things:
            name = one.metadata.name
            for condition in one.status.conditions:
                labels = write_labels(_OBJECT, ("", name, *_state(condition)))
                page.add(counts, 1, labels)
                since_ms = read_instant(condition.last_transition_time)
                if since_ms is not None:
                    page.add(lasting, _seconds(since_ms, world.now_ms), labels)
                for code in _codes(condition):
                    page.set(FINDINGS, 1, (code, kind, name))
            deleted_ms = read_instant(one.metadata.deletion_timestamp)
            if deleted_ms is not None:
                ended_s = _seconds(deleted_ms, world.now_ms)
                page.set(ending_family(kind, "current_time"), ended_s, ("", name))


def _kinds(world: World) -> Iterator[tuple[str, Sequence[Any]]]:
    yield "nodeclaim", world.node_claims
    yield "nodepool", world.node_pools
    yield "node", world.nodes
    yield "ec2nodeclass", [one for one in world.node_classes if isinstance(one, EC2NodeClass)]


def _codes(condition: Condition) -> list[str]:
    """Give the codes that a checkup has written down."""
    if condition.type != CHECKUP or condition.status != FALSE:
        return []
    return sorted(set(_CODE.findall(condition.message)))


def _state(condition: Condition) -> tuple[str, str, str]:
    return condition.type, condition.status, condition.reason


def _seconds(since_ms: int, now_ms: int) -> float:
    return max(0, now_ms - since_ms) / 1000
