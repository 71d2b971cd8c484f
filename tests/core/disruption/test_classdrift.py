"""Drift from a class: what it says, images, groups, subnets, reservations and placement groups."""

import msgspec
import pytest

from builders.fleet import SIZES, a_fleet_node, a_fleet_pool, decided, fleet_world, on
from builders.lives import with_conditions, with_meta, with_spec, with_status
from nodewright.core.disruption.candidates import Census
from nodewright.core.disruption.classdrift import ClassJudge
from nodewright.core.disruption.drift import DriftJudge
from nodewright.model.beside import Beside
from nodewright.model.cloudview import CloudView, SeenMachine
from nodewright.model.disruption import Memory
from nodewright.model.ec2nodeclass import (
    AMIStatus,
    CapacityReservationStatus,
    EC2NodeClass,
    EC2NodeClassSpec,
    SecurityGroupStatus,
    SubnetStatus,
)
from nodewright.model.hashing import (
    EC2NODECLASS_HASH,
    EC2NODECLASS_HASH_VERSION,
    HASH_VERSION,
    hash_ec2nodeclass,
)
from nodewright.model.labels import CAPACITY_TYPE, PLACEMENT_GROUP_ID, RESERVATION_ID
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta
from nodewright.model.nodepool import NodeClassRef

ARCH = NodeSelectorRequirement(key="kubernetes.io/arch", operator="In", values=("amd64",))
OTHER = NodeSelectorRequirement(key="kubernetes.io/arch", operator="In", values=("arm64",))
REFERENCE = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")


def a_spec(**spec):
    return msgspec.convert({"amiFamily": "AL2023", "role": "nodes", **spec}, EC2NodeClassSpec)


def a_class(spec=None, ca="pem", **status):
    made = EC2NodeClass(ObjectMeta(name="default"), spec or a_spec())
    found = {
        "amis": (AMIStatus(id="ami-1", requirements=(ARCH,)),),
        "subnets": (SubnetStatus(id="subnet-1", zone="a"), SubnetStatus(id="subnet-2", zone="b")),
        "security_groups": (SecurityGroupStatus(id="sg-1"), SecurityGroupStatus(id="sg-2")),
    }
    made = with_conditions(with_status(made, **(found | status)), CapacityReservationsReady="True")
    stamp = {
        EC2NODECLASS_HASH: hash_ec2nodeclass(made.spec, ca),
        EC2NODECLASS_HASH_VERSION: HASH_VERSION,
    }
    return with_meta(made, annotations=stamp)


def a_node(stamped=None, version=HASH_VERSION, labels=None, **status):
    node, claim = a_fleet_node("n", labels=labels or {})
    claim = with_spec(claim, node_class_ref=REFERENCE)
    stamp = stamped if stamped is not None else hash_ec2nodeclass(a_spec(), "pem")
    notes = {EC2NODECLASS_HASH: stamp, EC2NODECLASS_HASH_VERSION: version}
    claim = with_meta(claim, annotations=notes)
    return node, with_status(claim, **({"image_id": "ami-1"} | status))


def a_machine(**more):
    node, _ = a_node()
    standing = {"subnet_id": "subnet-1", "security_groups": ("sg-2", "sg-1")}
    return SeenMachine(node.spec.provider_id, "claim-of-n", 0, **(standing | more))


def reason_of(node, node_class, machine=None):
    cloud = CloudView(machines=None if machine is None else (machine,))
    world = msgspec.structs.replace(fleet_world(node, node_class), beside=Beside(cloud=cloud))
    return DriftJudge(Census(world), Memory()).reason_of(node[1], a_fleet_pool())


def test_a_machine_as_its_class_would_make_it_has_not_drifted():
    assert reason_of(a_node(), a_class(), a_machine()) is None
    assert reason_of(a_node(), a_class()) is None


def test_a_class_that_says_something_else_drifts_its_machines():
    edited = a_class(a_spec(userData="echo"))
    later = msgspec.structs.replace(a_class(), spec=a_spec(userData="echo"))

    assert reason_of(a_node(), edited) == "NodeClassDrift"
    assert reason_of(a_node(), later) == "NodeClassDrift"


def test_another_certificate_drifts_where_both_know_theirs():
    assert reason_of(a_node(), a_class(ca="new")) == "NodeClassDrift"
    assert reason_of(a_node(hash_ec2nodeclass(a_spec())), a_class(ca="new")) is None


@pytest.mark.parametrize(("version", "expected"), [("v6", None), (HASH_VERSION, "NodeClassDrift")])
def test_stamps_of_other_versions_are_not_compared(version, expected):
    assert reason_of(a_node("1234", version), a_class()) == expected


