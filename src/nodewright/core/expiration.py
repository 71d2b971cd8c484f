"""Expiration: a claim that has lived as long as it may is deleted; its node still drains first."""

from collections.abc import Iterator

from nodewright.core.lifecycle import age_ms
from nodewright.model.decision import Delete, rest_on
from nodewright.model.duration import BadDuration, parse_duration_or_never
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
    try:
        length_ms = parse_duration_or_never(claim.spec.expire_after)
    except BadDuration:
        return False
    return length_ms is not None and age_ms(claim, now_ms) >= length_ms
