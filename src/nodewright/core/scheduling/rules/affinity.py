"""Pod affinity: only where pods that it wants to be near to are, or are about to be.

A pod that is one of its own friends may be the first, as long as no friend is anywhere that it could
go itself. The first one settles the domain: its node commits to it, and the others follow. A friend on
a planned node whose domain is open may end up anywhere, so nobody founds another domain then.
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
    if with_friends or not counts_itself or has_friends(group, allowed):
        return with_friends
    return usable


def has_friends(group: Group, allowed: Requirement | None) -> bool:
    """Tell whether a friend is anywhere that the pod could go, or may come to be there."""
    if group.adrift > 0:
        return True
    if group.total <= 0:
        return False
    return allowed is None or any(
        count > 0 and (isinstance(domain, int) or allowed.has(domain))
        for domain, count in group.counts.items()
    )