def test_stamps_of_another_controller_are_compared_with_its_own():
    theirs = {EC2NODECLASS_HASH: "5678", EC2NODECLASS_HASH_VERSION: "v6"}
    node_class = with_meta(a_class(), annotations=theirs)

    assert reason_of(a_node("5678", "v6"), node_class) is None
    assert reason_of(a_node("1234", "v6"), node_class) == "NodeClassDrift"


def test_an_image_that_would_not_be_taken_today_drifts():
    newer = (AMIStatus(id="ami-2", requirements=(ARCH,)), AMIStatus(id="ami-1"))
    foreign = (AMIStatus(id="ami-0", requirements=(OTHER,)), *a_class().status.amis)

    assert reason_of(a_node(), a_class(amis=newer)) == "AMIDrift"
    assert reason_of(a_node(), a_class(amis=foreign)) is None
    assert reason_of(a_node(), a_class(amis=())) is None
    assert reason_of(a_node(image_id=""), a_class(amis=newer)) is None


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        ({"security_groups": ("sg-1",)}, "SecurityGroupDrift"),
        ({"security_groups": ("sg-1", "sg-2", "sg-3")}, "SecurityGroupDrift"),
        ({"subnet_id": "subnet-2"}, None),
        ({"subnet_id": "subnet-3"}, "SubnetDrift"),
        ({"subnet_id": "subnet-3", "security_groups": ()}, "SubnetDrift"),
    ],
)
def test_where_a_machine_stands_drifts_it(standing, expected):
    assert reason_of(a_node(), a_class(), a_machine(**standing)) == expected


def test_a_class_that_knows_no_network_drifts_nothing():
    unknown = a_class(subnets=(), security_groups=())

    assert reason_of(a_node(), unknown, a_machine(subnet_id="subnet-9")) is None


def test_a_reservation_that_the_class_has_lost_drifts():
    labels = {CAPACITY_TYPE: "reserved", RESERVATION_ID: "cr-1"}
    kept = (CapacityReservationStatus(id="cr-1"),)
    unsure = with_conditions(a_class(), CapacityReservationsReady="Unknown")

    assert reason_of(a_node(labels=labels), a_class()) == "CapacityReservationDrift"
    assert reason_of(a_node(labels=labels), a_class(capacity_reservations=kept)) is None
    assert reason_of(a_node(labels=labels), unsure) is None
    bought = a_node(labels=labels | {CAPACITY_TYPE: "on-demand"})
    assert reason_of(bought, a_class()) is None


def test_a_machine_outside_of_its_placement_group_drifts():
    by_id = a_class(a_spec(placementGroupSelector={"id": "pg-1"}))
    by_name = a_class(a_spec(placementGroupSelector={"name": "near"}))

    def node(spec, group):
        labels = {PLACEMENT_GROUP_ID: group} if group else None
        return a_node(hash_ec2nodeclass(spec, "pem"), labels=labels)

    assert reason_of(node(by_id.spec, "pg-1"), by_id) is None
    assert reason_of(node(by_id.spec, "pg-2"), by_id) == "PlacementGroupDrift"
    assert reason_of(node(by_id.spec, ""), by_id) == "PlacementGroupDrift"
    assert reason_of(node(a_spec(), "pg-1"), a_class()) == "PlacementGroupDrift"
    named = node(by_name.spec, "pg-1")
    assert reason_of(named, by_name) is None
    assert reason_of(named, by_name, a_machine(placement_group="near")) is None
    far = a_machine(placement_group="far")
    assert reason_of(named, by_name, far) == "PlacementGroupDrift"


def told(reason):
    node, claim = a_node()
    claim = with_conditions(claim, Drifted="True")
    last = msgspec.structs.replace(claim.status.conditions[-1], reason=reason)
    return node, with_status(claim, conditions=(*claim.status.conditions[:-1], last))


def test_what_was_found_before_holds_until_somebody_can_tell_again():
    assert reason_of(told("SubnetDrift"), a_class()) == "SubnetDrift"
    assert reason_of(told("SubnetDrift"), a_class(), a_machine()) is None
    assert reason_of(told("AMIDrift"), a_class()) is None
    assert reason_of(told("AMIDrift"), a_class(amis=())) == "AMIDrift"


def test_the_first_reason_counts_and_all_that_was_looked_at_is_told():
    node_class = a_class(a_spec(userData="echo"), amis=(AMIStatus(id="ami-2"),))
    judged = ClassJudge((a_machine(subnet_id="subnet-9"),)).judge(a_node()[1], node_class, SIZES[0])

    assert judged.reason == "NodeClassDrift"
    assert {"AMIDrift", "SubnetDrift", "SecurityGroupDrift"} <= judged.settled


def test_a_snapshot_tells_enough_to_replace_a_node_with_an_old_image():
    node = a_node()
    newer = a_class(amis=(AMIStatus(id="ami-2"),))
    [command] = decided(node, on(node, "3900m"), newer).commands

    assert command.detail == "AMIDrift"
