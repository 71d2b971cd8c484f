"""What no budget holds: nodes that are older than they may be, and nodes that stay broken.

A node is repaired once a condition has been bad for as long as is tolerated, and only while few of its
pool are bad: when many are, the fault lies elsewhere and new nodes would not be better.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nodewright.core.disruption.candidates import Census
from nodewright.core.expiration import is_expired
from nodewright.core.scheduling.hosts import Joined
from nodewright.model.disruption import EXPIRED, UNHEALTHY, Forceful, RepairRule
from nodewright.model.instant import read_instant
from nodewright.model.node import Node

GATE: Final = "NodeRepair"
_SHARE_PERCENT: Final = 20


def find_forceful(census: Census, rules: Sequence[RepairRule]) -> list[Forceful]:
    """Give the nodes that go whatever budgets say, in order of their names."""
    found = list(_expired(census))
    expired = {one.claim for one in found}
    if census.world.options.feature_gates.get(GATE, False):
        found += [one for one in _broken(census, rules) if one.claim not in expired]
    return sorted(found, key=lambda one: (one.reason, one.node))


def _expired(census: Census) -> Iterator[Forceful]:
    for one in census.joined:
        if one.claim is None or one.is_deleting:
            continue
        if is_expired(one.claim, census.now_ms):
            yield _forceful(EXPIRED, one, f"expireAfter {one.claim.spec.expire_after}")


def count_sick(census: Census, rules: Sequence[RepairRule]) -> dict[str, tuple[int, int]]:
    """Count the broken nodes and all nodes of every pool; a node of no pool is one of the cluster."""
    found: dict[str, tuple[int, int]] = {}
    every = [0, 0]
    for one in census.joined:
        if one.node is None:
            continue
        is_sick = bool(matching(one.node, rules))
        every = [every[0] + is_sick, every[1] + 1]
        if one.claim is not None and one.pool:
            sick, total = found.get(one.pool, (0, 0))
            found[one.pool] = (sick + is_sick, total + 1)
    return {**found, "": (every[0], every[1])}


def _broken(census: Census, rules: Sequence[RepairRule]) -> Iterator[Forceful]:
    counts = count_sick(census, rules)
    for one in census.joined:
        if one.node is None or one.claim is None or one.is_deleting:
            continue
        due = [(since_ms + rule.after_ms, rule) for rule, since_ms in matching(one.node, rules)]
        first = min(due, key=lambda pair: pair[0], default=None)
        if first is None or census.now_ms < first[0]:
            continue
        sick, total = counts[one.pool]
        if sick <= repairs_allowed(total):
            yield _forceful(UNHEALTHY, one, f"{first[1].condition} is {first[1].status}")


def repairs_allowed(nodes: int) -> int:
    """Tell how many nodes of a pool may be bad for any of them to be repaired."""
    return -(-nodes * _SHARE_PERCENT // 100)


def matching(node: Node, rules: Sequence[RepairRule]) -> list[tuple[RepairRule, int]]:
    """Give the rules that a node breaks, and since when."""
    found = []
    for condition in node.status.conditions:
        for rule in rules:
            if (condition.type, condition.status) == (rule.condition, rule.status):
                since_ms = read_instant(condition.last_transition_time)
                if since_ms is not None:
                    found.append((rule, since_ms))
    return found


def _forceful(reason: str, one: Joined, detail: str) -> Forceful:
    assert one.claim is not None
    claim = one.claim.metadata.name
    node = one.node.metadata.name if one.node is not None else claim
    return Forceful(reason, node, claim, one.pool, detail)
