"""Pools as rows: what they have, what they may have, and what their budgets leave."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from nodewright.core.disruption.budgets import is_spent
from nodewright.core.disruption.candidates import Census, name_of
from nodewright.core.scheduling.limits import NODES
from nodewright.model.disruption import Allowance, Memory
from nodewright.model.labels import SPOT
from nodewright.model.nodepool import NodePool
from nodewright.model.quantity import MILLI, BadQuantity, Milli, parse_resources
from nodewright.view.values import Amount, BudgetRow, LimitRow, NodeRow, PoolRow

SPENDERS_MAX: Final = 20
_GOING: Final = ("Draining", "Terminating", "Deleting")


def list_pools(
    census: Census,
    memory: Memory,
    allowances: Sequence[Allowance],
    nodes: Sequence[NodeRow],
) -> tuple[PoolRow, ...]:
    """Give a row for every pool, in order of their names."""
    by_pool: dict[str, list[NodeRow]] = {name: [] for name in census.pools}
    for row in nodes:
        if row.node_pool in by_pool:
            by_pool[row.node_pool].append(row)
    spenders = _spenders(census, memory)
    held = _held(census)
    return tuple(
        _row(census, pool, by_pool[name], (allowances, spenders.get(name, []), held.get(name, {})))
        for name, pool in sorted(census.pools.items())
    )


def _row(
    census: Census,
    pool: NodePool,
    nodes: Sequence[NodeRow],
    rest: tuple[Sequence[Allowance], list[str], Mapping[str, Milli]],
) -> PoolRow:
    allowances, spenders, held = rest
    name = pool.metadata.name
    policy = census.policies[name]
    paid = [one for one in nodes if one.price_nanousd_hour is not None]
    return PoolRow(
        name=name,
        node_class=pool.spec.template.spec.node_class_ref.name,
        weight=pool.spec.weight,
        nodes=sum(one.is_node for one in nodes),
        spot=sum(one.is_node and one.capacity_type == SPOT for one in nodes),
        claims=sum(not one.is_node for one in nodes),
        going=sum(one.state in _GOING for one in nodes),
        cpu=add_amounts([one.cpu for one in nodes]),
        memory=add_amounts([one.memory for one in nodes]),
        limits=tuple(_limits(pool, held)),
        budgets=tuple(_budget(one) for one in allowances if one.node_pool == name),
        spenders=tuple(sorted(spenders)[:SPENDERS_MAX]),
        paused_until_ms=policy.paused_until_ms,
        pause_reason=policy.pause_reason,
        price_nanousd_hour=sum(one.price_nanousd_hour or 0 for one in paid),
        idle_nanousd_hour=sum(one.idle_nanousd_hour or 0 for one in paid),
        unpriced=sum(one.is_node for one in nodes) - sum(one.is_node for one in paid),
    )


def add_amounts(amounts: Sequence[Amount]) -> Amount:
    """Sum amounts; use is known where it is known of all that have any."""
    used: Milli | None = 0
    requested = allocatable = 0
    for one in amounts:
        requested += one.requested
        allocatable += one.allocatable
        if one.used is not None and used is not None:
            used += one.used
        elif one.allocatable:
            used = None
    return Amount(requested, allocatable, used if amounts else None)


def _spenders(census: Census, memory: Memory) -> dict[str, list[str]]:
    """Name the nodes that have used the budgets of their pools."""
    running = {name for one in memory.running for name in one.nodes}
    found: dict[str, list[str]] = {}
    for one in census.joined:
        if is_spent(one, running):
            found.setdefault(one.pool, []).append(name_of(one))
    return found


def _held(census: Census) -> dict[str, dict[str, Milli]]:
    """Sum what the machines of each pool count against its limits."""
    found: dict[str, dict[str, Milli]] = {}
    limited = {name for name, pool in census.pools.items() if pool.spec.limits}
    if not limited:
        return found
    for one in census.joined:
        if one.is_deleting or one.pool not in limited:
            continue
        held = found.setdefault(one.pool, {})
        held[NODES] = held.get(NODES, 0) + MILLI
        try:
            amounts = one.amounts("capacity")
        except BadQuantity:
            continue
        for name, amount in amounts.items():
            held[name] = held.get(name, 0) + amount
    return found


def _limits(pool: NodePool, held: Mapping[str, Milli]) -> Iterator[LimitRow]:
    try:
        written = parse_resources(pool.spec.limits or {})
    except BadQuantity:
        return
    for name in sorted(written):
        yield LimitRow(name, written[name], held.get(name, 0))


def _budget(one: Allowance) -> BudgetRow:
    return BudgetRow(
        reason=one.reason,
        allowed=one.allowed,
        free=one.free,
        used=one.used,
        total=one.total,
        until_ms=one.until_ms,
        opens_ms=one.opens_ms,
        closed_by=one.closed_by,
        broken=one.broken,
    )
