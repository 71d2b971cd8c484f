"""A World out of objects: what a decision may know, as far as checkers and small autoscalers need it."""

from collections.abc import Callable, Iterable
from typing import Any

from nodewright.model import resource as kinds
from nodewright.model.instance import InstanceType
from nodewright.model.resource import Resource
from nodewright.model.world import Options, World


def build_world(
    each: Callable[[Resource[Any]], Iterable[Any]],
    types: tuple[InstanceType, ...],
    now_ms: int,
    options: Options = Options(),  # noqa: B008 - frozen.
) -> World:
    """Give the World of all objects at an instant, with these types on sale in every pool."""
    pools = tuple(each(kinds.NODE_POOLS))
    return World(
        now_ms=now_ms,
        pods=tuple(each(kinds.PODS)),
        nodes=tuple(each(kinds.NODES)),
        node_claims=tuple(each(kinds.NODE_CLAIMS)),
        node_pools=pools,
        daemon_sets=tuple(each(kinds.DAEMON_SETS)),
        namespaces=tuple(each(kinds.NAMESPACES)),
        volume_claims=tuple(each(kinds.VOLUME_CLAIMS)),
        volumes=tuple(each(kinds.VOLUMES)),
        storage_classes=tuple(each(kinds.STORAGE_CLASSES)),
        csi_nodes=tuple(each(kinds.CSI_NODES)),
        volume_attachments=tuple(each(kinds.VOLUME_ATTACHMENTS)),
        disruption_budgets=tuple(each(kinds.DISRUPTION_BUDGETS)),
        instance_types={pool.metadata.name: types for pool in pools},
        options=options,
    )
