from nodewright.model.resource import NODES, PODS, Ref, key_of
from nodewright.ports.kube import Options
from sim.stage import Stage


def test_every_node_gets_its_pod_and_loses_it_with_the_node():
    stage = Stage(nodes=3)
    stage.work("agent", kind="DaemonSet")
    stage.run()
    assert stage.places() == ["n0", "n1", "n2"]
    stage.sim.cluster.kubelets.end("n1")
    stage.api.delete(NODES, "n1", "user")
    stage.run(3)

    assert stage.places() == ["n0", "n2"]


def test_only_nodes_that_are_selected_get_one():
    stage = Stage(nodes=1)
    stage.node("gpu", accelerator="yes")
    stage.work("driver", kind="DaemonSet", pod={"nodeSelector": {"accelerator": "yes"}})
    stage.run()

    assert stage.places() == ["gpu"]


def test_a_pod_that_is_deleted_comes_back_to_the_same_node():
    stage = Stage(nodes=2)
    stage.work("agent", kind="DaemonSet")
    stage.run()
    stage.api.delete(PODS, key_of(stage.pods()[0].metadata), "user")
    stage.run()

    assert stage.places() == ["n0", "n1"]


def test_a_cordon_does_not_keep_daemons_away():
    stage = Stage()
    stage.node("n")
    ref = Ref(NODES, "n")
    stage.sim.requests.patch(ref, {"spec": {"unschedulable": True}}, Options(), "user")
    stage.work("agent", kind="DaemonSet")
    stage.work("web")
    stage.run()

    assert stage.places() == ["", "n"]
