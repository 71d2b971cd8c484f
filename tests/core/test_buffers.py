"""Buffers: the room they find, the claims they get, and what is written on them."""

import msgspec

from builders import a_node, a_node_claim, a_pod, a_type, a_volume_claim, a_world
from builders.buffers import a_buffer, a_pod_template
from builders.lives import with_conditions, with_meta, with_status
from nodewright.core.buffers import keep_room, make_pieces, with_pieces
from nodewright.core.buffers_size import resolve
from nodewright.model.decision import Change, Launch
from nodewright.model.labels import INSTANCE_TYPE

TYPE = a_type("large", cpu=8)
SHAPE = a_pod_template(cpu=2, labels={"app": "web"})


def decided(*things, **options):
    return list(keep_room(a_world(*things, TYPE, pending_rule="live", **options)))


def launches(decisions):
    return [one for one in decisions if isinstance(one, Launch)]


def written(decisions):
    """Give the conditions that are written, as type: (status, reason)."""
    (change,) = [one for one in decisions if isinstance(one, Change)]
    conditions = change.change["status"]["conditions"]
    return {one["type"]: (one["status"], one["reason"]) for one in conditions}


def test_room_that_is_there_is_enough():
    found = decided(a_buffer(replicas=2), SHAPE, a_node(cpu=4))

    assert launches(found) == []
    assert written(found) == {
        "ReadyForProvisioning": ("True", "Resolved"),
        "Provisioning": ("True", "FitsExistingCapacity"),
    }


def test_room_that_is_missing_is_made():
    found = decided(a_buffer(replicas=3), SHAPE, a_node(cpu=4))

    (launch,) = launches(found)
    assert launch.claim.spec.resources.requests["cpu"] == "2"
    assert "default/spare" in launch.note
    assert written(found)["Provisioning"] == ("False", "RequiresNewCapacity")


def test_a_node_that_is_starting_is_not_there_yet():
    starting = a_node_claim("c", cpu=8, labels={INSTANCE_TYPE: "large"})
    found = decided(a_buffer(replicas=1), SHAPE, starting)

    assert launches(found) == []
    assert written(found)["Provisioning"] == ("False", "RequiresNewCapacity")
    assert "1 have one that is starting" in found[0].note


def test_what_cannot_be_made_is_said_with_its_code():
    found = decided(a_buffer(replicas=1), a_pod_template(cpu=99))
    (change,) = found

    (message,) = [
        one["message"]
        for one in change.change["status"]["conditions"]
        if one["type"] == "Provisioning"
    ]
    assert "1 of 1 pieces need new nodes; 1 cannot get one" in message
    assert "NW-12" in message


def test_nobody_is_told_about_pieces():
    kinds = {one.kind for one in decided(a_buffer(replicas=3), SHAPE, a_node(cpu=2))}

    assert kinds == {"Launch", "Change"}


def test_an_empty_buffer_and_one_without_shape_say_so():
    assert written(decided(a_buffer(replicas=0), SHAPE))["Provisioning"] == (
        "False",
        "BufferEmpty",
    )
    assert written(decided(a_buffer(replicas=1))) == {
        "ReadyForProvisioning": ("False", "PodTemplateNotFound"),
        "Provisioning": ("False", "NotReadyForProvisioning"),
    }


def test_the_status_says_what_was_counted():
    (change,) = decided(a_buffer(replicas=2), SHAPE, a_node(cpu=8))
    status = change.change["status"]

    assert status["replicas"] == 2
    assert status["podTemplateRef"] == {"name": "shape"}
    assert status["podTemplateGeneration"] == 3
    assert status["provisioningStrategy"] == "buffer.x-k8s.io/active-capacity"


def test_what_is_written_already_is_not_written_again():
    things = (SHAPE, a_node(cpu=8))
    (change,) = decided(a_buffer(replicas=2), *things)
    status = msgspec.convert(change.change["status"], type(a_buffer().status))
    buffer = msgspec.structs.replace(a_buffer(replicas=2), status=status)

    assert decided(buffer, *things) == []


def test_buffers_of_other_strategies_and_those_that_go_are_left_alone():
    other = a_buffer(replicas=1, provisioningStrategy="example.org/cold")
    going = with_meta(a_buffer(replicas=1), deletion_timestamp="2026-01-01T00:00:00Z")

    assert decided(other, SHAPE) == decided(going, SHAPE) == []


def test_a_shut_gate_stops_everything():
    assert decided(a_buffer(replicas=1), SHAPE, feature_gates={"CapacityBuffer": False}) == []


def test_pods_that_wait_are_none_of_a_buffers_business():
    waiting = with_conditions(a_pod("p", cpu=8), PodScheduled="False")
    waiting = with_status(waiting, phase="Pending")
    found = decided(a_buffer(replicas=1), SHAPE, waiting)

    assert [one.claim.spec.resources.requests["cpu"] for one in launches(found)] == ["2"]


def test_room_on_a_node_that_goes_is_no_room():
    going = a_node(cpu=8, deleted="2026-01-01T00:00:00Z")
    found = decided(a_buffer(replicas=1), SHAPE, going, a_pod("p", cpu=1, node="node"))

    (launch,) = launches(found)
    assert launch.claim.spec.resources.requests["cpu"] == "2"


def test_a_piece_is_a_pod_without_volumes_under_a_name_that_no_pod_can_have():
    template = a_pod_template(cpu=1, claims=[a_volume_claim("data")], labels={"app": "web"})
    (piece, _) = make_pieces(resolve(a_buffer(replicas=2), a_world(template)))

    assert piece.spec.volumes == ()
    assert piece.key == "default/spare#0"
    assert piece.metadata.labels == {"app": "web"}


def test_simulations_can_have_the_pieces_among_the_pods():
    world = a_world(a_buffer(replicas=2), SHAPE, a_pod("p"))

    assert [one.key for one in with_pieces(world).pods] == [
        "default/p",
        "default/spare#0",
        "default/spare#1",
    ]
    assert with_pieces(a_world(a_pod("p"))).pods == (a_pod("p"),)
