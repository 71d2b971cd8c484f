"""NodePolicies read: what is different for each pool, the stricter of several counting.

What a policy leaves out, or writes so that it cannot be read, stays as Karpenter does it. A pause that
cannot be read holds: somebody wanted nothing to happen.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.core.scheduling.selectors import read_selector
from nodewright.model.disruption import DRIFTED, EMPTY, UNDERUTILIZED
from nodewright.model.duration import BadDuration, parse_duration, parse_duration_or_never
from nodewright.model.instant import read_instant
from nodewright.model.metadata import LabelSelector
from nodewright.model.nodepolicy import MOVES, REPLACE, NodePolicy, PolicyBudget, Timers, Waves
from nodewright.model.nodepool import NodePool

FOREVER_MS: Final = 1 << 60
"""An instant that never comes."""


class WaveRule(msgspec.Struct, frozen=True):
    """How drift goes in waves."""

    first: int
    factor: int
    soak_ms: int
    failures_max: int


class PoolPolicy(msgspec.Struct, frozen=True):
    """What all policies of one pool come to; timers are in milliseconds, FOREVER_MS for Never."""

    min_age_ms: int = 0
    payback_ms: int | None = None
    moves: frozenset[str] = frozenset(MOVES)
    timers_ms: Mapping[str, int] = {}
    budgets: tuple[PolicyBudget, ...] = ()
    waves: WaveRule | None = None
    paused_until_ms: int | None = None
    pause_reason: str = ""
    rebalance: frozenset[str] = frozenset()

    @property
    def replaces_at_risk(self) -> bool:
        """Whether spot machines that are likely to be taken back are replaced before they are."""
        return self.rebalance == {REPLACE}


def read_policies(
    pools: Iterable[NodePool], policies: Iterable[NodePolicy]
) -> dict[str, PoolPolicy]:
    """Give what is different for each pool, by its name."""
    known = sorted(policies, key=lambda one: one.metadata.name)
    found: dict[str, PoolPolicy] = {}
    for pool in pools:
        policy = PoolPolicy()
        for one in known:
            if selects(one, pool):
                policy = _stricter(policy, one)
        found[pool.metadata.name] = policy
    return found


def selects(policy: NodePolicy, pool: NodePool) -> bool:
    """Tell whether a policy is about a pool."""
    wanted = policy.spec.node_pools
    if wanted.names and pool.metadata.name not in wanted.names:
        return False
    labels = LabelSelector(
        match_labels=wanted.match_labels, match_expressions=wanted.match_expressions
    )
    return read_selector(labels).selects(pool.metadata.labels)


def _stricter(known: PoolPolicy, policy: NodePolicy) -> PoolPolicy:
    spec = policy.spec
    age_ms, payback_ms = _length(spec.min_node_age), _length(spec.payback)
    until_ms, reason = known.paused_until_ms, known.pause_reason
    if spec.pause is not None:
        asked_ms = _instant(spec.pause.until)
        if until_ms is None or asked_ms > until_ms:
            until_ms, reason = asked_ms, spec.pause.reason
    return PoolPolicy(
        min_age_ms=max(known.min_age_ms, age_ms or 0),
        payback_ms=_least(known.payback_ms, payback_ms),
        moves=known.moves & frozenset(spec.moves) if spec.moves is not None else known.moves,
        timers_ms=_timers(known.timers_ms, spec.timers),
        budgets=(*known.budgets, *spec.budgets),
        waves=_waves(known.waves, spec.waves),
        paused_until_ms=until_ms,
        pause_reason=reason,
        rebalance=known.rebalance | ({spec.rebalance} if spec.rebalance else set()),
    )


def _least(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _timers(known: Mapping[str, int], timers: Timers | None) -> Mapping[str, int]:
    if timers is None:
        return known
    found = dict(known)
    for reason, written in (
        (EMPTY, timers.empty),
        (UNDERUTILIZED, timers.underutilized),
        (DRIFTED, timers.drifted),
    ):
        length_ms = read_timer(written)
        if length_ms is not None:
            found[reason] = max(length_ms, found.get(reason, 0))
    return found


def read_timer(written: str | None) -> int | None:
    """Read how long to wait: `Never` is FOREVER_MS; nothing where nothing can be read."""
    if written is None:
        return None
    try:
        length_ms = parse_duration_or_never(written)
    except BadDuration:
        return None
    return FOREVER_MS if length_ms is None else length_ms


def _waves(known: WaveRule | None, waves: Waves | None) -> WaveRule | None:
    if waves is None:
        return known
    soak_ms = _length(waves.soak)
    asked = WaveRule(
        max(1, waves.first),
        max(1, waves.factor),
        600_000 if soak_ms is None else soak_ms,
        max(0, waves.failures_max),
    )
    if known is None:
        return asked
    return WaveRule(
        min(known.first, asked.first),
        min(known.factor, asked.factor),
        max(known.soak_ms, asked.soak_ms),
        min(known.failures_max, asked.failures_max),
    )


def _length(written: str | None) -> int | None:
    if written is None:
        return None
    try:
        return parse_duration(written)
    except BadDuration:
        return None


def _instant(written: str) -> int:
    until_ms = read_instant(written)
    return FOREVER_MS if until_ms is None else until_ms
