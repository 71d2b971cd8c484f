from nodewright.model.labels import UNREGISTERED_TAINT
from nodewright.model.quantity import parse_resources
from nodewright.model.resource import PODS, key_of
from nodewright.sim.kubelet import STOPS_AFTER, Host
from sim.stage import Stage

ROOM = parse_resources({"cpu": "2", "memory": "4Gi", "pods": "10"})


def test_a_machine_registers_tainted_and_becomes_ready():
    stage = Stage()
    stage.sim.cluster.kubelets.boot(Host("m", "aws:///a/i-1", ROOM, ROOM))
    stage.run()
    node = stage.nodes()["m"]

    assert [taint.key for taint in node.spec.taints] == [UNREGISTERED_TAINT]
    assert [(one.type, one.status) for one in node.status.conditions] == [("Ready", "True")]


def test_a_machine_may_fail_to_register_or_to_get_ready():
    stage = Stage()
    kubelets = stage.sim.cluster.kubelets
    kubelets.boot(Host("mute", "aws:///a/i-1", ROOM, ROOM), registers=False)
    kubelets.boot(Host("sick", "aws:///a/i-2", ROOM, ROOM), gets_ready=False)
    stage.run(10)

    assert list(stage.nodes()) == ["sick"]
    assert stage.nodes()["sick"].status.conditions[0].status == "False"


def test_a_pod_that_stops_slowly_is_ended_by_its_grace():
    stage = Stage(nodes=1)
    stage.work(replicas=1, annotations={STOPS_AFTER: "10m"})
    stage.run()
    (pod,) = stage.pods()
    stage.api.delete(PODS, key_of(pod.metadata), "user")
    stage.run(0.4)
    assert stage.api.get(PODS, key_of(pod.metadata)) is not None
    stage.run(0.2)

    assert stage.api.get(PODS, key_of(pod.metadata)) is None


def test_a_pod_with_a_time_to_run_succeeds_by_itself():
    stage = Stage(nodes=1)
    stage.work("once", kind="Job", runs_for="20s")
    stage.run(0.3)
    assert [pod.status.phase for pod in stage.pods()] == ["Running"]
    stage.run(0.3)

    assert [pod.status.phase for pod in stage.pods()] == ["Succeeded"]
