"""Node groups of Cluster Autoscaler: as a file gives them, or drawn from pools where nobody does.

Drawn ones have, for each category of machines that a pool allows, the type of eight vCPUs that is cheapest,
bought as spot where the pool allows that. They stand for what people set up by hand; whoever compares in
earnest gives their own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.core.scheduling.pools import pool_requirements
from nodewright.forecast.setup import CODE
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ON_DEMAND, SPOT, ZONE
from nodewright.model.metadata import Taint
from nodewright.model.nodepool import NodePool

GROUP_LABEL: Final = "eks.amazonaws.com/nodegroup"
EXPANDERS: Final = ("least-waste", "most-pods", "price", "random")
_CORES: Final = 8_000
_CATEGORY: Final = "karpenter.k8s.aws/instance-category"


class Words(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A part of the file; unknown fields are refused."""


class Group(Words, frozen=True):
    """Machines of one type that grow and shrink together."""

    name: str
    instance_type: str
    min: int = 0
    max: int = 1_000
    capacity_type: str = ON_DEMAND
    zones: tuple[str, ...] = ()
    labels: Mapping[str, str] = {}
    taints: tuple[Taint, ...] = ()


class Autoscaling(Words, frozen=True):
    """Groups, and the settings that Cluster Autoscaler has; times are seconds."""

    groups: tuple[Group, ...]
    expander: str = "least-waste"
    scan_interval: int = 10
    scale_down_utilization_threshold: float = 0.5
    scale_down_unneeded_time: int = 600
    scale_down_delay_after_add: int = 600
    max_empty_bulk_delete: int = 10
    node_group_backoff: int = 300


def read_groups(document: Any, where: str, types: Sequence[InstanceType]) -> Autoscaling:
    """Read node groups out of plain data."""
    try:
        found = msgspec.convert(document, Autoscaling, strict=False)
    except msgspec.ValidationError as error:
        raise UserError(f"holds no node groups: {error}", code=CODE, where=where) from None
    known = {one.name for one in types}
    for group in found.groups:
        if group.instance_type not in known:
            sentence = f"group {group.name}: no {group.instance_type} is on sale in the region"
            raise UserError(sentence, code=CODE, where=where)
        if not 0 <= group.min <= group.max:
            sentence = f"group {group.name}: min {group.min} and max {group.max} are no range"
            raise UserError(sentence, code=CODE, where=where)
    if found.expander not in EXPANDERS:
        advice = f"known are {', '.join(EXPANDERS)}"
        sentence = f"{found.expander!r} is no expander"
        raise UserError(sentence, code=CODE, where=where, advice=advice)
    if not found.groups:
        raise UserError("has no group", code=CODE, where=where)
    return found


def draw_groups(pools: Sequence[NodePool], types: Sequence[InstanceType]) -> Autoscaling:
    """Give groups that stand for some pools."""
    groups: list[Group] = []
    for pool in pools:
        wanted = pool_requirements(pool)
        by_category: dict[str, list[InstanceType]] = {}
        for one in types:
            if one.requirements.conflict(wanted) is None:
                category = one.requirements.labels().get(_CATEGORY, "")
                by_category.setdefault(category, []).append(one)
        allowed = wanted.get(CAPACITY_TYPE)
        capacity_type = SPOT if allowed is not None and allowed.has(SPOT) else ON_DEMAND
        template = pool.spec.template
        for category, ones in sorted(by_category.items()):
            chosen = min(
                ones, key=lambda one: (_distance(one), _price(one, capacity_type), one.name)
            )
            groups.append(
                Group(
                    name=f"{pool.metadata.name}-{category or 'any'}",
                    instance_type=chosen.name,
                    capacity_type=capacity_type,
                    labels=dict(template.metadata.labels),
                    taints=template.spec.taints,
                )
            )
    return Autoscaling(tuple(groups))


def _distance(one: InstanceType) -> int:
    return abs(one.capacity.get("cpu", 0) - _CORES)


def _price(one: InstanceType, capacity_type: str) -> int:
    return min(
        (offer.price for offer in one.offerings if offer.capacity_type == capacity_type),
        default=1 << 62,
    )


def pool_of(group: Group) -> NodePool:
    """Give a pool that makes the machines of a group, for planning with."""
    requirements: list[dict[str, Any]] = [
        {"key": INSTANCE_TYPE, "operator": "In", "values": [group.instance_type]},
        {"key": CAPACITY_TYPE, "operator": "In", "values": [group.capacity_type]},
    ]
    if group.zones:
        requirements.append({"key": ZONE, "operator": "In", "values": list(group.zones)})
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    spec = {
        "nodeClassRef": reference,
        "requirements": requirements,
        "taints": [msgspec.to_builtins(one) for one in group.taints],
    }
    labels = {**group.labels, GROUP_LABEL: group.name}
    return msgspec.convert(
        {
            "metadata": {"name": group.name},
            "spec": {"template": {"metadata": {"labels": labels}, "spec": spec}},
        },
        NodePool,
        strict=False,
    )
