"""A change before it is made: which nodes would drift, who stands in the way, how long, at what price.

Two Worlds are compared: as it is, and with the changed pools, classes and policies in it. A node drifts
when the fingerprint of its pool's template or of its class changes, or when it no longer meets what the
pool requires. How long it takes is reckoned from budgets and windows, a fixed time for each round.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.budgets import Counts, Purse, count_nodes, reckon
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.classdrift import CLASS_DRIFT
from nodewright.core.disruption.commands import write_commands
from nodewright.core.disruption.drift import (
    NODEPOOL_DRIFTED,
    REQUIREMENTS_DRIFTED,
    Drift,
    DriftJudge,
)
from nodewright.core.disruption.renewal import renew, renew_static
from nodewright.core.disruption.stage import Stage
from nodewright.model.disruption import DRIFTED, Kept, Memory, Settings
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import hash_ec2nodeclass, hash_nodepool
from nodewright.model.instance import NanoUSD
from nodewright.model.nodepool import NodePool
from nodewright.model.world import World

ROUND_MS: Final = 6 * 60_000
"""What it takes for a node to come up and the old one to drain, as a rule."""

HORIZON_MS: Final = 14 * 24 * 3_600_000
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
    rounds_ms: int | None
    price_before: NanoUSD
    price_rolling: NanoUSD
    price_after: NanoUSD
    selectors: tuple[str, ...] = ()
    """Classes whose selectors changed: only the cloud knows what they find now."""


def judge_change(before: World, after: World) -> Change:
    """Tell what becomes of a World's nodes when its pools, classes and policies are changed."""
    census = Census(after)
    memory = after.beside.disruption
    candidates, kept = find_candidates(census, memory)
    drifts = _drifts(before, census, candidates, memory)
    stage = Stage(census, [one for one in candidates if _may_move(one, drifts)], memory, _FREELY)
    stage.purse = Purse((), is_unlimited=True)
    drifted = [one for one in candidates if one.name in drifts]
    renew_static(stage, [one for one in drifted if one.is_static], drifts)
    renew(stage, [one for one in drifted if not one.is_static], drifts)
    commands = write_commands(stage)
    by_pool: dict[str, int] = {}
    for one in drifted:
        by_pool[one.pool_name] = by_pool.get(one.pool_name, 0) + 1
    price = sum(census.price_of(one) for one in census.joined if not one.is_deleting)
    counts = count_nodes(census, memory)
    surge = sum(_surge(census, drifted, name, counts[name]) for name in by_pool)
    blocked = {name: one for name, one in {**kept, **stage.kept}.items() if name in drifts}
    going = {name: count - _held(drifted, blocked, name) for name, count in by_pool.items()}
    return Change(
        drifts={name: one.reason for name, one in sorted(drifts.items())},
        blocked=dict(sorted(blocked.items())),
        by_pool=by_pool,
        rounds_ms=_longest(census, going, counts),
        price_before=NanoUSD(price),
        price_rolling=NanoUSD(price + surge),
        price_after=NanoUSD(price - sum(one.savings for one in commands)),
        selectors=_changed_selectors(before, after),
    )


_FREELY: Final = Settings(to_end=True)


def _may_move(one: Candidate, drifts: Mapping[str, Drift]) -> bool:
    return one.name in drifts and (one.blocked is None or one.has_grace)


def _drifts(
    before: World, census: Census, candidates: Sequence[Candidate], memory: Memory
) -> dict[str, Drift]:
    """Give the nodes that drift by the change and did not before."""
    pools = {pool.metadata.name: pool for pool in before.node_pools}
    classes = _class_hashes(before)
    changed = _class_hashes(census.world)
    old = DriftJudge(Census(before), memory)
    new = DriftJudge(census, memory)
    found: dict[str, Drift] = {}
    for one in candidates:
        was = pools.get(one.pool_name)
        if was is None or old.reason_of(one.claim, was) is not None:
            continue
        reason = _reason(one, was, new)
        name = one.claim.spec.node_class_ref.name or _class_of(one.pool)
        if reason is None and classes.get(name) != changed.get(name) and name in classes:
            reason = CLASS_DRIFT
        if reason is not None:
            found[one.name] = Drift(reason, census.now_ms, new.hash_of(one.pool))
    return found


def _reason(one: Candidate, was: NodePool, judge: DriftJudge) -> str | None:
    if hash_nodepool(was) != hash_nodepool(one.pool):
        return NODEPOOL_DRIFTED
    reason = judge.reason_of(one.claim, one.pool)
    return REQUIREMENTS_DRIFTED if reason == REQUIREMENTS_DRIFTED else None


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


def _held(drifted: Sequence[Candidate], blocked: Mapping[str, Kept], pool: str) -> int:
    return sum(one.pool_name == pool and one.name in blocked for one in drifted)


def _surge(census: Census, drifted: Sequence[Candidate], pool: str, counts: Counts) -> int:
    """Give what the nodes cost that run twice at the most while a pool rolls."""
    prices = sorted((one.price or 0 for one in drifted if one.pool_name == pool), reverse=True)
    allowed = _allowed(census, pool, counts, census.now_ms)[0]
    return sum(prices if allowed is None else prices[:allowed])


def _allowed(
    census: Census, pool: str, counts: Counts, now_ms: int
) -> tuple[int | None, int | None]:
    """Give how many nodes may go at an instant, and when that changes."""
    budgets = census.policies[pool].budgets
    found = reckon(census.pools[pool], budgets, Counts(counts.total, 0), now_ms)
    one = next(each for each in found if each.reason == DRIFTED)
    return one.allowed, one.until_ms


def _longest(census: Census, going: Mapping[str, int], counts: Mapping[str, Counts]) -> int | None:
    """Reckon how long the slowest pool takes; None where it is not done within two weeks."""
    longest = 0
    for pool, count in going.items():
        left, now_ms = count, census.now_ms
        while left > 0:
            allowed, until_ms = _allowed(census, pool, counts[pool], now_ms)
            if allowed == 0:
                if until_ms is None or until_ms <= now_ms:
                    return None
                now_ms = until_ms
            else:
                left -= left if allowed is None else allowed
                now_ms += ROUND_MS
            if now_ms - census.now_ms > HORIZON_MS:
                return None
        longest = max(longest, now_ms - census.now_ms)
    return longest
