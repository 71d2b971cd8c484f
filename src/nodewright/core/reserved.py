"""Nodes on reserved capacity: what becomes of them when their reservation ends.

A capacity block takes its machines with it, so their claims go some time before its end, and drain
meanwhile. Machines of any other reservation go on as what they are then, on-demand ones; they and their
nodes are labelled so, and are judged and priced as such from then on.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nodewright.model.decision import Change, Decision, Delete, Tell, rest_on
from nodewright.model.ec2nodeclass import CapacityReservationStatus, EC2NodeClass
from nodewright.model.labels import (
    CAPACITY_TYPE,
    ON_DEMAND,
    RESERVATION_ID,
    RESERVATION_INTERRUPTIBLE,
    RESERVATION_TYPE,
    RESERVED,
)
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES, Object, Resource, refer
from nodewright.model.world import World

EXPIRING: Final = "capacity_reservation_expiring"
LAPSED: Final = "ReservationLapsed"
_BLOCK: Final = "capacity-block"
_AS_BOUGHT: Final[Mapping[str, str | None]] = {
    CAPACITY_TYPE: ON_DEMAND,
    RESERVATION_ID: None,
    RESERVATION_TYPE: None,
    RESERVATION_INTERRUPTIBLE: None,
}


def keep_reserved(world: World) -> Iterator[Decision]:
    """Give what is to be done about nodes whose reservation ends or has ended."""
    reservations = {
        one.id: one
        for node_class in world.node_classes
        if isinstance(node_class, EC2NodeClass)
        for one in node_class.status.capacity_reservations
    }
    bought = {
        one.provider_id
        for one in world.beside.cloud.machines or ()
        if one.capacity_type == ON_DEMAND
    }
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    for claim in world.node_claims:
        if claim.metadata.deletion_timestamp is not None:
            continue
        if is_reserved(claim) and _is_ending(claim, reservations):
            yield from _end(claim)
        elif claim.status.provider_id in bought:
            yield from _relabel(claim, nodes.get(claim.status.provider_id))


def is_reserved(thing: NodeClaim | Node) -> bool:
    """Tell whether a node or claim says that it runs on reserved capacity."""
    return thing.metadata.labels.get(CAPACITY_TYPE) == RESERVED


def _is_ending(claim: NodeClaim, known: Mapping[str, CapacityReservationStatus]) -> bool:
    one = known.get(claim.metadata.labels.get(RESERVATION_ID, ""))
    return one is not None and one.reservation_type == _BLOCK and one.state == "expiring"


def _end(claim: NodeClaim) -> Iterator[Decision]:
    ref = refer(NODE_CLAIMS, claim)
    note = f"the capacity block {claim.metadata.labels[RESERVATION_ID]} is about to end"
    yield Tell(subject=ref, reason="CapacityReservationExpiring", note=note, is_warning=True)
    yield Delete(subject=ref, reason=EXPIRING, note=note, basis=rest_on((NODE_CLAIMS, claim)))


def _relabel(claim: NodeClaim, node: Node | None) -> Iterator[Change]:
    if node is not None and is_reserved(node):
        yield _label(NODES, node)
    if is_reserved(claim):
        yield _label(NODE_CLAIMS, claim)


def _label[T: Object](resource: Resource[T], thing: T) -> Change:
    change: dict[str, Any] = {"metadata": {"labels": dict(_AS_BOUGHT)}}
    return Change(
        subject=refer(resource, thing),
        reason=LAPSED,
        note="its capacity reservation is over, and it goes on as an on-demand machine",
        basis=rest_on((resource, thing)),
        change=change,
    )
