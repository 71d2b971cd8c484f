"""What must hold between the objects of a snapshot before anything is decided on them."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.pod import TopologySpreadConstraint
from nodewright.model.world import World
from nodewright.state.kinds import FIELDS


class Problem(msgspec.Struct, frozen=True):
    """A contradiction in a snapshot: where it is, and what is wrong."""

    path: str
    sentence: str


type Paths = Mapping[str, Sequence[str]]


def check_world(world: World, paths: Paths, *, is_taken: bool = False) -> Problem | None:
    """Tell the first contradiction between objects, or nothing.

    A cluster from which a snapshot is taken may well show a pod on a node that is gone or not seen
    yet; written by hand it is a slip.
    """
    return (
        _duplicate(world, paths)
        or (None if is_taken else _lost_pod(world, paths))
        or _poolless(world, paths)
        or _owner_cycle(world, paths)
    )


def _duplicate(world: World, paths: Paths) -> Problem | None:
    for field, field_paths in paths.items():
        seen: dict[tuple[str, str], str] = {}
        objects: Sequence[Struct] = getattr(world, field)
        for one, path in zip(objects, field_paths, strict=True):
            metadata: ObjectMeta = one.metadata  # type: ignore[attr-defined]
            namespace = metadata.namespace or ("default" if FIELDS[field].namespaced else "")
            key = (namespace, metadata.name)
            if key in seen:
                name = "/".join(part for part in key if part)
                kind = type(one).__name__
                return Problem(
                    f"{path}.metadata.name",
                    f"a {kind} named {name} is already at {seen[key]}; names must differ",
                )
            seen[key] = path
    return None


def _lost_pod(world: World, paths: Paths) -> Problem | None:
    nodes = {node.metadata.name for node in world.nodes}
    for pod, path in zip(world.pods, paths["pods"], strict=True):
        if pod.spec.node_name and pod.spec.node_name not in nodes:
            return Problem(
                f"{path}.spec.nodeName",
                f"pod {pod.key} is on node {pod.spec.node_name}, which is not in the snapshot; "
                "add the Node or remove spec.nodeName",
            )
    return None


def _poolless(world: World, paths: Paths) -> Problem | None:
    pools = {pool.metadata.name for pool in world.node_pools}
    for name in world.instance_types:
        if name not in pools:
            return Problem(f"instanceTypes.{name}", f"no NodePool in the snapshot is named {name}")
    for pool, path in zip(world.node_pools, paths["node_pools"], strict=True):
        reference = pool.spec.template.spec.node_class_ref
        if not reference.name and pool.metadata.name not in world.instance_types:
            return Problem(
                f"{path}.spec.template.spec.nodeClassRef",
                f"NodePool {pool.metadata.name} refers to no NodeClass and has no entry under "
                "instanceTypes; give it one of the two",
            )
    return None


def _owner_cycle(world: World, paths: Paths) -> Problem | None:
    owners: dict[str, tuple[str, ...]] = {}
    where: dict[str, str] = {}
    for field, field_paths in paths.items():
        objects: Sequence[Struct] = getattr(world, field)
        for one, path in zip(objects, field_paths, strict=True):
            metadata: ObjectMeta = one.metadata  # type: ignore[attr-defined]
            if metadata.uid and metadata.owner_references:
                owners[metadata.uid] = tuple(owner.uid for owner in metadata.owner_references)
                where[metadata.uid] = path
    settled: set[str] = set()
    for start in owners:
        trail: dict[str, None] = {}
        stack = [(start, iter(owners.get(start, ())))]
        trail[start] = None
        while stack:
            uid, rest = stack[-1]
            parent = next(rest, None)
            if parent is None:
                settled.add(uid)
                trail.pop(uid, None)
                stack.pop()
            elif parent in trail:
                return Problem(
                    f"{where[uid]}.metadata.ownerReferences",
                    "the owners of this object lead back to itself; remove the cycle",
                )
            elif parent in owners and parent not in settled:
                trail[parent] = None
                stack.append((parent, iter(owners[parent])))
    return None


def constraint_fault(constraints: Iterable[TopologySpreadConstraint]) -> str:
    """Tell what is wrong with default constraints, or nothing."""
    seen: set[tuple[str, str]] = set()
    for one in constraints:
        if one.label_selector is not None or one.match_label_keys:
            return "a default constraint has no labelSelector and no matchLabelKeys"
        if one.max_skew <= 0:
            return "maxSkew is 1 or more"
        if (one.topology_key, one.when_unsatisfiable) in seen:
            return f"{one.topology_key} {one.when_unsatisfiable} stands twice"
        seen.add((one.topology_key, one.when_unsatisfiable))
    return ""
