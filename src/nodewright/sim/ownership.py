"""Server-side apply: each manager owns the fields it applied, and only those are taken away again.

An object is seen as leaves by path. Lists that Kubernetes merges by key (conditions by type, owners
by uid, containers by name) have one branch for each element; every other list is a leaf.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.sim.refusals import Refused

type Path = tuple[str, ...]
type Leaves = dict[Path, Any]

_KEYED: Final = {
    "conditions": "type",
    "ownerReferences": "uid",
    "containers": "name",
    "initContainers": "name",
    "volumes": "name",
}
_SETS: Final = frozenset({"finalizers"})
_IDENTITY: Final = frozenset(
    {("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace")}
)
_MARK: Final = "\0"


class Ownership:
    """Which manager owns which fields of one object."""

    def __init__(self) -> None:
        self.fields: dict[str, set[Path]] = {}

    def apply(self, current: Any, wanted: Any, manager: str, *, force: bool) -> Any:
        """Give the object after a manager applied its wishes; a conflict is refused with 409."""
        now, new = flatten(current), flatten(wanted)
        self._settle(now, new, manager, force=force)
        kept_by_others = {
            path for name, paths in self.fields.items() if name != manager for path in paths
        }
        for path in self.fields.get(manager, set()) - set(new) - kept_by_others:
            now.pop(path, None)
        self.fields[manager] = {path for path in new if path not in _IDENTITY}
        now.update(new)
        return unflatten(now)

    def take(self, before: Any, after: Any, manager: str) -> None:
        """Note that a manager changed fields by an ordinary write, which makes them its own."""
        if not self.fields:
            return
        old, new = flatten(before), flatten(after)
        changed = {path for path in new if old.get(path) != new[path]}
        for paths in self.fields.values():
            paths.difference_update(changed)
        self.fields.setdefault(f"{manager}/update", set()).update(changed)

    def _settle(self, now: Leaves, new: Leaves, manager: str, *, force: bool) -> None:
        clashes: list[str] = []
        for name in sorted(self.fields):
            if name == manager:
                continue
            shared = {path for path in self.fields[name] if path in new}
            differing = {path for path in shared if now.get(path) != new[path]}
            if differing and not force:
                shown = ".".join(min(differing)).replace(_MARK, "")
                clashes.append(f"{name} owns {shown}")
            self.fields[name] -= differing
        if clashes:
            raise Refused(409, "Conflict", f"Apply failed: {'; '.join(clashes)}")


def flatten(value: Any, path: Path = ()) -> Leaves:
    """Give the leaves of an object by their path."""
    return dict(_leaves(value, path))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    last = path[-1] if path else ""
    if isinstance(value, Mapping) and (value or not path):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list | tuple) and value and last in _KEYED:
        key = _KEYED[last]
        for inner in value:
            yield from _leaves(inner, (*path, f"{_MARK}{inner.get(key, '')}"))
    elif isinstance(value, list | tuple) and last in _SETS:
        for inner in value:
            yield (*path, f"{_MARK}{inner}"), inner
    else:
        yield path, value


def unflatten(leaves: Leaves) -> dict[str, Any]:
    """Put leaves together again."""
    root: dict[str, Any] = {}
    for path, value in leaves.items():
        place = root
        for part in path[:-1]:
            place = place.setdefault(part, {})
        place[path[-1]] = value
    return {name: _unmark(inner) for name, inner in root.items()}


def _unmark(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if value and all(name.startswith(_MARK) for name in value):
        return [_unmark(inner) for inner in value.values()]
    return {name: _unmark(inner) for name, inner in value.items()}
