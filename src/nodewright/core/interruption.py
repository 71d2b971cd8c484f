"""Interruption: what the cloud says of machines that will not stay.

A machine that is taken back, stopped or due for maintenance has its claim deleted, so that its node
drains while there is time and its pods are planned for at once. Pods of one that fails the cloud's own
checks are not waited for. A hint that a spot machine is at risk is only told, unless a NodePolicy says
that it is replaced. Messages come twice, late and in any order, and the same is found by asking: a
claim that goes already is left alone, and of several words about one the gravest counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.policies import PoolPolicy, read_policies
from nodewright.core.interruption_queue import judge_queue
from nodewright.core.lifecycle_conditions import REGISTERED, is_true
from nodewright.core.repair import hurry
from nodewright.model.cloudview import CloudNotice
from nodewright.model.decision import Decision, Delete, Tell, rest_on
from nodewright.model.labels import NODEPOOL
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref, refer
from nodewright.model.world import World

SPOT: Final = "spot_interrupted"
RESERVATION: Final = "capacity_reservation_interrupted"
REBALANCE: Final = "rebalance_recommendation"
PLANNED: Final = "event_status"
STATE: Final = "instance_state"
CHECKS: Final = ("instance_status", "system_status")
IMPAIRED_MS: Final = 120_000
ENDING: Final = "TerminatingOnInterruption"
CAPACITY_LOST: Final = frozenset((SPOT, RESERVATION, REBALANCE))
"""Kinds that say of an offering, and not only of a machine, that it is not to be had."""


class Meaning(msgspec.Struct, frozen=True):
    """What a kind of message means: the reason of its Event, and a sentence."""

    reason: str
    note: str


_UNHEALTHY: Final = "InstanceUnhealthy"
MEANINGS: Final = {
    "system_status": Meaning(_UNHEALTHY, "the host of the machine fails the cloud's check"),
    "instance_status": Meaning(_UNHEALTHY, "the machine fails the cloud's check"),
    "instance_terminated": Meaning("InstanceTerminating", "the machine is being terminated"),
    "instance_stopped": Meaning("InstanceStopping", "the machine is stopping"),
    SPOT: Meaning("SpotInterrupted", "the cloud takes the spot machine back"),
    RESERVATION: Meaning(
        "CapacityReservationInterrupted", "the cloud takes the machine's reserved capacity back"
    ),
    "scheduled_change": Meaning(_UNHEALTHY, "the cloud has planned work on the machine"),
    PLANNED: Meaning(_UNHEALTHY, "the cloud has planned work on the machine"),
    REBALANCE: Meaning(
        "SpotRebalanceRecommendation", "the spot machine is likely to be taken back"
    ),
}
"""Every kind that means something, the gravest first."""

_GRAVITY: Final = {kind: number for number, kind in enumerate(MEANINGS)}
ENDED: Final = frozenset(("instance_terminated", "instance_stopped"))
_STATES: Final = {
    "stopping": "instance_stopped",
    "stopped": "instance_stopped",
    "shutting-down": "instance_terminated",
    "terminated": "instance_terminated",
}


def decide_interruptions(world: World) -> Iterator[Decision]:
    """Give what is to be done about what the cloud says, and about its not being heard."""
    yield from heed(world, world.beside.notices)
    yield from judge_queue(world)


def heed(world: World, notices: Sequence[CloudNotice]) -> Iterator[Decision]:
    """Give what is to be done about notices, claim by claim; each is told of beside."""
    reach = _Reach(world)
    gravest: dict[str, tuple[NodeClaim, str]] = {}
    for notice in notices:
        kind = kind_of(notice)
        for claim in reach.claims_of(notice):
            known = gravest.get(claim.metadata.name)
            if known is None or _GRAVITY[kind] < _GRAVITY[known[1]]:
                gravest[claim.metadata.name] = (claim, kind)
    nodes = {one.spec.provider_id: one for one in world.nodes if one.spec.provider_id}
    for _, (claim, kind) in sorted(gravest.items()):
        node = nodes.get(claim.status.provider_id)
        yield from _tell(claim, node, kind)
        if reach.acts_on(claim, kind):
            yield from _end(claim, node, kind, world.now_ms)


def unsettled(world: World, notices: Iterable[CloudNotice]) -> tuple[CloudNotice, ...]:
    """Give the notices about which something is left to do."""
    reach = _Reach(world)
    return tuple(
        one
        for one in notices
        if any(reach.acts_on(claim, kind_of(one)) for claim in reach.claims_of(one))
    )


def kind_of(notice: CloudNotice) -> str:
    """Give the kind that a notice counts as, or nothing; changes of state count by the state."""
    kind = notice.kind
    if kind == STATE:
        kind = _STATES.get(notice.detail.get("state", "").lower(), "")
    return kind if kind in MEANINGS else ""


def machine_of(claim: NodeClaim) -> str:
    """Give the name by which messages speak of a claim's machine."""
    return claim.status.provider_id.rpartition("/")[2]


