"""The plan as a value: what the board came to, with types cheapest first and prices summed."""

from collections.abc import Mapping

import msgspec

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.supply import Bits
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import CAPACITY_TYPE, RESERVED
from nodewright.model.plan import ChosenOffering, FilledNode, Plan, PlannedNode, Unplaced
from nodewright.model.quantity import Milli, Resources
from nodewright.model.requirements import Requirement, Requirements


def write_plan(filling: Filling, unplaced: Mapping[str, Unplaced], reservation_key: str) -> Plan:
    """Turn a finished board into a plan."""
    board = filling.board
    for limits in board.limits.values():
        limits.finish(len(board.drafts))
    new_nodes = tuple(
        _planned(board, draft, filling, reservation_key)
        for draft in board.drafts
        if draft.pod_count
    )
    existing = tuple(
        FilledNode(host.name, tuple(pod.key for pod in host.placed))
        for host in board.hosts
        if host.placed
    )
    return Plan(
        new_nodes=new_nodes,
        existing_nodes=existing,
        unschedulable=dict(sorted(unplaced.items())),
        price=NanoUSD(sum(node.offering.price for node in new_nodes)),
    )


def final_bits(board: Board, draft: Draft) -> Bits:
    """Give the ways that a draft may really be bought in, limits and reservations included."""
    bits = draft.bits
    if draft.held:
        bits &= board.reservations.of(draft.supply, draft.held)
    limits = board.limits.get(draft.supply)
    return limits.cut(draft, bits) if limits is not None else bits


def _planned(board: Board, draft: Draft, filling: Filling, reservation_key: str) -> PlannedNode:
    supply = draft.supply
    bits = final_bits(board, draft)
    way = supply.ways[(bits & -bits).bit_length() - 1]
    return PlannedNode(
        node_pool=supply.name,
        pods=tuple(pod.key for pod in filling.pods_of[draft.number]),
        instance_types=supply.alive_names(bits),
        offering=ChosenOffering(
            instance_type=supply.types[way.type_index].name,
            zone=way.offering.zone,
            capacity_type=way.offering.capacity_type,
            price=way.offering.price,
            price_is_estimate=way.offering.price_is_estimate,
        ),
        requirements=_requirements(draft, reservation_key),
        requests=_requests(board, draft, supply.least_daemons(bits)),
        min_values_relaxed=draft.min_values_relaxed,
    )


def _requirements(draft: Draft, reservation_key: str) -> Requirements:
    if not draft.held and not draft.min_values:
        return draft.state.requirements
    requirements = [
        _with_min_values(one, draft.min_values) for one in draft.state.requirements.values()
    ]
    if draft.held:
        requirements = [one for one in requirements if one.key != CAPACITY_TYPE]
        requirements.append(Requirement(CAPACITY_TYPE, False, frozenset((RESERVED,))))
        requirements.append(Requirement(reservation_key, False, draft.held))
    return Requirements(requirements)


def _with_min_values(one: Requirement, min_values: Mapping[str, int]) -> Requirement:
    if one.key not in min_values or one.min_values == min_values[one.key]:
        return one
    return msgspec.structs.replace(one, min_values=min_values[one.key])


def _requests(board: Board, draft: Draft, daemons: Resources) -> Resources:
    totals: dict[str, Milli] = dict(zip(board.resources, draft.totals, strict=True))
    for name, amount in daemons.items():
        totals[name] = totals.get(name, 0) + amount
    return {name: amount for name, amount in totals.items() if amount}
