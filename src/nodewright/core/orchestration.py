"""Commands that were begun: what each needs next, from what stands on the cluster alone.

Its nodes are marked and tainted before anything else. What replaces them must work first; then they are
deleted, and whoever ends nodes drains them. When a replacement is lost or takes too long, when pods came
that nobody planned for, or when somebody pauses the pool, the nodes may stay: they are as they were
before, and no pod was moved. Marks that belong to no command are taken off.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from nodewright.core.disrupting_words import tell_terminating, tell_waiting
from nodewright.core.disruption.policies import PoolPolicy, read_policies
from nodewright.core.disruption.protection import has_to_move, protected_until
from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import (
    INITIALIZED,
    LAUNCHED,
    Finding,
    find,
    is_true,
    write_condition,
)
from nodewright.core.scheduling.hosts import Joined, join
from nodewright.core.termination import DISRUPTED
from nodewright.model.command import COMMAND, DISRUPTION_REASON, Record, read_record
from nodewright.model.decision import Change, Decision, Delete, Keep, rest_on
from nodewright.model.disruption import DRIFTED, EMPTY, Running
from nodewright.model.instant import read_instant
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref, refer
from nodewright.model.world import World

LOST: Final = "ReplacementLost"
TOO_LATE: Final = "ReplacementTooLate"
CROWDED: Final = "PodsCame"
PAUSED: Final = "Paused"
ORPHANED: Final = "NoCommand"
UNBEGUN: Final = "NotBegun"
"""A roll-back because the command could not be written down in full, which is nobody's fault."""

FAILURES: Final = (LOST, TOO_LATE)
"""Roll-backs that say something about the pool, so that it is left alone for a while."""

_LOOK_MS: Final = 1_000
_NODE_MS: Final = 80
_PATIENCE_MS: Final = (600_000, 3_600_000)


class Underway(msgspec.Struct, frozen=True):
    """A command that was begun, with those of its nodes that are still there."""

    record: Record
    members: tuple[Joined, ...]

    @property
    def running(self) -> Running:
        """The command as decisions know it."""
        names = (one.node.metadata.name for one in self.members if one.node is not None)
        return self.record.running(tuple(sorted(names)))


def find_underway(joined: Iterable[Joined]) -> dict[str, Underway]:
    """Give the commands that stand on the cluster, by id."""
    records: dict[str, Record] = {}
    members: dict[str, list[Joined]] = {}
    for one in joined:
        record = read_record(one.claim) if one.claim is not None else None
        if record is not None:
            records.setdefault(record.id, record)
            members.setdefault(record.id, []).append(one)
    return {name: Underway(records[name], tuple(members[name])) for name in sorted(records)}


def drive(world: World) -> Iterator[Decision]:
    """Give the next step of every command; those that are being begun are left alone.

    The World says beside which those are, and which could not be begun.
    """
    joined = join(world)
    underway = find_underway(joined)
    told = {one.id: one.reason for one in world.beside.disruption.running}
    steps = _Steps(world, underway.values())
    for name, one in underway.items():
        if name not in told:
            yield from steps.next_of(one)
        elif told[name] == UNBEGUN:
            for member in one.members:
                if not member.is_deleting:
                    yield from undo(member, UNBEGUN, "its command could not be begun")
    for free in joined:
        if free.claim is not None and read_record(free.claim) is None and not free.is_deleting:
            yield from undo(free, ORPHANED, "the node is part of no command")


class _Steps:
    """What commands need next, on one World."""

    def __init__(self, world: World, underway: Iterable[Underway]) -> None:
        known = list(underway)
        self._now_ms = world.now_ms
        self._claims = {claim.metadata.name: claim for claim in world.node_claims}
        self._policies = read_policies(world.node_pools, world.node_policies)
        count = sum(len(one.members) for one in known)
        least_ms, most_ms = _PATIENCE_MS
        self._patience_ms = min(most_ms, max(least_ms, _NODE_MS * count))
        self._pods: dict[str, list[Pod]] = {
            member.node.metadata.name: []
            for one in known
            for member in one.members
            if member.node is not None
        }
        for pod in world.pods:
            if pod.spec.node_name in self._pods:
                self._pods[pod.spec.node_name].append(pod)

    def next_of(self, one: Underway) -> Iterator[Decision]:
        """Give the next step of a command."""
        live = [member for member in one.members if not member.is_deleting]
        if not live:
            return
        record = one.record
        problem = self._problem(record, live)
        if problem is not None:
            for member in live:
                yield from undo(member, *problem)
            return
        marks = [mark for member in live for mark in mark_node(member, record, self._now_ms)]
        if marks:
            yield from marks
            return
        waiting = [
            claim
            for name in record.replacements
            if not is_true(claim := self._claims[name], INITIALIZED)
        ]
        if waiting:
            yield from _wait_for(waiting, record)
            return
        yield from self._end(record, live)

    def _problem(self, record: Record, live: Sequence[Joined]) -> tuple[str, str] | None:
        """Tell why a command is given up, in a word and a sentence."""
        for name in record.replacements:
            claim = self._claims.get(name)
            if claim is None or claim.metadata.deletion_timestamp is not None:
                return LOST, f"replacement {name} is gone"
        late = [
            name for name in record.replacements if not is_true(self._claims[name], INITIALIZED)
        ]
        if late and self._now_ms - record.started_ms > self._patience_ms:
            return TOO_LATE, f"replacement {late[0]} did not come up in time"
        for member in live:
            policy = self._policies.get(member.pool, PoolPolicy())
            if policy.paused_until_ms is not None and self._now_ms < policy.paused_until_ms:
                return PAUSED, f"disruption is paused: {policy.pause_reason}"
        if record.reason not in (DRIFTED, EMPTY):
            for member in live:
                came = self._came_since(member, record)
                if came:
                    return CROWDED, f"pod {came} came after it was decided"
        return None

    def _end(self, record: Record, live: Sequence[Joined]) -> Iterator[Decision]:
        for member in live:
            assert member.claim is not None
            came = self._came_since(member, record) if record.reason == EMPTY else ""
            if came:
                yield from undo(member, CROWDED, f"pod {came} came after it was decided")
                continue
            yield Delete(
                subject=refer(NODE_CLAIMS, member.claim),
                reason=record.reason.lower(),
                note=f"{record.reason} ({record.id})",
                basis=_basis(member),
            )
            yield from tell_terminating(record, _subjects(member))

    def _came_since(self, member: Joined, record: Record) -> str:
        """Name a pod that would have to move and was not there, or not protected, at the beginning."""
        if member.node is None:
            return ""
        for pod in self._pods[member.node.metadata.name]:
            if not has_to_move(pod):
                continue
            is_new = _started_ms(pod) is None or (_started_ms(pod) or 0) > record.started_ms
            if is_new or protected_until(pod, self._now_ms) is not None:
                return pod.key
        return ""