class _Reach:
    """Which claims notices are about, and what may be done to them."""

    def __init__(self, world: World) -> None:
        self._now_ms = world.now_ms
        self._policies = read_policies(world.node_pools, world.node_policies)
        live = [one for one in world.node_claims if one.metadata.deletion_timestamp is None]
        self._by_machine = {machine_of(one): one for one in live if one.status.provider_id}
        # Its machine runs, and the claim does not say so yet.
        self._unwritten = {one.metadata.name: one for one in live if not one.status.provider_id}

    def claims_of(self, notice: CloudNotice) -> Iterator[NodeClaim]:
        """Give the live claims that a notice which means something is about."""
        kind = kind_of(notice)
        if not kind or (kind in CHECKS and not is_lasting(notice)):
            return
        for machine in notice.machines:
            if machine in self._by_machine:
                yield self._by_machine[machine]
        for name in notice.claims:
            if name in self._unwritten:
                yield self._unwritten[name]

    def acts_on(self, claim: NodeClaim, kind: str) -> bool:
        """Tell whether a kind of notice ends a claim.

        One whose machine ended before it was a node has to say why first, which is found by asking.
        """
        if kind in ENDED:
            return is_true(claim, REGISTERED)
        if kind != REBALANCE:
            return True
        policy = self._policies.get(claim.metadata.labels.get(NODEPOOL, ""), PoolPolicy())
        paused_ms = policy.paused_until_ms
        return policy.replaces_at_risk and (paused_ms is None or paused_ms <= self._now_ms)


def is_lasting(notice: CloudNotice) -> bool:
    """Tell whether a check had failed for long enough when the cloud was asked."""
    since, asked = (notice.detail.get(name, "") for name in ("since", "asked"))
    return since.isdecimal() and asked.isdecimal() and int(asked) - int(since) >= IMPAIRED_MS


def _subjects(claim: NodeClaim, node: Node | None) -> tuple[Ref, ...]:
    own = refer(NODE_CLAIMS, claim)
    return (own,) if node is None else (own, refer(NODES, node))


def _tell(claim: NodeClaim, node: Node | None, kind: str) -> Iterator[Tell]:
    meaning = MEANINGS[kind]
    for ref in _subjects(claim, node):
        yield Tell(
            subject=ref, reason=meaning.reason, note=meaning.note, is_warning=kind != REBALANCE
        )


def _end(claim: NodeClaim, node: Node | None, kind: str, now_ms: int) -> Iterator[Decision]:
    note = MEANINGS[kind].note
    for ref in _subjects(claim, node):
        yield Tell(subject=ref, reason=ENDING, note=f"ended because {note}", is_warning=True)
    deadline = hurry(claim, now_ms) if kind in CHECKS else None
    yield deadline or Delete(
        subject=refer(NODE_CLAIMS, claim),
        reason=kind,
        note=note,
        basis=rest_on((NODE_CLAIMS, claim)),
    )
