"""Topology spread: no domain may hold too many more matching pods than the emptiest one.

The emptiest domain is looked for among those that the pod itself may use; with fewer of them than
`minDomains` it counts as empty. A new node is always possible, so for host names it is 0.
"""

from collections.abc import Iterable

from nodewright.core.scheduling.topology import Domain, Group
from nodewright.model.requirements import Requirement


def emptiest_count(group: Group, allowed: Requirement | None) -> int:
    """Give the lowest count over the domains that the pod may use."""
    if group.is_hostname:
        return 0
    counts = [
        group.count(domain)
        for domain in group.universe
        if allowed is None or allowed.has(str(domain))
    ]
    if group.spec.min_domains is not None and len(counts) < group.spec.min_domains:
        return 0
    return min(counts, default=0)


def spread_domains(
    group: Group, candidates: Iterable[Domain], allowed: Requirement | None, *, counts_itself: bool
) -> list[Domain]:
    """Give those candidates in which one more pod keeps the skew, emptiest first."""
    most = group.spec.max_skew + emptiest_count(group, allowed) - counts_itself
    fitting = [domain for domain in candidates if group.count(domain) <= most]
    return sorted(fitting, key=group.count)
