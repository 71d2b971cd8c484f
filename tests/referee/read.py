"""Reads what `plan -o json` prints, ours or another's, back into a Plan."""

import json
from collections.abc import Mapping
from typing import Any

from nodewright.model.instance import NANO, NanoUSD
from nodewright.model.metadata import NodeSelectorRequirement
from nodewright.model.plan import (
    ChosenOffering,
    FilledNode,
    Plan,
    PlannedNode,
    PoolRefusal,
    Unplaced,
)
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements


def read_plan(text: str | bytes) -> Plan:
    """Read a printed plan."""
    told = json.loads(text)
    return Plan(
        new_nodes=tuple(map(_planned, told.get("newNodes") or ())),
        existing_nodes=tuple(
            FilledNode(one["name"], tuple(one["pods"])) for one in told.get("existingNodes") or ()
        ),
        unschedulable={
            key: _unplaced(one) for key, one in (told.get("unschedulable") or {}).items()
        },
        price=_money(told.get("pricePerHour", 0)),
    )


def _money(price: float) -> NanoUSD:
    return NanoUSD(round(price * NANO))


def _planned(one: Mapping[str, Any]) -> PlannedNode:
    offering = one.get("offering") or {}
    return PlannedNode(
        node_pool=one["nodePool"],
        pods=tuple(one["pods"]),
        instance_types=tuple(one["instanceTypes"]),
        offering=ChosenOffering(
            instance_type=offering.get("instanceType", ""),
            zone=offering.get("zone", ""),
            capacity_type=offering.get("capacityType", ""),
            price=_money(offering.get("price", 0)),
        ),
        requirements=Requirements.from_expressions(
            NodeSelectorRequirement(
                key=entry["key"],
                operator=entry["operator"],
                values=tuple(entry.get("values") or ()),
                min_values=entry.get("minValues"),
            )
            for entry in one.get("requirements") or ()
        ),
        requests=parse_resources(one.get("requests") or {}),
    )


def _unplaced(one: Mapping[str, Any] | str) -> Unplaced:
    if isinstance(one, str):
        return Unplaced(summary=one, code="")
    return Unplaced(
        summary=one.get("summary", ""),
        code=one.get("code", ""),
        deferred=bool(one.get("deferred")),
        node_pools=tuple(
            PoolRefusal(
                name=pool.get("name", ""),
                code=pool.get("code", ""),
                reason=pool.get("reason", ""),
                detail=pool.get("detail") or {},
            )
            for pool in one.get("nodePools") or ()
        ),
    )
