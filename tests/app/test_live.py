"""A live snapshot: what the mirror shows, with the types of the region that is meant."""

import pytest

from builders import NOW_MS, a_node, a_pod, a_pool
from builders.lives import with_meta, with_spec
from nodewright.app.live import Place, find_region, take_live, write_mirror
from nodewright.model.errors import UserError
from nodewright.model.kwoknodeclass import KWOKNodeClass
from nodewright.model.labels import REGION
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import KWOK_NODE_CLASSES, NODE_POOLS, NODES, PODS, WATCHED
from nodewright.state.mirror import Mirror
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata


def a_mirror(**found):
    """A mirror that knows these objects, and of every other kind none."""
    held = {"pods": PODS, "nodes": NODES, "pools": NODE_POOLS, "classes": KWOK_NODE_CLASSES}
    mirror = Mirror()
    for resource in WATCHED:
        mirror.replace(resource, [], "1")
    for name, things in found.items():
        mirror.replace(held[name], things, "1")
    return mirror


def a_kwok_pool(name="default", class_name="default"):
    reference = NodeClassRef(group="karpenter.kwok.sh", kind="KWOKNodeClass", name=class_name)
    pool = a_pool(name)
    template = with_spec(pool.spec.template, node_class_ref=reference)
    return with_spec(pool, template=template)


def test_pools_get_the_types_of_the_region_and_pods_wait_as_on_a_cluster():
    mirror = a_mirror(
        pods=[a_pod("p")],
        pools=[a_kwok_pool()],
        classes=[KWOKNodeClass(metadata=ObjectMeta(name="default"))],
    )
    taken = write_mirror(mirror, NOW_MS, SnapshotMetadata(name="mine", region="eu-west-1"))
    snapshot = read_snapshot(taken.document, "taken")

    assert taken.warnings == ()
    assert snapshot.metadata.region == "eu-west-1"
    assert snapshot.world.options.pending_rule == "live"
    zones = {
        offering.zone
        for one in snapshot.world.instance_types["default"]
        for offering in one.offerings
    }
    assert zones
    assert all(zone.startswith("eu-west-1") for zone in zones)


def test_a_pool_whose_class_is_not_there_is_told_and_stops_nobody():
    mirror = a_mirror(
        pools=[a_kwok_pool(), a_kwok_pool("lost", "nowhere")],
        classes=[KWOKNodeClass(metadata=ObjectMeta(name="default"))],
    )
    taken = write_mirror(mirror, NOW_MS, SnapshotMetadata())
    world = read_snapshot(taken.document, "taken").world

    assert "NodePool lost has no instance types" in taken.warnings[0]
    assert world.instance_types["lost"] == ()
    assert world.instance_types["default"] != ()


def test_the_region_is_the_one_that_most_nodes_are_in():
    regions = ("eu-west-1", "us-east-1", "us-east-1")
    nodes = [
        with_meta(a_node(f"n{index}"), labels={REGION: region})
        for index, region in enumerate(regions)
    ]

    assert find_region(a_mirror(nodes=nodes)) == "us-east-1"
    assert find_region(a_mirror()) == ""


def test_without_a_kubeconfig_it_is_said_what_to_do(tmp_path):
    with pytest.raises(UserError, match="no cluster is configured"):
        take_live(Place(), {"HOME": str(tmp_path)})
