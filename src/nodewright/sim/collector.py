"""The collector: what has lost all its owners goes.

As Kubernetes does it in the background: an object is deleted once none of its owners exists, and
an object that is made for an owner that is already gone goes as well.
"""

from collections.abc import Iterable
from typing import Any, Final

from nodewright.sim.apiserver import DELETED, Change
from nodewright.sim.ground import Ground, Worklist
from nodewright.sim.objects import RESOURCES

_DELAY_MS: Final = 150
_ACTOR: Final = "collector"


class Collector:
    """Deletes what its owners left behind."""

    def __init__(self, ground: Ground) -> None:
        self._api = ground.api
        self._alive: set[str] = set()
        self._dependents: dict[str, dict[tuple[str, str], None]] = {}
        self._orphans = Worklist(ground.loop, _DELAY_MS, self._collect)
        for resource in RESOURCES.values():
            self._api.listen(resource, self._changed)
            for thing in self._api.each(resource):
                self._alive.add(thing.metadata.uid)

    def _changed(self, change: Change) -> None:
        meta = change.new.metadata
        place = (change.resource.kind, change.key)
        if change.verb == DELETED:
            self._alive.discard(meta.uid)
            for owner in meta.owner_references:
                self._dependents.get(owner.uid, {}).pop(place, None)
            for kind, key in self._dependents.pop(meta.uid, {}):
                self._orphans.add(f"{kind} {key}")
            return
        if change.old is None:
            self._alive.add(meta.uid)
        elif change.old.metadata.owner_references is meta.owner_references:
            return
        for uid in _owners(meta.owner_references):
            self._dependents.setdefault(uid, {})[place] = None
            if uid not in self._alive:
                self._orphans.add(f"{place[0]} {place[1]}")

    def _collect(self, place: str) -> None:
        kind, _, key = place.partition(" ")
        thing = self._api.get(RESOURCES[kind], key)
        if thing is None or thing.metadata.deletion_timestamp is not None:
            return
        owners = list(_owners(thing.metadata.owner_references))
        if owners and not any(uid in self._alive for uid in owners):
            self._api.delete(RESOURCES[kind], key, _ACTOR)


def _owners(references: Iterable[Any]) -> Iterable[str]:
    return (owner.uid for owner in references if owner.uid)
