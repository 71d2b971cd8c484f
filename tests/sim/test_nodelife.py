from nodewright.model.resource import NODES, PODS
from sim.stage import Stage


def keys(node):
    return {taint.key for taint in node.spec.taints}


def test_a_silent_node_is_tainted_and_forgiven():
    stage = Stage(nodes=1)
    stage.sim.cluster.kubelets.silence("n0", 60_000)
    stage.run(0.9)
    assert keys(stage.nodes()["n0"]) == {"node.kubernetes.io/unreachable"}
    stage.run(0.5)

    assert keys(stage.nodes()["n0"]) == set()


def test_pods_leave_a_node_that_stays_silent_when_their_patience_ends():
    stage = Stage(nodes=1)
    stage.work(replicas=1)
    stage.run()
    stage.sim.cluster.kubelets.silence("n0", 3_600_000)
    stage.run(5)
    assert stage.pods()[0].metadata.deletion_timestamp is None
    stage.run(2)

    dying = [pod for pod in stage.pods() if pod.metadata.deletion_timestamp is not None]
    assert len(dying) == 1


def test_pods_of_a_node_that_is_gone_are_removed():
    stage = Stage(nodes=1)
    stage.work(replicas=1)
    stage.run()
    (pod,) = stage.pods()
    stage.sim.cluster.kubelets.end("n0")
    stage.api.delete(NODES, "n0", "user")
    stage.run(3)

    assert stage.api.get(PODS, f"default/{pod.metadata.name}") is None


def test_daemon_pods_stay_on_a_silent_node():
    stage = Stage(nodes=1)
    stage.work("agent", kind="DaemonSet")
    stage.run()
    stage.sim.cluster.kubelets.silence("n0", 3_600_000)
    stage.run(10)

    assert [pod.metadata.deletion_timestamp for pod in stage.pods()] == [None]
