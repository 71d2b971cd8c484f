"""Is a move worth it: what it saves against what it costs, as money, as a score, and by what was done.

A moved pod costs a little money each time, more when its workload was moved lately, and new nodes run
beside old ones for a while. A Balanced pool asks for half of what an average node saves for what it
moves. A swap of types that was made the other way round within the hour is refused.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.candidates import Candidate, Census
from nodewright.core.disruption.cost import ONE, pod_cost
from nodewright.core.disruption.loads import NO_LOAD, workload_of
from nodewright.model.disruption import Kept, Memory, Score, Settings
from nodewright.model.instance import NANO
from nodewright.model.keeping import Keeping
from nodewright.model.labels import INSTANCE_TYPE
from nodewright.model.pod import Pod

HOUR_MS: Final = 3_600_000
_MILLI: Final = 1000
OVERLAP_MS: Final = 600_000
"""How long a new node runs beside the old one."""

LATELY_MS: Final = HOUR_MS
DOUBLINGS_MAX: Final = 6
BALANCED: Final = "Balanced"
SCORE_DIVISOR: Final = 2
"""A Balanced pool's threshold is one over this."""


class Move(msgspec.Struct, frozen=True):
    """Nodes that go, the pods that move for it, and what the new nodes cost and are."""

    candidates: Sequence[Candidate]
    pods: Sequence[Pod]
    new_price: int = 0
    new_types: tuple[tuple[str, str], ...] = ()

    @property
    def old_price(self) -> int:
        """What the nodes cost that go; those whose price is unknown count nothing."""
        return sum(one.price or 0 for one in self.candidates)

    @property
    def savings(self) -> int:
        """What is saved each hour."""
        return self.old_price - self.new_price


