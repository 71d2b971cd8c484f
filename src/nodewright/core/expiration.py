"""Expiration: a claim that has lived as long as it may is deleted; its node still drains first."""

from collections.abc import Iterable, Iterator

from nodewright.model.decision import Delete, rest_on
from nodewright.model.duration import BadDuration, parse_duration_or_never
from nodewright.model.instant import parse_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World


def expire(world: World) -> Iterator[Delete]:
    """Give the claims whose time is over; neither budgets nor do-not-disrupt hold them."""
    for claim in world.node_claims:
        if claim.metadata.deletion_timestamp is None and is_expired(claim, world.now_ms):
            yield Delete(
                subject=refer(NODE_CLAIMS, claim),
                reason="expired",
                note=f"it is older than expireAfter ({claim.spec.expire_after})",
                basis=rest_on((NODE_CLAIMS, claim)),
            )


def is_expired(claim: NodeClaim, now_ms: int) -> bool:
    """Tell whether a claim has lived as long as it may; a length that cannot be read is no end."""
    end_ms = expires_at_ms(claim)
    return end_ms is not None and now_ms >= end_ms


def expires_at_ms(claim: NodeClaim) -> int | None:
    """Tell when a claim has lived as long as it may; nothing where that never comes."""
    try:
        length_ms = parse_duration_or_never(claim.spec.expire_after)
    except BadDuration:
        return None
    made = claim.metadata.creation_timestamp
    return parse_instant(made) + length_ms if made and length_ms is not None else None


def next_end_ms(claims: Iterable[NodeClaim]) -> int | None:
    """Tell when the next of some claims has lived as long as it may."""
    ends = (expires_at_ms(one) for one in claims if one.metadata.deletion_timestamp is None)
    return min((one for one in ends if one is not None), default=None)
