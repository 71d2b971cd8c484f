"""What is there, as rows of a page: in base units, with the labels that dashboards ask for."""

from prometheus_client.parser import text_string_to_metric_families

from builders import a_container, a_node, a_pod, a_pool, a_type, a_world
from builders.lives import MINUTE_MS, ago, with_conditions, with_meta, with_status
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE
from nodewright.observe.cluster import fill
from nodewright.observe.families import GAUGES, snake
from nodewright.observe.page import Page

MARKS = {INSTANCE_TYPE: "m5.large", CAPACITY_TYPE: "spot"}


def rows(*things):
    page = Page()
    fill(page, a_world(*things, a_type()))
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(page.write().decode())
        for sample in family.samples
    }


def test_a_node_tells_what_it_has_and_what_is_asked_of_it():
    node = with_meta(
        a_node("n", cpu=4, memory="16Gi", pool="general", labels=MARKS),
        creation_timestamp=ago(MINUTE_MS),
    )
    daemon = a_pod("d", node="n", cpu="500m", owner=("DaemonSet", "agent"))
    told = rows(node, a_pod(node="n", cpu="1500m"), daemon)
    marks = sorted(["n", "true", "general", "zone-a", "amd64", "linux", "m5.large", "spot"])

    def of(name, *more):
        return told[(name, *sorted([*marks, *more]))]

    assert of("karpenter_nodes_allocatable", "cpu") == 4
    assert of("karpenter_nodes_allocatable", "memory") == 16 * 2**30
    assert of("karpenter_nodes_total_pod_requests", "cpu") == 2
    assert of("karpenter_nodes_total_daemon_requests", "cpu") == 0.5
    assert of("karpenter_nodes_system_overhead", "cpu") == 0
    assert of("karpenter_nodes_current_lifetime_seconds") == 60
    assert told[("karpenter_cluster_utilization_percent", "cpu")] == 50
    assert told[("karpenter_cluster_state_node_count",)] == 1


def test_limits_of_containers_are_summed():
    pod = a_pod(node="n", containers=[a_container(limits={"cpu": 2})])
    told = rows(a_node("n"), pod)

    assert [
        value
        for (name, *labels), value in told.items()
        if name == "karpenter_nodes_total_pod_limits" and "cpu" in labels
    ] == [2]


def test_a_pool_tells_its_limit_and_what_it_uses():
    pool = with_status(
        a_pool("general", limits={"cpu": 100}), resources={"cpu": "6", "ephemeral-storage": "20Gi"}
    )
    told = rows(pool)

    assert told[("karpenter_nodepools_limit", "cpu", "general")] == 100
    assert told[("karpenter_nodepools_usage", "cpu", "general")] == 6
    assert told[("karpenter_nodepools_usage", "ephemeral_storage", "general")] == 20 * 2**30


def test_a_pod_tells_where_it_is_and_how_long_it_waits():
    waiting = a_pod("p", created=ago(MINUTE_MS), owner=("ReplicaSet", "web"), phase="Pending")
    told = rows(waiting)

    assert told[("karpenter_pods_unbound_time_seconds", "default", "p")] == 60
    assert told[("karpenter_pods_unstarted_time_seconds", "default", "p")] == 60
    state = next(name for name in told if name[0] == "karpenter_pods_state")
    assert "Pending" in state
    assert any(one.endswith("/namespaces/default/replicasets/web") for one in state)


def test_a_pod_that_is_ready_waits_for_nothing():
    ready = with_conditions(a_pod(node="n", created=ago(MINUTE_MS)), Ready="True")
    told = rows(a_node("n"), ready)

    assert not any("un" in name[0].removeprefix("karpenter_pods_")[:2] for name in told)


def test_an_amount_that_is_no_quantity_leaves_only_itself_out():
    told = rows(a_node("n", cpu="lots"), a_pod(node="n", memory="2GB"))

    assert told[("karpenter_cluster_state_node_count",)] == 1
    assert not any(name[0] == "karpenter_nodes_allocatable" for name in told)


def test_label_names_are_the_last_part_with_underscores():
    assert snake("topology.kubernetes.io/zone") == "zone"
    assert snake("karpenter.k8s.aws/instance-cpu") == "instance_cpu"
    assert snake("ephemeral-storage") == "ephemeral_storage"
    for family in GAUGES:
        assert len(set(family.labels)) == len(family.labels)
