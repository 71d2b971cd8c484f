"""Pod affinity: only where pods that it wants to be near to are, or are about to be.

A pod that is one of its own friends may be the first, but only while there is none anywhere: that is
kube-scheduler's rule, and a second domain founded elsewhere would never be used.
"""

from collections.abc import Iterable

from nodewright.core.scheduling.topology import Domain, Group
from nodewright.model.requirements import Requirement


def affinity_domains(
    group: Group, candidates: Iterable[Domain], allowed: Requirement | None, *, counts_itself: bool
) -> list[Domain]:
    """Give those candidates that hold a friend; all of them when the pod may be the first."""
    usable = [
        domain
        for domain in candidates
        if allowed is None or isinstance(domain, int) or allowed.has(domain)
    ]
    with_friends = [domain for domain in usable if group.count(domain) > 0]
    if with_friends or group.total > 0 or not counts_itself:
        return with_friends
    return usable
