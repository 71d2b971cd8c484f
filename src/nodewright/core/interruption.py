"""Interruption: what the cloud says of machines that will not stay.

A machine that is taken back, stopped or due for maintenance has its claim deleted, so that its node
drains while there is time and its pods are planned for at once. A rebalance recommendation is only
told. A notice is settled when nothing is left to do about it; until then it comes again.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nodewright.model.cloudview import CloudNotice
from nodewright.model.decision import Decision, Delete, Tell, rest_on
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World

REBALANCE: Final = "rebalance_recommendation"
STATE: Final = "instance_state"
_EVENTS: Final = {
    "spot_interrupted": ("SpotInterrupted", "the cloud takes the spot machine back"),
    "scheduled_change": ("InstanceUnhealthy", "the cloud has planned work on the machine"),
    "instance_stopped": ("InstanceStopping", "the machine is stopping"),
    "instance_terminated": ("InstanceTerminating", "the machine is being terminated"),
    REBALANCE: ("SpotRebalanceRecommendation", "the spot machine is likely to be taken back"),
}
_STATES: Final = {
    "stopping": "instance_stopped",
    "stopped": "instance_stopped",
    "shutting-down": "instance_terminated",
    "terminated": "instance_terminated",
}


def heed(world: World, notices: Sequence[CloudNotice]) -> Iterator[Decision]:
    """Give what is to be done about notices; a claim that goes already is left alone."""
    for notice in notices:
        kind = kind_of(notice)
        if kind not in _EVENTS:
            continue
        reason, note = _EVENTS[kind]
        for claim in _live_claims(world, notice):
            ref = refer(NODE_CLAIMS, claim)
            yield Tell(subject=ref, reason=reason, note=note, is_warning=kind != REBALANCE)
            if kind != REBALANCE:
                yield Delete(
                    subject=ref, reason=kind, note=note, basis=rest_on((NODE_CLAIMS, claim))
                )


def is_settled(world: World, notice: CloudNotice) -> bool:
    """Tell whether nothing is left to do about a notice."""
    kind = kind_of(notice)
    return kind not in _EVENTS or kind == REBALANCE or not _live_claims(world, notice)


def kind_of(notice: CloudNotice) -> str:
    """Give the kind that a notice counts as; changes of state count by the state."""
    if notice.kind == STATE:
        return _STATES.get(notice.detail.get("state", "").lower(), "")
    return notice.kind


def _live_claims(world: World, notice: CloudNotice) -> list[NodeClaim]:
    return [
        claim
        for claim in world.node_claims
        if claim.status.provider_id in notice.provider_ids
        and claim.metadata.deletion_timestamp is None
    ]
