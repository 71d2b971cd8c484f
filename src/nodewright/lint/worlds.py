"""A World made from manifests: what would happen if all of this were applied to an empty cluster.

Legacy pools are converted first. Limits and neighbours are left out, because a stream is rarely the
whole cluster: what is asked is only whether a pod alone can ever get a node.
"""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import DEFAULT
from nodewright.convert.stream import LegacyObject, convert_legacy
from nodewright.lint.raw import mapping, read_as
from nodewright.lint.stream import Stream
from nodewright.lint.views import PodView
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.kinds import BY_NAME, LEGACY
from nodewright.model.labels import AWS_GROUP
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import DaemonSet, Pod, PodSpec
from nodewright.model.world import World
from nodewright.state.manifests import Manifest

FALLBACK_REGION: Final = "us-east-1"
_LEGACY: Final = frozenset((kind.api_version, kind.kind) for kind in LEGACY)


def build_world(stream: Stream, pods: Iterable[tuple[str, PodView]]) -> World:
    """Give an empty cluster with the pools of a stream and one pod for each workload."""
    pools, classes = _resources(stream)
    by_name = {one.metadata.name: one for one in classes}
    region = stream.region or FALLBACK_REGION
    types: dict[str, tuple[InstanceType, ...]] = {}
    for pool in pools:
        reference = pool.spec.template.spec.node_class_ref
        if reference.group in ("", AWS_GROUP) and reference.kind in ("", "EC2NodeClass"):
            types[pool.metadata.name] = _types_of(region, by_name.get(reference.name))
    read = [(name, _read_pod(name, pod)) for name, pod in pods]
    return World(
        now_ms=0,
        pods=tuple(pod for _, pod in read if pod is not None),
        node_pools=tuple(pools),
        node_classes=tuple(classes),
        daemon_sets=tuple(_daemon_sets(stream)),
        instance_types=types,
    )


def _resources(stream: Stream) -> tuple[list[NodePool], list[EC2NodeClass]]:
    today: list[Any] = []
    legacy: list[LegacyObject] = []
    for manifest in stream.manifests:
        kind = BY_NAME.get((manifest.api_version, manifest.kind))
        if kind is None:
            continue
        read = _read(manifest, kind.struct)
        if read is None:
            continue
        if (manifest.api_version, manifest.kind) in _LEGACY:
            legacy.append(read)
        else:
            today.append(read)
    today += [made.object for made in convert_legacy(legacy).made]
    pools = {one.metadata.name: _unlimited(one) for one in today if isinstance(one, NodePool)}
    classes = [one for one in today if isinstance(one, EC2NodeClass)]
    return list(pools.values()), classes


def _unlimited(pool: NodePool) -> NodePool:
    spec = msgspec.structs.replace(pool.spec, limits=None)
    return NodePool(metadata=pool.metadata, spec=spec)


def _read(manifest: Manifest, struct: Any) -> Any:
    try:
        return read_as(manifest.raw, struct)
    except msgspec.ValidationError:
        return None  # The rule about types has said so.


def _types_of(region: str, node_class: EC2NodeClass | None) -> tuple[InstanceType, ...]:
    try:
        settings = settings_of(node_class) if node_class is not None else DEFAULT
        return instance_types_for(region, settings)
    except UserError:
        # Kubelet settings that cannot be read are a finding of their own.
        return instance_types_for(region, DEFAULT)


def _read_pod(name: str, pod: PodView) -> Pod | None:
    try:
        spec = read_as(pod.spec, PodSpec)
    except msgspec.ValidationError:
        return None  # Not ours to judge: the API server says what is wrong with a pod.
    labels = mapping(pod.metadata.get("labels"))
    plain = {key: value for key, value in labels.items() if isinstance(value, str)}
    spec = msgspec.structs.replace(spec, node_name="", volumes=(), topology_spread_constraints=())
    namespace = pod.manifest.namespace or "default"
    return Pod(metadata=ObjectMeta(name=name, namespace=namespace, labels=plain), spec=spec)


def _daemon_sets(stream: Stream) -> Iterable[DaemonSet]:
    for manifest in stream.of_kind("DaemonSet"):
        read = _read(manifest, DaemonSet)
        if read is not None:
            yield read
