"""Pod anti-affinity: only where none of the pods that it must keep away from can be.

The same test serves the inverse: where a pod that keeps others away already is, or may come to be.
"""

from collections.abc import Iterable

from nodewright.core.scheduling.topology import Domain, Group


def free_domains(group: Group, candidates: Iterable[Domain]) -> list[Domain]:
    """Give those candidates in which nothing is counted."""
    return [domain for domain in candidates if group.count(domain) <= 0]
