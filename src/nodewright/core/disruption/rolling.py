"""How long it takes to replace some nodes of a pool, and how many run twice at the most meanwhile.

Reckoned round by round from budgets, windows, rates and waves as they are now, a fixed time for each
round. A pool whose budgets stay closed is never done.
"""

from typing import Final

from nodewright.core.disruption.budgets import Counts, reckon
from nodewright.core.disruption.policies import PoolPolicy
from nodewright.model.disruption import DRIFTED, Allowance
from nodewright.model.nodepool import NodePool

ROUND_MS: Final = 6 * 60_000
"""What it takes for a node to come up and the old one to drain, as a rule."""

HORIZON_MS: Final = 14 * 24 * 3_600_000


class Rolling:
    """One pool that drifts."""

    def __init__(self, pool: NodePool, policy: PoolPolicy, total: int) -> None:
        self._pool = pool
        self._policy = policy
        self._total = total

    def _allowed(self, at_ms: int, gone_ms: tuple[int, ...] = ()) -> Allowance:
        found = reckon(self._pool, self._policy.budgets, Counts(self._total, 0), at_ms, gone_ms)
        return next(one for one in found if one.reason == DRIFTED)

    def at_once(self, count: int, now_ms: int) -> int:
        """Tell how many of so many nodes may go at once."""
        allowed = self._allowed(now_ms).allowed
        return count if allowed is None else min(count, allowed)

    def takes_ms(self, count: int, start_ms: int) -> int | None:
        """Tell how long so many nodes take; nothing where they are not done within two weeks."""
        rule = self._policy.waves
        wave = size = rule.first if rule is not None else count
        left, at_ms = count, start_ms
        gone: tuple[int, ...] = ()
        while left > 0:
            if at_ms - start_ms > HORIZON_MS:
                return None
            now = self._allowed(at_ms, gone)
            if now.free == 0:
                next_ms = now.opens_ms or now.until_ms
                if next_ms is None or next_ms <= at_ms:
                    return None
                at_ms = next_ms
                continue
            taken = min(left, size, left if now.free is None else now.free)
            gone += (at_ms,) * taken
            left, size, at_ms = left - taken, size - taken, at_ms + ROUND_MS
            if rule is not None and size == 0 and left > 0:
                wave = size = wave * rule.factor
                at_ms += rule.soak_ms
        return at_ms - start_ms
