"""A change before it is made: which nodes would drift, who stands in the way, how long, at what price.

Two Worlds are compared: as it is, and with the changed pools, classes and policies in it. A node drifts
when the fingerprint of its pool's template or of its class changes, or when it no longer meets what the
pool requires. How long it takes is reckoned from budgets, windows, rates and waves.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.budgets import Purse, count_nodes
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates, name_of
from nodewright.core.disruption.classdrift import CLASS_DRIFT
from nodewright.core.disruption.commands import write_commands
from nodewright.core.disruption.drift import (
    NODEPOOL_DRIFTED,
    REQUIREMENTS_DRIFTED,
    Drift,
    DriftJudge,
)
from nodewright.core.disruption.renewal import renew, renew_static
from nodewright.core.disruption.rolling import Rolling
from nodewright.core.disruption.stage import Stage
from nodewright.model.disruption import Kept, Memory, Settings
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import hash_ec2nodeclass, hash_nodepool
from nodewright.model.instance import NanoUSD
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.world import World

_SELECTORS: Final = (
    "ami_selector_terms",
    "subnet_selector_terms",
    "security_group_selector_terms",
    "capacity_reservation_selector_terms",
)


class Change(msgspec.Struct, frozen=True):
    """What a change would do."""

    drifts: Mapping[str, str]
    blocked: Mapping[str, Kept]
    by_pool: Mapping[str, int]
    totals: Mapping[str, int]
    rounds_ms: int | None
    price_before: NanoUSD
    price_rolling: NanoUSD
    price_after: NanoUSD
    selectors: tuple[str, ...] = ()
    """Classes whose selectors changed: only the cloud knows what they find now."""


def judge_change(before: World, after: World) -> Change:
    """Tell what becomes of a World's nodes when its pools, classes and policies are changed."""
    census = Census(after)
    memory = recall_world(after)
    candidates, kept = find_candidates(census, memory)
    drifts = _drifts(before, census, memory)
    stage = Stage(census, [one for one in candidates if _may_move(one, drifts)], memory, _FREELY)
    stage.purse = Purse((), is_unlimited=True)
    drifted = [one for one in candidates if one.name in drifts]
    renew_static(stage, [one for one in drifted if one.is_static], drifts)
    renew(stage, [one for one in drifted if not one.is_static], drifts)
    commands = write_commands(stage)
    blocked = {name: one for name, one in {**kept, **stage.kept}.items() if name in drifts}
    price = sum(census.price_of(one) for one in census.joined if not one.is_deleting)
    by_pool = _by_pool(census, drifts)
    totals = {name: one.total for name, one in count_nodes(census, memory).items()}
    times: list[int | None] = [0]
    surge = 0
    for pool, names in by_pool.items():
        going = [one for one in drifted if one.name in names and one.name not in blocked]
        rolling = Rolling(census.pools[pool], census.policies[pool], totals[pool])
        times.append(rolling.takes_ms(len(going), census.now_ms))
        prices = sorted((one.price or 0 for one in going), reverse=True)
        surge += sum(prices[: rolling.at_once(len(prices), census.now_ms)])
    return Change(
        drifts={name: one.reason for name, one in sorted(drifts.items())},
        blocked=dict(sorted(blocked.items())),
        by_pool={name: len(names) for name, names in by_pool.items()},
        totals=totals,
        rounds_ms=None if None in times else max(one for one in times if one is not None),
        price_before=NanoUSD(price),
        price_rolling=NanoUSD(price + surge),
        price_after=NanoUSD(price - sum(one.savings for one in commands)),
        selectors=_changed_selectors(before, after),
    )


_FREELY: Final = Settings(to_end=True)


def _may_move(one: Candidate, drifts: Mapping[str, Drift]) -> bool:
    return one.name in drifts and (one.blocked is None or one.has_grace)


def _drifts(before: World, census: Census, memory: Memory) -> dict[str, Drift]:
    """Give the nodes that drift by the change and did not before, those that nobody may touch too."""
    pools = {pool.metadata.name: pool for pool in before.node_pools}
    classes = _class_hashes(before)
    changed = _class_hashes(census.world)
    old = DriftJudge(Census(before), memory)
    new = DriftJudge(census, memory)
    found: dict[str, Drift] = {}
    for one in census.joined:
        pool, was = census.pools.get(one.pool), pools.get(one.pool)
        claim = one.claim
        if claim is None or one.node is None or one.is_deleting or pool is None or was is None:
            continue
        if old.reason_of(claim, was) is not None:
            continue
        reason = _reason(claim, was, pool, new)
        name = claim.spec.node_class_ref.name or _class_of(pool)
        if reason is None and classes.get(name) != changed.get(name) and name in classes:
            reason = CLASS_DRIFT
        if reason is not None:
            found[name_of(one)] = Drift(reason, census.now_ms, new.hash_of(pool))
    return found


def _reason(claim: NodeClaim, was: NodePool, pool: NodePool, judge: DriftJudge) -> str | None:
    if hash_nodepool(was) != hash_nodepool(pool):
        return NODEPOOL_DRIFTED
    reason = judge.reason_of(claim, pool)
    return REQUIREMENTS_DRIFTED if reason == REQUIREMENTS_DRIFTED else None


def _by_pool(census: Census, drifts: Mapping[str, Drift]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in census.joined:
        if name_of(one) in drifts:
            found.setdefault(one.pool, set()).add(name_of(one))
    return dict(sorted(found.items()))


def _class_of(pool: NodePool) -> str:
    return pool.spec.template.spec.node_class_ref.name


def _class_hashes(world: World) -> dict[str, str]:
    return {
        one.metadata.name: hash_ec2nodeclass(one.spec)
        for one in world.node_classes
        if isinstance(one, EC2NodeClass)
    }


def _changed_selectors(before: World, after: World) -> tuple[str, ...]:
    known = {
        one.metadata.name: one.spec for one in before.node_classes if isinstance(one, EC2NodeClass)
    }
    return tuple(
        sorted(
            one.metadata.name
            for one in after.node_classes
            if isinstance(one, EC2NodeClass)
            and one.metadata.name in known
            and any(
                getattr(one.spec, field) != getattr(known[one.metadata.name], field)
                for field in _SELECTORS
            )
        )
    )
