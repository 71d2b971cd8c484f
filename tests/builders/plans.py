"""Plans, for whoever judges, prints or compares them."""

from collections.abc import Mapping, Sequence

from builders.labels import Want, want
from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.labels import NODEPOOL, ZONE
from nodewright.model.plan import ChosenOffering, FilledNode, Plan, PlannedNode, Unplaced
from nodewright.model.pod import Pod
from nodewright.model.quantity import Resources, add, parse_resources
from nodewright.model.requirements import Requirements


def a_planned_node(
    pods: Sequence[Pod],
    types: Sequence[InstanceType],
    *,
    pool: str = "default",
    zone: str = "",
    requirements: Sequence[Want] = (),
    requests: Resources | None = None,
    offering: ChosenOffering | None = None,
) -> PlannedNode:
    """A node to be made, at the cheapest offering of its types (in `zone`, where given)."""
    wanted = [want(NODEPOOL, "In", pool), *requirements]
    if zone:
        wanted.append(want(ZONE, "In", zone))
    on_sale = [
        (not one.is_reserved, one.price, kind.name, one.zone, one.capacity_type)
        for kind in types
        for one in kind.offerings
        if one.available and zone in ("", one.zone)
    ]
    _, price, name, where, how = min(on_sale)
    asked = [
        parse_resources(container.resources.requests)
        for pod in pods
        for container in pod.spec.containers
    ]
    return PlannedNode(
        node_pool=pool,
        pods=tuple(pod.key for pod in pods),
        instance_types=tuple(kind.name for kind in types),
        offering=offering or ChosenOffering(name, where, how, price),
        requirements=Requirements.from_expressions(wanted),
        requests=requests or add(*asked, {"pods": 1000 * len(pods)}),
    )


def a_plan(
    *new: PlannedNode,
    existing: Mapping[str, Sequence[Pod]] | None = None,
    left_out: Sequence[Pod] = (),
    price: int | None = None,
) -> Plan:
    """A plan of these new nodes, pods on existing nodes by name, and pods left out."""
    return Plan(
        new_nodes=new,
        existing_nodes=tuple(
            FilledNode(name, tuple(pod.key for pod in pods))
            for name, pods in (existing or {}).items()
        ),
        unschedulable={
            pod.key: Unplaced(summary="nothing fits", code="NW-1001") for pod in left_out
        },
        price=NanoUSD(sum(node.offering.price for node in new) if price is None else price),
    )
