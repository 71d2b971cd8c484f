"""Second chances: a pod that only lost a race may win another one.

Who gets the last room under a limit, in a reservation or in a domain depends on who comes first and
on which domains are settled by then. Pods that were left behind for such a reason are served first in
another filling, and those that this one leaves behind are served first in the next. It ends when
nobody complains who has not complained before, or after a counted number of rounds.
"""

from collections.abc import Callable
from typing import Final

from nodewright.model.plan import Plan, Unplaced
from nodewright.model.reason import Reason

_RACES: Final = frozenset(
    one.code
    for one in (
        Reason.SPREAD,
        Reason.AFFINITY,
        Reason.ANTI_AFFINITY,
        Reason.KEPT_AWAY,
        Reason.LIMIT_REACHED,
        Reason.RESERVATION_TAKEN,
    )
)
"""Why a pod is left behind that could find a place if it came earlier."""


def find_losers(plan: Plan) -> frozenset[str]:
    """Give the pods of a plan that were left behind because others came first."""
    return frozenset(key for key, left in plan.unschedulable.items() if _lost_a_race(left))


def _lost_a_race(left: Unplaced) -> bool:
    return left.code in _RACES or any(pool.code in _RACES for pool in left.node_pools)


def give_chances(
    plan: Plan, fill: Callable[[frozenset[str]], list[Plan]], rounds: int
) -> list[Plan]:
    """Fill again and again with the losers of the last filling first; give all that came of it."""
    plans: list[Plan] = []
    front: frozenset[str] = frozenset()
    for _ in range(rounds):
        losers = find_losers(plan)
        if losers <= front:
            break
        front |= losers
        found = fill(front)
        plans += found
        plan = min(found, key=lambda one: len(one.unschedulable))
    return plans
