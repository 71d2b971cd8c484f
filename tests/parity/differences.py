"""The kinds of differences to Karpenter that we mean, by name; `docs/why/compatibility.md` explains them.

A pod that the peer places and we do not is accounted for by a fault that the referee finds in the
peer's own plan, or by a limit or a reservation that leaves room for some pods but not for all.
"""

from collections.abc import Mapping

from nodewright.model.plan import Plan
from nodewright.model.reason import Reason

FAULTS: Mapping[str, str] = {
    "labels": "contradictory-selectors",
    "undefined label": "borrowed-labels",
    "affinity": "open-domains",
    "spread": "late-relaxation",
    "fit": "daemon-alternatives",
    "requests": "daemon-alternatives",
    "limit": "limits-overshot",
    "reserved": "full-reservations",
}
"""What the referee faults in the peer's plans, and what the fault is called."""

SCARCE_LIMITS = "scarce-limits"
HELD_RESERVATIONS = "held-reservations"

NAMES = frozenset({*FAULTS.values(), SCARCE_LIMITS, HELD_RESERVATIONS})


def unknown_faults(their_faults: frozenset[str]) -> frozenset[str]:
    """Give the rules that the peer breaks and that no name stands for."""
    return their_faults - FAULTS.keys()


def why_missed(ours: Plan, pod: str, their_faults: frozenset[str]) -> str:
    """Name why the peer places a pod and we do not; nothing where it has no name."""
    if their_faults:
        return min(FAULTS.get(fault, "") for fault in their_faults)
    left = ours.unschedulable.get(pod)
    if left is not None and left.deferred:
        return HELD_RESERVATIONS
    if left is not None and Reason.LIMIT_REACHED.code in {
        left.code,
        *(pool.code for pool in left.node_pools),
    }:
        return SCARCE_LIMITS
    return ""