def _started_ms(pod: Pod) -> int | None:
    return read_instant(pod.status.start_time or pod.metadata.creation_timestamp)


def mark_node(member: Joined, record: Record, now_ms: int) -> Iterator[Change]:
    """Give what is still missing of a node's marks: no new pods, and why it goes."""
    if member.node is not None and not has_taint(member.node):
        yield taint(member.node, record)
    assert member.claim is not None
    if not is_true(member.claim, DISRUPTION_REASON):
        yield write_reason(member.claim, record, now_ms)


def has_taint(node: Node) -> bool:
    """Tell whether no new pod comes to a node because it is to go."""
    return any(one.key == DISRUPTED.key for one in node.spec.taints)


def taint(node: Node, record: Record) -> Change:
    """Give the change that keeps new pods away from a node."""
    kept = [one for one in node.spec.taints if one.key != DISRUPTED.key]
    return Change(
        subject=refer(NODES, node),
        reason="Disrupted",
        note=f"the node is to go: {record.reason}",
        basis=rest_on((NODES, node)),
        change={"spec": {"taints": msgspec.to_builtins([*kept, DISRUPTED])}},
        if_version=node.metadata.resource_version,
    )


def write_reason(claim: NodeClaim, record: Record, now_ms: int) -> Change:
    """Give the change that says on a claim why it goes."""
    finding = Finding(DISRUPTION_REASON, reason=record.reason, message=f"command {record.id}")
    return write_findings(claim, [finding], now_ms)


def clear_condition(claim: NodeClaim, kind: str, reason: str, note: str = "") -> Change:
    """Give the change that takes a condition off a claim."""
    kept = [write_condition(one) for one in claim.status.conditions if one.type != kind]
    return Change(
        subject=refer(NODE_CLAIMS, claim),
        reason=reason,
        note=note,
        basis=rest_on((NODE_CLAIMS, claim)),
        change={"status": {"conditions": kept}},
        on_status=True,
        if_version=claim.metadata.resource_version,
    )


def undo(member: Joined, reason: str, note: str) -> Iterator[Change]:
    """Give what makes a node as it was: its taint first, its record last, so that it can be begun again."""
    node, claim = member.node, member.claim
    assert claim is not None
    if node is not None and has_taint(node):
        kept = [one for one in node.spec.taints if one.key != DISRUPTED.key]
        yield Change(
            subject=refer(NODES, node),
            reason=reason,
            note=f"the node stays: {note}",
            basis=_basis(member),
            change={"spec": {"taints": msgspec.to_builtins(kept)}},
            if_version=node.metadata.resource_version,
        )
    elif find(claim.status.conditions, DISRUPTION_REASON) is not None:
        yield clear_condition(claim, DISRUPTION_REASON, reason, f"the node stays: {note}")
    elif COMMAND in claim.metadata.annotations:
        yield Change(
            subject=refer(NODE_CLAIMS, claim),
            reason=reason,
            note=f"the node stays: {note}",
            basis=_basis(member),
            change={"metadata": {"annotations": {COMMAND: None}}},
            if_version=claim.metadata.resource_version,
        )


def _wait_for(waiting: Iterable[NodeClaim], record: Record) -> Iterator[Decision]:
    for claim in waiting:
        yield tell_waiting(claim, record, is_launched=is_true(claim, LAUNCHED))
        yield Keep(
            subject=refer(NODE_CLAIMS, claim),
            reason="Awaited",
            basis=rest_on((NODE_CLAIMS, claim)),
            look_again_ms=_LOOK_MS,
        )


def _subjects(member: Joined) -> Iterator[Ref]:
    assert member.claim is not None
    yield refer(NODE_CLAIMS, member.claim)
    if member.node is not None:
        yield refer(NODES, member.node)


def _basis(member: Joined) -> tuple[tuple[str, str], ...]:
    return rest_on((NODE_CLAIMS, member.claim), (NODES, member.node))


def running_of(joined: Iterable[Joined], more: Iterable[Running]) -> tuple[Running, ...]:
    """Give all commands that were begun: those on the cluster, and those not to be seen there yet."""
    found = {name: one.running for name, one in find_underway(joined).items()}
    return (*found.values(), *(one for one in more if one.id not in found))
