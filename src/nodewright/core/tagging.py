"""Tags of machines that have become nodes: the node's name, which nobody knew when they were launched.

A claim says in an annotation that its machine has them, so that each is asked about once.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.lifecycle_conditions import REGISTERED, is_true
from nodewright.model.decision import Change, rest_on
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import find_kind
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, refer
from nodewright.model.world import World

TAGGED: Final = "karpenter.k8s.aws/tagged"
NAME_TAG: Final = "Name"
CLAIM_TAG: Final = "karpenter.sh/nodeclaim"
TAGGING: Final = "Tagging"


def tag_machines(world: World) -> Iterator[Change]:
    """Give the claims whose machines lack the tags that name their node."""
    for claim in world.node_claims:
        if needs_tags(claim):
            yield Change(
                subject=refer(NODE_CLAIMS, claim),
                reason=TAGGING,
                basis=rest_on((NODE_CLAIMS, claim)),
                change={"metadata": {"annotations": {TAGGED: "true"}}},
            )


def needs_tags(claim: NodeClaim) -> bool:
    """Tell whether a claim has become a node whose machine does not say so yet."""
    return (
        claim.metadata.deletion_timestamp is None
        and find_kind(claim.spec.node_class_ref) is NODE_CLASSES
        and bool(claim.status.provider_id and claim.status.node_name)
        and is_true(claim, REGISTERED)
        and claim.metadata.annotations.get(TAGGED) != "true"
    )


def tags_of(claim: NodeClaim) -> dict[str, str]:
    """Give the tags of a claim's machine once it is a node."""
    return {NAME_TAG: claim.status.node_name, CLAIM_TAG: claim.metadata.name}
