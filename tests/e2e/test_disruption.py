"""Disruption on a real control plane, under the controller's own role: load falls, pools are edited."""

import time

import msgspec
import pytest

from e2e.controller_rig import (
    Replica,
    a_budget,
    a_class,
    a_deployment,
    a_node_pool,
    count_running,
    furnish,
    sweep,
)

pytestmark = pytest.mark.e2e
SMALL = {"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": ["4"]}
LIMIT_S = 300


def a_pool(budget):
    pool = a_node_pool("default", SMALL)
    disruption = {"consolidateAfter": "0s", "budgets": [{"nodes": budget}]}
    return {**pool, "spec": {**pool["spec"], "disruption": disruption}}


def an_app(namespace, replicas):
    app = a_deployment(namespace, 0, replicas)
    containers = app["spec"]["template"]["spec"]["containers"]
    containers[0]["resources"]["requests"] = {"cpu": "900m", "memory": "256Mi"}
    return app


@pytest.fixture
def start(cluster, namespace, tmp_path):
    """Give what starts a cluster on which so many pods run; empty again afterwards."""
    kubeconfig = furnish(cluster)
    sweep(cluster)
    replica = Replica(kubeconfig, tmp_path)

    def begin(replicas, budget):
        cluster.create(a_class(), a_pool(budget), an_app(namespace, replicas))
        replica.start()
        cluster.wait_for(
            "all pods run", lambda: count_running(cluster, namespace) == replicas, limit_s=LIMIT_S
        )
        return replica

    yield begin
    replica.stop()
    sweep(cluster)


def names(cluster):
    """Name the claims that are not going away."""
    return {
        one["metadata"]["name"]
        for one in cluster.get("nodeclaims")["items"]
        if "deletionTimestamp" not in one["metadata"]
    }


def marked(cluster):
    return [
        one["metadata"]["name"]
        for one in cluster.get("nodeclaims")["items"]
        if any(c["type"] == "DisruptionReason" for c in one.get("status", {}).get("conditions", ()))
    ]


def has_drifted(cluster):
    return all(
        any(c["type"] == "Drifted" for c in one.get("status", {}).get("conditions", ()))
        for one in cluster.get("nodeclaims")["items"]
    )


def scale(cluster, namespace, replicas):
    cluster.kubectl("scale", "deployment", "app-0", f"--replicas={replicas}", "-n", namespace)


def edit(cluster):
    labels = {"spec": {"template": {"metadata": {"labels": {"team": "blue"}}}}}
    patch = msgspec.json.encode(labels).decode()
    cluster.kubectl("patch", "nodepool", "default", "--type=merge", "-p", patch)


def test_nodes_go_when_load_falls_and_a_pool_is_renewed_once_its_pods_may_go(
    cluster, namespace, start
):
    replica = start(12, "100%")
    before = names(cluster)
    scale(cluster, namespace, 3)
    cluster.wait_for("one node is left", lambda: len(names(cluster)) == 1, limit_s=LIMIT_S)
    cluster.wait_for("all pods run", lambda: count_running(cluster, namespace) == 3)
    assert len(before) >= 3
    (old,) = names(cluster)
    cluster.create(a_budget(namespace, "app-0", 3))
    time.sleep(1)
    edit(cluster)
    cluster.wait_for("it has drifted", lambda: has_drifted(cluster))
    time.sleep(12)
    assert names(cluster) == {old}
    assert marked(cluster) == []
    cluster.kubectl("delete", "pdb", "app-0", "-n", namespace)
    cluster.wait_for("it is replaced", lambda: old not in names(cluster), limit_s=LIMIT_S)
    cluster.wait_for("all pods run", lambda: count_running(cluster, namespace) == 3)
    cluster.wait_for("nothing else is left", lambda: len(names(cluster)) == 1, limit_s=LIMIT_S)
    assert replica.complaints() == []


@pytest.mark.soak
def test_two_hundred_nodes_become_fifty_and_then_others(cluster, namespace, start):
    replica = start(800, "20%")
    before = names(cluster)
    assert len(before) >= 200
    scale(cluster, namespace, 200)
    cluster.wait_for("fifty are left", lambda: len(names(cluster)) <= 50, limit_s=1_800)
    cluster.create(a_budget(namespace, "app-0", 200))
    old = names(cluster)
    edit(cluster)
    time.sleep(30)
    assert names(cluster) == old
    cluster.kubectl("delete", "pdb", "app-0", "-n", namespace)
    cluster.create(a_budget(namespace, "app-0", 170))
    cluster.wait_for("all are others", lambda: not old & names(cluster), limit_s=3_600)
    cluster.wait_for(
        "all pods run", lambda: count_running(cluster, namespace) == 200, limit_s=LIMIT_S
    )
    assert replica.complaints() == []
