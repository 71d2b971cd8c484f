import pytest

from nodewright.model.resource import PODS, Ref
from nodewright.ports.kube import Options
from nodewright.sim.scheduler.scheduler import sample_size
from sim.stage import Stage


def test_pods_go_where_most_is_left():
    stage = Stage()
    stage.node("small", cpu="2")
    stage.node("large", cpu="32", memory="128Gi")
    stage.work(replicas=1)
    stage.run()

    assert stage.places() == ["large"]


def test_the_important_go_first():
    stage = Stage()
    stage.put({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10})
    stage.work("low", replicas=2, cpu="600m")
    stage.work("high", replicas=1, cpu="600m", pod={"priorityClassName": "high"})
    stage.run()
    stage.node("late", cpu="1")
    stage.run()

    (placed,) = [pod for pod in stage.pods() if pod.spec.node_name]
    assert placed.metadata.labels["app"] == "high"


def test_host_ports_are_taken_once_a_node():
    stage = Stage(nodes=2)
    ports = [{"resources": {}, "ports": [{"containerPort": 80, "hostPort": 8080}]}]
    stage.work(replicas=3, pod={"containers": ports})
    stage.run()

    assert stage.places() == ["", "n0", "n1"]


def test_a_gated_pod_is_not_looked_at():
    stage = Stage(nodes=1)
    stage.work(pod={"schedulingGates": [{"name": "wait"}]})
    stage.run()
    (pod,) = stage.pods()

    assert (pod.spec.node_name, pod.status.conditions) == ("", ())


def test_room_that_is_nominated_to_another_is_left_alone():
    stage = Stage()
    stage.work("first", cpu="600m")
    stage.run(0.1)
    (first,) = stage.pods()
    ref = Ref(PODS, first.metadata.name, "default")
    change = {"status": {"nominatedNodeName": "late"}}
    stage.sim.requests.patch(ref, change, Options(subresource="status"), "autoscaler")
    stage.work("second", cpu="600m")
    stage.run()
    stage.node("late", cpu="1")
    stage.run()

    bound = {pod.metadata.labels["app"]: pod.spec.node_name for pod in stage.pods()}
    assert bound == {"first": "late", "second": ""}


def test_room_that_is_no_longer_nominated_helps_others_at_once():
    stage = Stage()
    stage.work("first", cpu="600m", pod={"nodeSelector": {"disk": "fast"}})
    stage.run(0.1)
    ref = Ref(PODS, stage.pods()[0].metadata.name, "default")
    for name, others in (("late", [""]), ("", ["late"])):
        change = {"status": {"nominatedNodeName": name}}
        stage.sim.requests.patch(ref, change, Options(subresource="status"), "autoscaler")
        if name:
            stage.work("second", cpu="600m")
            stage.node("late", cpu="1")
        stage.run(30)

        found = [
            one.spec.node_name for one in stage.pods() if one.metadata.labels["app"] == "second"
        ]
        assert found == others


def test_a_budget_is_spared_by_preemption_where_there_is_a_choice():
    stage = Stage(nodes=2, cpu="1")
    stage.put({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 10})
    guarded = {"matchLabels": {"app": "guarded"}}
    spec = {"maxUnavailable": 0, "selector": guarded}
    meta = {"name": "b", "namespace": "default"}
    stage.put({"kind": "PodDisruptionBudget", "metadata": meta, "spec": spec})
    stage.work("guarded", cpu="800m")
    stage.run()
    stage.work("plain", cpu="800m")
    stage.run()
    stage.work("high", cpu="800m", pod={"priorityClassName": "high"})
    stage.run(2)

    running = {pod.metadata.labels["app"] for pod in stage.pods(phase="Running")}
    assert running == {"guarded", "high"}


@pytest.mark.parametrize(("count", "looked_at"), [(50, 50), (100, 100), (150, 100), (1000, 420)])
def test_as_many_nodes_are_looked_at_as_kube_scheduler_would(count, looked_at):
    assert sample_size(count) == looked_at


def test_a_pod_that_waits_is_tried_again_when_room_comes_free():
    stage = Stage(nodes=1, cpu="1")
    stage.work("job", kind="Job", cpu="800m", runs_for="90s")
    stage.run(0.2)
    stage.work("next", cpu="800m")
    stage.run(1)
    assert len(stage.pods(phase="Pending")) == 1
    stage.run(2)

    assert [p.metadata.labels["app"] for p in stage.pods(phase="Running")] == ["next"]


def test_soft_spread_over_zones_is_kept_when_it_can_be():
    stage = Stage()
    for number, zone in enumerate(("zone-a", "zone-a", "zone-b")):
        stage.node(f"n{number}", zone=zone)
    rule = {
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    stage.work(replicas=4, pod={"topologySpreadConstraints": [rule]})
    stage.run()

    assert stage.places().count("n2") == 2
