"""Topology spread: no domain may hold too many more matching pods than the emptiest one.

The emptiest domain is looked for among those that the pod itself may use; with fewer of them than
`minDomains` it counts as empty. A new node is always possible, so for host names it is 0. Pods on
planned nodes that may turn out not to take part fill their domain, and do not raise the emptiest.
"""

from collections.abc import Iterable

from nodewright.core.scheduling.topology import Domain, Group
from nodewright.model.requirements import Requirement

type Reach = tuple[Requirement | None, ...]
"""What the alternatives of a pod's node affinity say of one label; nothing says anything goes."""


def emptiest_count(group: Group, reach: Reach) -> int:
    """Give the lowest count over the domains that the pod may use."""
    if group.is_hostname:
        return 0
    anywhere = None in reach
    if anywhere and group.spec.min_domains is None:
        return group.least()
    counts = [
        group.surely(domain)
        for domain in group.universe
        if anywhere or any(one is not None and one.has(str(domain)) for one in reach)
    ]
    if group.spec.min_domains is not None and len(counts) < group.spec.min_domains:
        return 0
    return min(counts, default=0)


def spread_domains(
    group: Group, candidates: Iterable[Domain], reach: Reach, *, counts_itself: bool
) -> list[Domain]:
    """Give those candidates in which one more pod keeps the skew, emptiest first."""
    most = group.spec.max_skew + emptiest_count(group, reach) - counts_itself
    fitting = [domain for domain in candidates if group.count(domain) <= most]
    return sorted(fitting, key=group.count)
