"""The mirror: what the API server last told us, by kind, with indexes.

Only what was listed or watched is written here; decisions read it. A kind is *synced* once its first
list is complete, and stays so: later trouble makes it old, not wrong. An object that cannot be read
into its struct takes the place of its older self among the *unreadable*, so that nobody decides on
what is no longer true. Every write gives back what changed, in order.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec

from nodewright.model.command import COMMAND, DISRUPTION_REASON
from nodewright.model.labels import DISRUPTED_TAINT, NODEPOOL
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import (
    NODE_CLAIMS,
    NODES,
    PODS,
    VOLUME_ATTACHMENTS,
    WATCHED,
    Object,
    Resource,
    key_of,
)
from nodewright.model.volume import VolumeAttachment

BY_NODE: Final = "node"
BY_OWNER: Final = "owner"
BY_NAMESPACE: Final = "namespace"
BY_PROVIDER_ID: Final = "providerID"
BY_POOL: Final = "nodepool"
BY_WAITING: Final = "waiting"
BY_NOMINATED: Final = "nominatedNodeName"
BY_UNFINISHED: Final = "unfinished"
BY_MARK: Final = "mark"
YES: Final = "yes"
"""The one value of indexes that tell of objects whether something holds."""


_YES: Final = (YES,)

type Values = tuple[str, ...]
type Read = Callable[[Any], Values]


class Change(msgspec.Struct, frozen=True):
    """One object as it was and as it is; None where there was or is none."""

    resource: Resource[Any]
    key: str
    old: Object | None
    new: Object | None


class Unreadable(msgspec.Struct, frozen=True):
    """An object that is there and does not fit its struct."""

    key: str
    version: str
    problem: str


def _pod_node(pod: Pod) -> Values:
    return (pod.spec.node_name,) if pod.spec.node_name else ()


def _waiting(pod: Pod) -> Values:
    return () if pod.spec.node_name else (pod.metadata.uid,)


def _nominated_node(pod: Pod) -> Values:
    named = pod.status.nominated_node_name
    return (named,) if named and not pod.spec.node_name else ()


def _attachment_node(attachment: VolumeAttachment) -> Values:
    return (attachment.spec.node_name,)


def _claim_node(claim: NodeClaim) -> Values:
    return (claim.status.node_name,) if claim.status.node_name else ()


def _unfinished(claim: NodeClaim) -> Values:
    """Tell whether a claim is on its way to a node that works."""
    if claim.metadata.deletion_timestamp is not None:
        return ()
    for one in claim.status.conditions:
        if one.type == "Initialized":
            return () if one.status == "True" else _YES
    return _YES


def _claim_mark(claim: NodeClaim) -> Values:
    """Tell whether a command is about a claim."""
    if COMMAND in claim.metadata.annotations:
        return _YES
    return _YES if any(one.type == DISRUPTION_REASON for one in claim.status.conditions) else ()


def _node_mark(node: Node) -> Values:
    """Tell whether a node is to go and nobody has deleted it yet."""
    if node.metadata.deletion_timestamp is not None:
        return ()
    return _YES if any(one.key == DISRUPTED_TAINT for one in node.spec.taints) else ()


def _node_provider(node: Node) -> Values:
    return (node.spec.provider_id,) if node.spec.provider_id else ()


def _claim_provider(claim: NodeClaim) -> Values:
    return (claim.status.provider_id,) if claim.status.provider_id else ()


def _pool(thing: Object) -> Values:
    pool = thing.metadata.labels.get(NODEPOOL)
    return (pool,) if pool else ()


def _owners(thing: Object) -> Values:
    owners = thing.metadata.owner_references
    if len(owners) == 1:
        return (owners[0].uid,)
    return tuple([one.uid for one in owners])


def _namespace(thing: Object) -> Values:
    return (thing.metadata.namespace,)


_SPECIAL: Final[dict[str, dict[str, Read]]] = {
    PODS.name: {BY_NODE: _pod_node, BY_WAITING: _waiting, BY_NOMINATED: _nominated_node},
    VOLUME_ATTACHMENTS.name: {BY_NODE: _attachment_node},
    NODES.name: {BY_PROVIDER_ID: _node_provider, BY_POOL: _pool, BY_MARK: _node_mark},
    NODE_CLAIMS.name: {
        BY_NODE: _claim_node,
        BY_PROVIDER_ID: _claim_provider,
        BY_POOL: _pool,
        BY_UNFINISHED: _unfinished,
        BY_MARK: _claim_mark,
    },
}


def _indexes_of(resource: Resource[Any]) -> dict[str, Read]:
    shared: dict[str, Read] = {BY_OWNER: _owners}
    if resource.namespaced:
        shared[BY_NAMESPACE] = _namespace
    return shared | _SPECIAL.get(resource.name, {})


class _Shelf:
    """All objects of one kind."""

    def __init__(self, resource: Resource[Any]) -> None:
        self.resource = resource
        self.objects: dict[str, Any] = {}
        self.unreadable: dict[str, Unreadable] = {}
        self.version = ""
        self.synced = False
        self.absent = False
        self.keys: list[str] = []
        self.in_order: tuple[Any, ...] | None = ()
        self.indexes: dict[str, dict[str, set[str]]] = {}
        self.reads: list[tuple[Read, dict[str, set[str]]]] = []
        for name, read in _indexes_of(resource).items():
            index = self.indexes[name] = {}
            self.reads.append((read, index))

    def put(self, key: str, new: Any | None) -> Change | None:
        """Put an object in the place of its older self, or take it away."""
        old = self.objects.get(key)
        if new is None:
            if old is None:
                return None
            del self.objects[key]
            del self.keys[bisect_left(self.keys, key)]
        else:
            if old is None:
                insort(self.keys, key)
            self.objects[key] = new
        self.in_order = None
        for read, index in self.reads:
            was = read(old) if old is not None else ()
            now = read(new) if new is not None else ()
            if was != now:
                for value in was:
                    _take_out(index, value, key)
                for value in now:
                    index.setdefault(value, set()).add(key)
        return Change(self.resource, key, old, new)


def _take_out(index: dict[str, set[str]], value: str, key: str) -> None:
    bucket = index.get(value)
    if bucket is not None:
        bucket.discard(key)
        if not bucket:
            del index[value]


class Mirror:
    """Everything that is known of a cluster; written by reflectors, read by everybody."""

    def __init__(self, resources: Iterable[Resource[Any]] = WATCHED) -> None:
        self._shelves = {resource.name: _Shelf(resource) for resource in resources}
        self._derived: dict[str, tuple[tuple[Any, ...], Any]] = {}
        self.revision = 0
        self.kubernetes_minor: int | None = None

    @property
    def resources(self) -> tuple[Resource[Any], ...]:
        """The kinds that are mirrored."""
        return tuple(shelf.resource for shelf in self._shelves.values())

    def replace(
        self,
        resource: Resource[Any],
        found: Iterable[Object | Unreadable],
        version: str,
        *,
        absent: bool = False,
    ) -> tuple[Change, ...]:
        """Take a complete list, true at a version, and give what it changed.

        `absent` says that the cluster does not know the kind; an optional kind counts as synced
        then, any other does not.
        """
        shelf = self._shelves[resource.name]
        readable: dict[str, Object] = {}
        unreadable: dict[str, Unreadable] = {}
        for each in found:
            if isinstance(each, Unreadable):
                unreadable[each.key] = each
            else:
                readable[key_of(each.metadata)] = each
        changes = [shelf.put(key, None) for key in list(shelf.objects) if key not in readable]
        for key, thing in readable.items():
            old = shelf.objects.get(key)
            if old is None or not _is_same(old, thing):
                changes.append(shelf.put(key, thing))
        shelf.unreadable = unreadable
        shelf.version = version
        shelf.absent = absent
        shelf.synced = resource.optional or not absent
        self.revision += 1
        return tuple(change for change in changes if change is not None)

    def put(
        self, resource: Resource[Any], thing: Object | Unreadable, version: str
    ) -> Change | None:
        """Take an object that was added or changed."""
        shelf = self._shelves[resource.name]
        shelf.version = version
        self.revision += 1
        if isinstance(thing, Unreadable):
            shelf.unreadable[thing.key] = thing
            return shelf.put(thing.key, None)
        key = key_of(thing.metadata)
        shelf.unreadable.pop(key, None)
        return shelf.put(key, thing)

    def remove(self, resource: Resource[Any], key: str, version: str) -> Change | None:
        """Take note that an object is gone."""
        shelf = self._shelves[resource.name]
        shelf.version = version
        shelf.unreadable.pop(key, None)
        self.revision += 1
        return shelf.put(key, None)

    def reach(self, resource: Resource[Any], version: str) -> None:
        """Take note that nothing of this kind has changed up to a version."""
        self._shelves[resource.name].version = version

    def get[T: Object](self, resource: Resource[T], key: str) -> T | None:
        """Give one object by `namespace/name` or name."""
        found: T | None = self._shelves[resource.name].objects.get(key)
        return found

    def all[T: Object](self, resource: Resource[T]) -> tuple[T, ...]:
        """Give every object of a kind in the order of their names."""
        shelf = self._shelves[resource.name]
        if shelf.in_order is None:
            shelf.in_order = tuple(map(shelf.objects.__getitem__, shelf.keys))
        return shelf.in_order

    def has(self, resource: Resource[Any]) -> bool:
        """Tell whether a kind is mirrored."""
        return resource.name in self._shelves

    def count(self, resource: Resource[Any]) -> int:
        """Tell how many objects of a kind there are."""
        return len(self._shelves[resource.name].objects)

    def find[T: Object](self, resource: Resource[T], index: str, value: str) -> tuple[T, ...]:
        """Give the objects that an index knows under a value, in the order of their names."""
        shelf = self._shelves[resource.name]
        bucket = shelf.indexes[index].get(value)
        if bucket is not None and len(bucket) == 1:
            return (shelf.objects[next(iter(bucket))],)
        return tuple([shelf.objects[key] for key in sorted(bucket)]) if bucket else ()

    def values(self, resource: Resource[Any], index: str) -> tuple[str, ...]:
        """Give the values that an index knows, in order."""
        return tuple(sorted(self._shelves[resource.name].indexes[index]))

    def learn_version(self, version: str) -> None:
        """Take note of the cluster's version, such as v1.34.4: older objects are read for it."""
        minor = version.removeprefix("v").split(".")[1:2]
        known = int(minor[0]) if minor and minor[0].isdecimal() else None
        if known != self.kubernetes_minor:
            self.kubernetes_minor = known
            self._derived.clear()

    def count_values(self, resource: Resource[Any], index: str) -> int:
        """Tell how many values an index knows."""
        return len(self._shelves[resource.name].indexes[index])

    def derive(self, name: str, resources: Iterable[Resource[Any]], make: Callable[[], Any]) -> Any:
        """Give what is made of some kinds; it is made anew only when one of them has changed."""
        seen = tuple(self.all(one) for one in resources)
        known = self._derived.get(name)
        is_old = known is None or len(known[0]) != len(seen)
        if known is None or is_old or any(a is not b for a, b in zip(known[0], seen, strict=True)):
            known = self._derived[name] = (seen, make())
        return known[1]

    def unreadable(self, resource: Resource[Any]) -> tuple[Unreadable, ...]:
        """Give what could not be read of a kind, in the order of the names."""
        found = self._shelves[resource.name].unreadable
        return tuple(found[key] for key in sorted(found))

    def version(self, resource: Resource[Any]) -> str:
        """Give the resourceVersion up to which a kind is known."""
        return self._shelves[resource.name].version

    def is_known(self, resource: Resource[Any]) -> bool:
        """Tell whether the cluster serves a kind, as far as it was asked."""
        shelf = self._shelves[resource.name]
        return shelf.synced and not shelf.absent

    def missing(self) -> tuple[str, ...]:
        """Name the kinds that the cluster does not serve and that nobody can do without."""
        return tuple(
            name
            for name, shelf in self._shelves.items()
            if shelf.absent and not shelf.resource.optional
        )

    def waiting_for(self) -> tuple[str, ...]:
        """Name the kinds whose first list is not complete; none means synced."""
        return tuple(name for name, shelf in self._shelves.items() if not shelf.synced)


def _is_same(old: Object, new: Object) -> bool:
    return (
        old.metadata.resource_version == new.metadata.resource_version
        and old.metadata.uid == new.metadata.uid
        and bool(new.metadata.resource_version)
    )
