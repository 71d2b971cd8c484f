"""Snapshots written: everything that a decision knew is in them, and nothing private is."""

import msgspec

from builders import NOW_MS, a_node, a_pod, a_pool, a_type, a_world
from builders.lives import a_claim, with_meta, with_spec
from nodewright.model.beside import Beside, Outcomes, TypeCount
from nodewright.model.cloudview import CloudNotice, CloudView, SeenMachine
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassSpec
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodepolicy import NodePolicy
from nodewright.model.world import BadPod, World
from nodewright.state.expectations import Expectations, Held
from nodewright.state.kinds import FIELDS
from nodewright.state.live import look_ahead
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata, write_snapshot

_META = SnapshotMetadata(name="test")
_NO_OBJECTS = {"now_ms", "bad_pods", "instance_types", "options", "beside"}


def again(world, held=None):
    """The World that is read from what is written of one."""
    return read_snapshot(write_snapshot(world, _META, held=held), "test").world


def test_every_field_of_a_world_is_written():
    assert set(World.__struct_fields__) == set(FIELDS) | _NO_OBJECTS


def test_what_the_objects_do_not_tell_comes_back():
    beside = Beside(
        cloud=CloudView((SeenMachine("aws:///a/i-1", "claim", 5),), frozenset({"b", "a"})),
        notices=(CloudNotice("receipt", "interruption", ("aws:///a/i-1",), {"zone": "a"}),),
        outcomes={"uid": Outcomes("uid", 3, (True, False))},
        pod_events_ms={"node": NOW_MS},
        type_counts=(TypeCount("karpenter.k8s.aws", "EC2NodeClass", "default", 3),),
    )
    world = msgspec.structs.replace(
        a_world(a_type(), BadPod("default/odd", "it is odd"), pending_rule="live"), beside=beside
    )

    assert again(world) == world


def test_a_policy_comes_back():
    policy = NodePolicy(metadata=ObjectMeta(name="slow"))
    world = msgspec.structs.replace(a_world(a_type()), node_policies=(policy,))

    assert again(world) == world


def test_a_pool_without_types_is_given_none():
    world = msgspec.structs.replace(a_world(a_pool("bare")), instance_types={})

    assert again(world).instance_types == {"bare": ()}


def test_what_is_on_its_way_counts_as_there_when_a_snapshot_is_read():
    pod, claim = with_meta(a_pod(), uid="pod-1"), a_claim("new")
    world = a_world(pod, a_type(), pending_rule="live")
    expectations = Expectations()
    expectations.create(claim, ["pod-1"], NOW_MS)
    held = expectations.hold()
    read = again(world, held)

    assert read == look_ahead(world, Expectations.of(held))
    assert read.pods[0].spec.node_name == "new"
    assert [one.metadata.name for one in read.nodes] == ["new"]


def test_a_live_snapshot_of_a_process_that_expects_nothing_still_counts_claims_without_nodes():
    world = msgspec.structs.replace(a_world(a_type()), node_claims=(a_claim("new"),))

    assert [one.metadata.name for one in again(world, Held()).nodes] == ["new"]
    assert again(world).nodes == ()


def test_nothing_private_is_written():
    manifest = {"kubectl.kubernetes.io/last-applied-configuration": "PASSWORD=1"}
    pod = with_meta(
        a_pod(),
        annotations={
            **manifest,
            "vault.example.com/token": "PASSWORD=2",
            "karpenter.sh/do-not-disrupt": "true",
        },
    )
    node = with_meta(a_node(), annotations={**manifest, "example.com/rack": "7"})
    node_class = with_spec(
        EC2NodeClass(metadata=ObjectMeta(name="default"), spec=EC2NodeClassSpec()),
        user_data="PASSWORD=3",
    )
    world = msgspec.structs.replace(a_world(pod, node, a_type()), node_classes=(node_class,))
    read = again(world)

    assert b"PASSWORD" not in write_snapshot(world, _META)
    assert read.pods[0].metadata.annotations == {"karpenter.sh/do-not-disrupt": "true"}
    assert read.nodes[0].metadata.annotations == {"example.com/rack": "7"}


def test_a_live_snapshot_may_show_a_pod_on_a_node_that_is_gone():
    world = a_world(a_pod(node="gone"), a_type(), pending_rule="live")

    assert again(world) == world
