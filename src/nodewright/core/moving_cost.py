"""What it costs to drive pods out: by their number, their priority and their own word.

A pod costs one, more or less by its priority and its deletion cost, within bounds. A node that will
expire soon costs less: its pods would have to move anyway.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from nodewright.core.lifecycle import age_ms
from nodewright.model.duration import BadDuration, parse_duration_or_never
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod

DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"
_DELETION_COST_UNIT: Final = 1 << 27
_PRIORITY_UNIT: Final = 1 << 25
_MOST: Final = Fraction(10)
_TERMINAL: Final = ("Succeeded", "Failed")
_STAYING: Final = ("DaemonSet", "Node")


def moves(pod: Pod) -> bool:
    """Tell whether a pod would have to find another node."""
    if pod.status.phase in _TERMINAL:
        return False
    return all(owner.kind not in _STAYING for owner in pod.metadata.owner_references)


def eviction_cost(pod: Pod) -> Fraction:
    """Give the cost of driving one pod out, between -10 and 10."""
    own = Fraction(_number(pod.metadata.annotations.get(DELETION_COST, "0")))
    priority = Fraction(pod.spec.priority or 0)
    cost = 1 + own / _DELETION_COST_UNIT + priority / _PRIORITY_UNIT
    return max(-_MOST, min(_MOST, cost))


def moving_cost(claim: NodeClaim, pods: Iterable[Pod], now_ms: int) -> Fraction:
    """Give the cost of emptying a claim's node, less for one that has not long to live."""
    return sum(map(eviction_cost, pods), Fraction(0)) * lifetime_left(claim, now_ms)


def lifetime_left(claim: NodeClaim, now_ms: int) -> Fraction:
    """Give the share of its life that a claim still has; all of it where it never expires."""
    try:
        length_ms = parse_duration_or_never(claim.spec.expire_after)
    except BadDuration:
        length_ms = None
    if not length_ms:
        return Fraction(1)
    return max(Fraction(0), min(Fraction(1), 1 - Fraction(age_ms(claim, now_ms), length_ms)))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0
