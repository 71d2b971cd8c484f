"""What is on sale for each pool, as the cloud says it now."""

from collections.abc import Iterable

from nodewright.controllers.ports import Ports
from nodewright.model.instance import InstanceType
from nodewright.model.nodeclass import ClassKey, key_of_reference
from nodewright.model.nodepool import NodePool
from nodewright.state.live import find_class, is_served

type OnSale = dict[str, tuple[InstanceType, ...]]


async def ask_for_types(ports: Ports, pools: Iterable[NodePool]) -> OnSale | None:
    """Give the types of each pool that is ours; nothing where the cloud does not answer."""
    found: OnSale = {}
    by_class: dict[ClassKey, tuple[InstanceType, ...]] = {}
    for pool in pools:
        reference = pool.spec.template.spec.node_class_ref
        if not is_served(ports.mirror, reference):
            continue
        key = key_of_reference(reference)
        if key not in by_class:
            answer = await ports.cloud.instance_types(find_class(ports.mirror, reference))
            if not isinstance(answer, tuple):
                return None
            by_class[key] = answer
        found[pool.metadata.name] = by_class[key]
    return found
