"""The API server: objects with versions, and everything that Kubernetes promises about writing them.

Each write gets the next resourceVersion; one that changes nothing gets none. An object with
finalizers is only marked when it is deleted, and goes when the last of them is taken off. A pod that
runs has its grace first. Whoever listens is told of each change in order, at once, and acts later:
nobody writes from inside a notification.
"""

from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import Object, Resource, key_of
from nodewright.sim.admission import Admission
from nodewright.sim.chance import Stream
from nodewright.sim.history import History
from nodewright.sim.objects import PHASE_ENDED, RESOURCES
from nodewright.sim.refusals import (
    Preconditions,
    Refused,
    conflict,
    exists,
    expired,
    invalid,
    not_found,
)

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
LOG_MAX: Final = 20_000
GRACE_DEFAULT_S: Final = 30

# Generic code knows its objects only as things with metadata.
_replace: Any = msgspec.structs.replace


class Change(msgspec.Struct, gc=False):
    """One change of one object, as listeners and watches see it."""

    resource: Resource[Any]
    verb: str
    key: str
    old: Any
    new: Any
    version: int
    actor: str


type Listener = Callable[[Change], None]


class ApiServer:
    """All objects of a cluster."""

    def __init__(self, now_ms: Callable[[], int], chance: Stream, history: History) -> None:
        self.now_ms = now_ms
        self.history = history
        self.version = 1
        self.admission = Admission(self)
        self._chance = chance
        self._uid_count = 0
        self._objects: dict[str, dict[str, Any]] = {kind: {} for kind in RESOURCES}
        self._listeners: dict[str, list[Listener]] = {kind: [] for kind in RESOURCES}
        self._logs: dict[str, deque[Change]] = {kind: deque(maxlen=LOG_MAX) for kind in RESOURCES}
        self._oldest = dict.fromkeys(RESOURCES, 1)
        self._stamp = (0, "")

    def stamp(self) -> str:
        """Write the present instant as Kubernetes does, to the second."""
        second = self.now_ms() // 1000
        if self._stamp[0] != second:
            moment = datetime.fromtimestamp(second, UTC)
            self._stamp = (second, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))
        return self._stamp[1]

    def get[T: Object](self, resource: Resource[T], key: str) -> T | None:
        """Give an object by `namespace/name`, or by name where there are no namespaces."""
        found: T | None = self._objects[resource.kind].get(key)
        return found

    def need[T: Object](self, resource: Resource[T], key: str) -> T:
        """Give an object that must be there."""
        found: T | None = self._objects[resource.kind].get(key)
        if found is None:
            raise not_found(f"{resource.name}/{key}")
        return found

    def each[T: Object](self, resource: Resource[T]) -> Iterator[T]:
        """Give all objects of a kind, in the order they were made."""
        return iter(tuple(self._objects[resource.kind].values()))

    def count(self, resource: Resource[Any]) -> int:
        """Tell how many objects of a kind there are."""
        return len(self._objects[resource.kind])

    def listen(self, resource: Resource[Any], listener: Listener) -> None:
        """Be told of each change of a kind."""
        self._listeners[resource.kind].append(listener)

    def changes_since(self, resource: Resource[Any], version: int) -> list[Change]:
        """Give what changed after a version; a version that is too old is refused with 410."""
        if version < self._oldest[resource.kind] - 1:
            raise expired(version, self._oldest[resource.kind])
        log = self._logs[resource.kind]
        found: list[Change] = []
        for change in reversed(log):
            if change.version <= version:
                break
            found.append(change)
        return found[::-1]

    def compact(self) -> None:
        """Forget the history of every kind, as etcd does now and then."""
        for kind, log in self._logs.items():
            log.clear()
            self._oldest[kind] = self.version + 1

    def create[T: Object](self, resource: Resource[T], thing: T, actor: str) -> T:
        """Make an object: defaults are filled in, rules are checked, a name is drawn if asked."""
        meta = thing.metadata
        namespace = (meta.namespace or "default") if resource.namespaced else ""
        name = meta.name or self._draw_name(resource, namespace, meta.generate_name)
        key = f"{namespace}/{name}" if namespace else name
        if key in self._objects[resource.kind]:
            raise exists(f"{resource.name}/{key}")
        thing = self.admission.admit_new(resource, thing)
        self._uid_count += 1
        born = _replace(
            thing.metadata,
            name=name,
            namespace=namespace,
            uid=f"{self._uid_count:08x}-0000-4000-8000-{resource.plural[:6]:0<6}000000",
            resource_version=self._next_version(),
            generation=1,
            creation_timestamp=self.stamp(),
            deletion_timestamp=None,
        )
        created: T = _replace(thing, metadata=born)
        self._objects[resource.kind][key] = created
        self._tell(Change(resource, ADDED, key, None, created, self.version, actor))
        return created

    def update[T: Object](
        self, resource: Resource[T], thing: T, actor: str, *, status: bool = False
    ) -> T:
        """Replace an object, or only its status; a version in it must be the present one."""
        key = key_of(thing.metadata)
        old = self.need(resource, key)
        if thing.metadata.resource_version not in ("", old.metadata.resource_version):
            raise conflict(f"{resource.name}/{key}")
        if thing.metadata.uid not in ("", old.metadata.uid):
            raise conflict(f"{resource.name}/{key}", "it is another object of the same name")
        return self._store(resource, key, self._merge(resource, old, thing, status=status), actor)

    def change[T: Object](
        self, resource: Resource[T], key: str, how: Callable[[T], T], actor: str
    ) -> T | None:
        """Change an object in place, whatever its version; one that is gone stays gone."""
        old = self.get(resource, key)
        if old is None:
            return None
        new = how(old)
        return old if new is old else self._store(resource, key, new, actor)

    def delete[T: Object](
        self,
        resource: Resource[T],
        key: str,
        actor: str,
        preconditions: Preconditions | None = None,
        grace_s: int | None = None,
    ) -> T:
        """Delete an object, or mark it where finalizers or a running pod's grace hold it."""
        old = self.need(resource, key)
        self._check(resource, key, old.metadata, preconditions)
        meta = old.metadata
        grace = self._grace(old, grace_s) if resource.kind == "Pod" else 0
        if grace == 0 and not meta.finalizers:
            self._remove(resource, key, old, actor)
            return old
        due = self.now_ms() // 1000 + grace
        if meta.deletion_timestamp is not None and _seconds(meta.deletion_timestamp) <= due:
            return old
        marked: T = _replace(
            old,
            metadata=_replace(
                meta, deletion_timestamp=_print_seconds(due), generation=meta.generation + 1
            ),
        )
        return self._store(resource, key, marked, actor)

    def bury(self, resource: Resource[Any], key: str, actor: str) -> None:
        """Remove what a grace held, as the kubelet does when a pod has stopped."""
        old = self.get(resource, key)
        if old is None:
            return
        if old.metadata.finalizers:
            now = _print_seconds(self.now_ms() // 1000)
            self._store(
                resource,
                key,
                _replace(old, metadata=_replace(old.metadata, deletion_timestamp=now)),
                actor,
            )
        else:
            self._remove(resource, key, old, actor)

    def _merge[T: Object](self, resource: Resource[T], old: T, thing: T, *, status: bool) -> T:
        if status:
            only: T = _replace(old, status=thing.status)  # type: ignore[attr-defined]
            return only
        kept = _replace(
            thing.metadata,
            namespace=old.metadata.namespace,
            uid=old.metadata.uid,
            generation=old.metadata.generation,
            creation_timestamp=old.metadata.creation_timestamp,
            deletion_timestamp=old.metadata.deletion_timestamp,
        )
        changes: dict[str, object] = {"metadata": kept}
        if hasattr(old, "status"):
            changes["status"] = old.status
        merged: T = _replace(thing, **changes)
        added = set(kept.finalizers) - set(old.metadata.finalizers)
        if kept.deletion_timestamp is not None and added:
            raise Refused(
                422, "Invalid", f"metadata.finalizers: no new ones while deleting: {min(added)}"
            )
        self.admission.admit_change(resource, old, merged)
        return merged

    def _store[T: Object](self, resource: Resource[T], key: str, new: T, actor: str) -> T:
        old = self._objects[resource.kind][key]
        meta = new.metadata
        if meta.deletion_timestamp is not None and not meta.finalizers and resource.kind != "Pod":
            self._remove(resource, key, new, actor)
            return new
        if new == old:
            return new
        generation = meta.generation
        if resource.kind != "Node" and getattr(old, "spec", None) != getattr(new, "spec", None):
            generation = old.metadata.generation + 1
        stored: T = _replace(
            new,
            metadata=_replace(meta, resource_version=self._next_version(), generation=generation),
        )
        self._objects[resource.kind][key] = stored
        self._tell(Change(resource, MODIFIED, key, old, stored, self.version, actor))
        return stored

    def _remove(self, resource: Resource[Any], key: str, last: Any, actor: str) -> None:
        del self._objects[resource.kind][key]
        gone = _replace(
            last, metadata=_replace(last.metadata, resource_version=self._next_version())
        )
        self._tell(Change(resource, DELETED, key, last, gone, self.version, actor))

    def _check(
        self, resource: Resource[Any], key: str, meta: ObjectMeta, wanted: Preconditions | None
    ) -> None:
        if wanted is None:
            return
        if wanted.uid and wanted.uid != meta.uid:
            raise conflict(f"{resource.name}/{key}", "the uid in the precondition is another one")
        if wanted.version and wanted.version != meta.resource_version:
            raise conflict(f"{resource.name}/{key}", "the version in the precondition is old")

    def _grace(self, pod: Any, asked_s: int | None) -> int:
        if asked_s == 0 or not pod.spec.node_name or pod.status.phase in PHASE_ENDED:
            return 0
        own = pod.spec.termination_grace_period_seconds
        return asked_s if asked_s is not None else GRACE_DEFAULT_S if own is None else int(own)

    def _draw_name(self, resource: Resource[Any], namespace: str, stem: str) -> str:
        if not stem:
            raise invalid(resource.name, "metadata.name: a name is required")
        taken = self._objects[resource.kind]
        while True:
            name = f"{stem}{self._chance.name_suffix()}"
            if (f"{namespace}/{name}" if namespace else name) not in taken:
                return name

    def _next_version(self) -> str:
        self.version += 1
        return str(self.version)

    def _tell(self, change: Change) -> None:
        log = self._logs[change.resource.kind]
        if len(log) == LOG_MAX:
            self._oldest[change.resource.kind] = log[1].version
        log.append(change)
        subject = f"{change.resource.plural}/{change.key}"
        self.history.add(self.now_ms(), change.actor, change.verb, subject, str(change.version))
        for listener in self._listeners[change.resource.kind]:
            listener(change)


def _seconds(stamp: str) -> int:
    return int(datetime.fromisoformat(stamp).timestamp())


def _print_seconds(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ends_at_ms(meta: ObjectMeta) -> int:
    """Give the instant by which a marked object is to be gone."""
    assert meta.deletion_timestamp is not None
    return _seconds(meta.deletion_timestamp) * 1000