class Scales:
    """Weighs moves."""

    def __init__(self, census: Census, memory: Memory, settings: Settings) -> None:
        self._census = census
        self._settings = settings
        self._memory = memory
        self._lately = {
            workload: count
            for workload, times in memory.moved_ms.items()
            if (count := sum(1 for one in times if census.now_ms - one < LATELY_MS))
        }
        self._totals: dict[str, tuple[int, int]] = {}
        self._has_balanced = any(
            pool.spec.disruption.consolidation_policy == BALANCED
            for pool in census.world.node_pools
        )

    def judge(self, move: Move) -> Kept | None:
        """Tell why a move is not worth it; nothing when it is."""
        name = move.candidates[0].name
        savings = move.savings
        if move.new_types and savings <= 0:
            return Kept(name, Keeping.NOTHING_CHEAPER, {"price": money(move.old_price)})
        churn = self._churns(move)
        if churn is not None:
            return churn
        if not self._is_known(move):
            return None
        cost, payback_ms = self.cost_of(move), self.payback_ms(move.candidates)
        if payback_ms and savings * payback_ms < cost * HOUR_MS:
            values: dict[str, str | int] = {
                "savings": money(savings),
                "cost": money(cost),
                "pods": len(move.pods),
            }
            return Kept(name, Keeping.NOT_WORTH_IT, values)
        return self._score(move)

    def _is_known(self, move: Move) -> bool:
        """Tell whether there is anything to weigh: what has no price may only be deleted."""
        return move.old_price > 0

    def payback_ms(self, candidates: Iterable[Candidate]) -> int:
        """Give the time in which a move must earn back its cost, the shortest of its pools."""
        default = self._settings.payback_ms
        return min(
            default if one.policy.payback_ms is None else one.policy.payback_ms
            for one in candidates
        )

    def cost_of(self, move: Move) -> int:
        """Give the cost of a move in nano-dollars."""
        moving = (
            sum(map(self.pod_price, move.pods)) if self._lately else self._plain_price(move.pods)
        )
        return moving + move.new_price * OVERLAP_MS // HOUR_MS

    def _plain_price(self, pods: Iterable[Pod]) -> int:
        """Give what it costs to move pods none of which moved lately: most cost the same."""
        price, total = self._settings.pod_move_price, 0
        for pod in pods:
            cost = pod_cost(pod)
            total += price if cost == ONE else max(0, cost) * price // ONE
        return total

    def price_of_moving(self, one: Candidate) -> int:
        """Give what it costs to move all pods of a node."""
        if self._lately:
            return sum(map(self.pod_price, one.pods))
        return (one.cost - ONE) * self._settings.pod_move_price // ONE

    def pod_price(self, pod: Pod) -> int:
        """Give what it costs to move one pod; each time that its workload moved lately doubles it."""
        times = self._lately.get(workload_of(pod), 0) if self._lately else 0
        cost = max(0, pod_cost(pod))
        return (cost * self._settings.pod_move_price // ONE) << min(times, DOUBLINGS_MAX)

    def _churns(self, move: Move) -> Kept | None:
        """Tell whether a swap undoes one that was made lately."""
        if not move.new_types or not self._memory.swaps:
            return None
        before = {(one.pool_name, one.labels.get(INSTANCE_TYPE, "")) for one in move.candidates}
        for swap in self._memory.swaps:
            if self._census.now_ms - swap.at_ms >= LATELY_MS:
                continue
            made = {(swap.node_pool, kind) for kind in swap.after}
            was = {(swap.node_pool, kind) for kind in swap.before}
            if before <= made and set(move.new_types) & was:
                values: dict[str, str | int] = {
                    "before": ", ".join(swap.after),
                    "after": ", ".join(swap.before),
                }
                name = move.candidates[0].name
                return Kept(name, Keeping.CHURNING, values, until_ms=swap.at_ms + LATELY_MS)
        return None

    def _score(self, move: Move) -> Kept | None:
        """Ask every Balanced pool that nodes go from."""
        for one in self.scores(move) if self._has_balanced else ():
            if not one.is_enough:
                values: dict[str, str | int] = {
                    "pool": one.node_pool,
                    "score": f"{one.score // 10 / 100:.2f}",
                }
                first = next(c.name for c in move.candidates if c.pool_name == one.node_pool)
                return Kept(first, Keeping.SCORE_TOO_LOW, values)
        return None

    def scores(self, move: Move) -> list[Score]:
        """Give what each Balanced pool that nodes go from thinks of a move."""
        by_pool: dict[str, list[Candidate]] = {}
        for one in move.candidates:
            if one.pool.spec.disruption.consolidation_policy == BALANCED:
                by_pool.setdefault(one.pool_name, []).append(one)
        found: list[Score] = []
        for pool, ones in sorted(by_pool.items()):
            price, cost = self.totals(pool)
            own_price = sum(one.price or 0 for one in ones)
            own_cost = sum(one.cost for one in ones)
            # (savings share / pool price) / (own cost / pool cost) >= 1 / divisor, in whole numbers.
            have = move.savings * own_price * cost * SCORE_DIVISOR
            need = move.old_price * price * own_cost
            old_price = max(1, move.old_price)
            found.append(
                Score(
                    node_pool=pool,
                    score=_MILLI * have // (need * SCORE_DIVISOR) if need > 0 else 0,
                    savings=_MILLI * move.savings * own_price // (old_price * max(1, price)),
                    cost=_MILLI * own_cost // max(1, cost),
                    is_enough=have >= need > 0,
                )
            )
        return found

    def totals(self, pool: str) -> tuple[int, int]:
        """Give what all nodes of a pool cost, and what it would cost to empty them all."""
        known = self._totals.get(pool)
        if known is None:
            price = cost = 0
            for one in self._census.joined:
                if one.pool == pool and one.node is not None and one.claim is not None:
                    price += self._census.price_of(one)
                    cost += self._census.loads.get(one.node.metadata.name, NO_LOAD).cost
            known = self._totals[pool] = (price, cost)
        return known


def money(nano: int) -> str:
    """Write an amount of money for a sentence."""
    return f"{nano / NANO:.4f}"


def move_cost(pods: Iterable[Pod]) -> int:
    """Give the cost of moving pods in thousandths of an ordinary pod."""
    return sum(max(0, pod_cost(pod)) for pod in pods) * 1000 // ONE
