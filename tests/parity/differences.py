"""The kinds of differences to Karpenter that we mean, by name; `docs/why/compatibility.md` explains them.

A pod that the peer places and we do not is accounted for by a fault in the peer's own plan that
touches this pod (its place, the node it shares, the pool that overshoots its limit), or by something
scarce (a limit, a reservation, a domain) where what was drawn first decides who gets in.
"""

from collections.abc import Iterable, Mapping

from nodewright.core.scheduling.relax import without_preferences
from nodewright.core.scheduling.wishes import required_terms
from nodewright.model.plan import Plan
from nodewright.model.pod import Pod
from nodewright.model.reason import Reason
from referee.verdict import Violation

FAULTS: Mapping[str, str] = {
    "labels": "contradictory-selectors",
    "pool requirements": "contradictory-selectors",
    "affinity": "open-domains",
    "spread": "late-relaxation",
    "fit": "daemon-alternatives",
    "requests": "daemon-alternatives",
    "host port": "daemon-alternatives",
    "limit": "limits-overshot",
    "reserved": "full-reservations",
}
"""What the referee faults in the peer's plans, and what the fault is called."""

LUCK: Mapping[Reason, str] = {
    Reason.LIMIT_REACHED: "scarce-limits",
    Reason.RESERVATION_TAKEN: "held-reservations",
    Reason.LABEL_UNDEFINED: "borrowed-labels",
    Reason.SPREAD: "drawn-domains",
    Reason.AFFINITY: "drawn-domains",
    Reason.ANTI_AFFINITY: "drawn-domains",
    Reason.KEPT_AWAY: "drawn-domains",
}
"""Why we leave a pod behind where the peer, by what it drew before, may find a place for it."""

NAMES = frozenset({*FAULTS.values(), *LUCK.values()})


def unknown_faults(their_faults: Iterable[Violation]) -> frozenset[str]:
    """Give the rules that the peer breaks and that no name stands for."""
    return frozenset(one.rule for one in their_faults) - FAULTS.keys()


def why_missed(ours: Plan, theirs: Plan, pod: Pod, their_faults: Iterable[Violation]) -> str:
    """Name why the peer places a pod and we do not; nothing where it has no name."""
    known = [FAULTS.get(one.rule, "") for one in their_faults if _touches(one, theirs, pod)]
    if known:
        return min(known)
    left = ours.unschedulable.get(pod.key)
    if left is None:
        return ""
    codes = {left.code, *(pool.code for pool in left.node_pools)}
    if Reason.SPREAD.code in codes and _is_relaxed_late(pod):
        return FAULTS["spread"]
    return next((name for reason, name in LUCK.items() if reason.code in codes), "")


def _touches(fault: Violation, theirs: Plan, pod: Pod) -> bool:
    """Tell whether a fault of the peer's is about a pod, its node, a pod beside it, or its pool."""
    for number, node in enumerate(theirs.new_nodes):
        if pod.key in node.pods:
            return fault.object in (f"new-{number}", node.node_pool, *node.pods)
    beside = (node for node in theirs.existing_nodes if pod.key in node.pods)
    return any(fault.object in (node.name, *node.pods) for node in beside)


def _is_relaxed_late(pod: Pod) -> bool:
    """Tell whether a pod with a spread that must hold has something that it may give up.

    The peer counts anew after each thing given up. Where a domain that nobody can buy in is the
    emptiest, the referee does not hold it against the peer.
    """
    spec = pod.spec
    hard = [one.when_unsatisfiable == "DoNotSchedule" for one in spec.topology_spread_constraints]
    return any(hard) and (without_preferences(spec) != spec or len(required_terms(spec)) > 1)
