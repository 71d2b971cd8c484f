"""Nodes whose reservation ends: blocks take them along, others let them go on."""

import msgspec
import pytest

from builders import a_world
from builders.fleet import a_fleet_node
from builders.lives import with_meta, with_status
from nodewright.core.reserved import keep_reserved
from nodewright.model.beside import Beside
from nodewright.model.cloudview import CloudView, SeenMachine
from nodewright.model.decision import Delete, Tell
from nodewright.model.ec2nodeclass import CapacityReservationStatus, EC2NodeClass
from nodewright.model.labels import CAPACITY_TYPE, RESERVATION_ID
from nodewright.model.metadata import ObjectMeta

LABELS = {CAPACITY_TYPE: "reserved", RESERVATION_ID: "cr-1"}


def a_reserved_node(labels=None):
    return a_fleet_node("n", capacity_type="reserved", labels=labels or LABELS)


def a_class(**reservation):
    status = CapacityReservationStatus(id="cr-1", **reservation)
    made = EC2NodeClass(ObjectMeta(name="default"))
    return with_status(made, capacity_reservations=(status,))


def decided(node, node_class, bought=None):
    machines = None
    if bought is not None:
        machines = (SeenMachine(node[0].spec.provider_id, "c", 0, capacity_type=bought),)
    world = a_world(node, node_class)
    beside = Beside(cloud=CloudView(machines=machines))
    return list(keep_reserved(msgspec.structs.replace(world, beside=beside)))


def test_a_capacity_block_that_ends_takes_its_claims_along():
    told, gone = decided(
        a_reserved_node(), a_class(reservation_type="capacity-block", state="expiring")
    )

    assert isinstance(told, Tell)
    assert isinstance(gone, Delete)
    assert gone.reason == "capacity_reservation_expiring"
    assert "cr-1" in gone.note


@pytest.mark.parametrize(
    "reservation",
    [
        {"reservation_type": "capacity-block"},
        {"reservation_type": "default", "state": "expiring"},
    ],
)
def test_any_other_reservation_lets_them_be(reservation):
    assert decided(a_reserved_node(), a_class(**reservation), "reserved") == []


def test_a_machine_that_goes_on_without_its_reservation_is_labelled_as_bought():
    node, claim = decided(a_reserved_node(), a_class(), "on-demand")
    labels = node.change["metadata"]["labels"]

    assert (node.subject.resource.kind, claim.subject.resource.kind) == ("Node", "NodeClaim")
    assert labels[CAPACITY_TYPE] == "on-demand"
    assert labels[RESERVATION_ID] is None
    assert claim.change == node.change


def test_a_node_that_was_left_behind_is_labelled_too():
    node, claim = a_reserved_node()
    done = with_meta(claim, labels={**claim.metadata.labels, CAPACITY_TYPE: "on-demand"})
    [step] = decided((node, done), a_class(), "on-demand")

    assert step.subject.resource.kind == "Node"


def test_without_an_answer_of_the_cloud_nothing_is_labelled():
    assert decided(a_reserved_node(), a_class()) == []


def test_what_is_going_already_is_left_alone():
    node, claim = a_reserved_node()
    going = with_meta(claim, deletion_timestamp="2026-01-01T00:00:00Z")

    assert decided((node, going), a_class(), "on-demand") == []
