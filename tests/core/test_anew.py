"""A cluster as if bought anew has the same pods to place, and none of our nodes."""

from builders import a_daemon_pod, a_node, a_node_claim, a_pod, a_pool, a_type, a_world
from builders.lives import with_spec
from nodewright.core.anew import as_if_new
from nodewright.model.labels import NODEPOOL

OURS = a_node("ours", labels={NODEPOOL: "default"})
FOREIGN = a_node("foreign")


def test_pods_of_our_nodes_wait_again_and_others_stay_where_they_are():
    pods = [
        with_spec(a_pod("moves"), node_name="ours"),
        with_spec(a_pod("stays"), node_name="foreign"),
        a_pod("waits"),
        a_daemon_pod("ours"),
    ]
    world = as_if_new(a_world(pods, OURS, FOREIGN, a_node_claim("c"), a_pool(), a_type()))

    assert {pod.metadata.name: pod.spec.node_name for pod in world.pods} == {
        "moves": "",
        "stays": "foreign",
    }
    assert [node.metadata.name for node in world.nodes] == ["foreign"]
    assert world.node_claims == ()
