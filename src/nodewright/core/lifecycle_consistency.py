"""Consistency: whether a node has what its claim was promised. It only informs."""

from collections.abc import Iterator
from typing import Final

from nodewright.core.lifecycle import write_findings
from nodewright.core.lifecycle_conditions import FALSE, INITIALIZED, Finding, is_true, says
from nodewright.model.decision import Decision, Tell
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import BadQuantity, parse_resources, print_quantity
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World

CONSISTENT: Final = "ConsistentStateFound"
_PERCENT_MIN: Final = 90


def check_promises(world: World) -> Iterator[Decision]:
    """Tell of every working node whether it has what was promised, where that is not known yet."""
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    for claim in world.node_claims:
        node = nodes.get(claim.status.provider_id)
        going = claim.metadata.deletion_timestamp is not None
        if node is None or going or not is_true(claim, INITIALIZED):
            continue
        problem = broken_promise(claim, node)
        finding = Finding(CONSISTENT)
        if problem:
            finding = Finding(CONSISTENT, FALSE, "ConsistencyCheckFailed", problem)
        if not says(claim, finding):
            if problem:
                yield Tell(
                    subject=refer(NODE_CLAIMS, claim),
                    reason="FailedConsistencyCheck",
                    note=problem,
                    is_warning=True,
                )
            yield write_findings(claim, [finding], world.now_ms)


def broken_promise(claim: NodeClaim, node: Node) -> str:
    """Say of which resource that pods asked for the node has less than nine tenths."""
    try:
        asked = parse_resources(claim.spec.resources.requests)
        promised = claim.status.capacity_read
        has = node.status.capacity_read
    except BadQuantity:
        return ""
    for name in sorted(asked):
        want, have = promised.get(name, 0), has.get(name, 0)
        if asked[name] and have * 100 < want * _PERCENT_MIN:
            return f"promised {print_quantity(want, name)} {name}, has {print_quantity(have, name)}"
    return ""
