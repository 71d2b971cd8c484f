"""Node repair: a node that has been broken for too long goes at once, while few of its pool are broken.

The provider says which conditions mean that, and how long they are tolerated. Nothing is waited for:
the deadline of the drain is now, since what runs there is broken too. When many nodes of a pool are
broken the fault lies elsewhere, and that is told instead.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.forceful import (
    GATE,
    count_sick,
    find_forceful,
    matching,
    repairs_allowed,
)
from nodewright.core.scheduling.hosts import Joined
from nodewright.core.termination_drain import DEADLINE, deadline_of
from nodewright.model.decision import Change, Decision, Delete, Keep, Tell, rest_on
from nodewright.model.disruption import UNHEALTHY
from nodewright.model.instant import print_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES, refer
from nodewright.model.world import World

BLOCKED: Final = "NodeRepairBlocked"
LOOK_MS: Final = 300_000
_QUIET_MS: Final = 900_000


def repair(world: World) -> Iterator[Decision]:
    """Give the broken nodes that go, those that have to wait, and when the next is due."""
    rules = world.beside.repair_rules
    if not rules or not world.options.feature_gates.get(GATE, False):
        return
    census = Census(world)
    joined = {one.claim.metadata.name: one for one in census.joined if one.claim is not None}
    found = [one for one in find_forceful(census, rules) if one.reason == UNHEALTHY]
    for one in found:
        member = joined[one.claim]
        assert member.claim is not None
        yield hurry(member.claim, world.now_ms) or _end(member, one.detail)
    going = {one.claim for one in found}
    sick = [one for one in joined.values() if one.node is not None and matching(one.node, rules)]
    counts = count_sick(census, rules)
    for member in sick:
        assert member.node is not None
        assert member.claim is not None
        if member.is_deleting or member.claim.metadata.name in going:
            continue
        due_ms = min(since_ms + rule.after_ms for rule, since_ms in matching(member.node, rules))
        of_pool, total = counts[member.pool]
        if due_ms <= world.now_ms and of_pool > repairs_allowed(total):
            yield from _tell_blocked(member, of_pool, total)
        yield Keep(
            subject=refer(NODES, member.node),
            reason="Sick",
            basis=rest_on((NODES, member.node)),
            look_again_ms=LOOK_MS if due_ms <= world.now_ms else due_ms - world.now_ms,
        )


def hurry(claim: NodeClaim, now_ms: int) -> Change | None:
    """Give the change that makes now the deadline of a claim's drain, unless it has come already."""
    deadline_ms = deadline_of(claim)
    if deadline_ms is not None and deadline_ms <= now_ms:
        return None
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason="TerminationGracePeriod",
        note="the node is broken: its pods are not waited for",
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"metadata": {"annotations": {DEADLINE: print_instant(now_ms)}}},
        if_version=claim.metadata.resource_version,
    )


def _end(member: Joined, detail: str) -> Delete:
    assert member.claim is not None
    return Delete(
        subject=refer(NODE_CLAIMS, member.claim),
        reason=UNHEALTHY.lower(),
        note=f"the node has been broken for too long: {detail}",
        basis=rest_on((NODE_CLAIMS, member.claim), (NODES, member.node)),
    )


def _tell_blocked(member: Joined, sick: int, total: int) -> Iterator[Tell]:
    assert member.node is not None
    assert member.claim is not None
    note = f"{sick} of {total} nodes of the NodePool are broken: more than 20 % are not repaired"
    for ref in (refer(NODES, member.node), refer(NODE_CLAIMS, member.claim)):
        yield Tell(subject=ref, reason=BLOCKED, note=note, is_warning=True, quiet_ms=_QUIET_MS)
