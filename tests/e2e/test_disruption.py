"""Disruption on a real control plane, under the controller's own role.

Load falls, pools are edited, nodes grow old and break, replacements do not come; budgets of pods hold.
"""

import time
from datetime import UTC, datetime, timedelta

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
from nodewright.model.remembered import MEMORY

pytestmark = pytest.mark.e2e
SMALL = {"key": "karpenter.k8s.aws/instance-cpu", "operator": "In", "values": ["4"]}
LIMIT_S = 300


NO_CAPACITY = "kwok.nodewright.dev/no-capacity"
GPU = "AcceleratedHardwareReady"


def a_pool(budget, after="0s", **template):
    pool = a_node_pool("default", SMALL)
    spec = pool["spec"]
    spec["template"]["spec"] |= template
    disruption = {"consolidateAfter": after, "budgets": [{"nodes": budget}]}
    return {**pool, "spec": {**spec, "disruption": disruption}}


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

    def begin(replicas, *more, pool=None, flags=()):
        cluster.create(a_class(), pool or a_pool("100%"), an_app(namespace, replicas), *more)
        replica.start(*flags)
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
    replica = start(12)
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


def going(cluster):
    """Name the claims that are going away."""
    return {one["metadata"]["name"] for one in cluster.get("nodeclaims")["items"]} - names(cluster)


def places(cluster, namespace):
    """Give where each pod runs."""
    return {
        one["metadata"]["name"]: one["spec"].get("nodeName")
        for one in cluster.get("pods", "-n", namespace)["items"]
    }


def told(cluster, reason):
    """Give what Events of a reason say."""
    path = "jsonpath={range .items[*]}{.regarding.name}{': '}{.note}{'\\n'}{end}"
    return cluster.kubectl(
        "get", "events.events.k8s.io", "-A", f"--field-selector=reason={reason}", "-o", path
    )


def has_failed(cluster):
    """Tell whether it is remembered of the pool that a replacement did not come."""
    annotations = cluster.get("nodepool", "default")["metadata"]["annotations"]
    return '"failures":1' in annotations.get(MEMORY, "")


def age(cluster, namespace, replicas, expire_after, limit_s=LIMIT_S):
    """Let all nodes grow too old, with a budget of pods that holds them for a while."""
    patch = {"spec": {"template": {"spec": {"expireAfter": "Never"}}}}
    cluster.kubectl(
        "patch", "nodepool", "default", "--type=merge", "-p", msgspec.json.encode(patch).decode()
    )
    old, at = names(cluster) | going(cluster), places(cluster, namespace)
    cluster.wait_for("all are too old", lambda: old <= going(cluster), limit_s=expire_after + 60)
    cluster.wait_for("others are made", lambda: names(cluster) - old, limit_s=limit_s)
    time.sleep(3)
    assert places(cluster, namespace).items() >= at.items()
    assert "disruption budget" in told(cluster, "FailedDraining")
    cluster.kubectl("delete", "pdb", "app-0", "-n", namespace)
    cluster.create(a_budget(namespace, "app-0", replicas // 2))
    cluster.wait_for("all are gone", lambda: not old & going(cluster), limit_s=limit_s)
    cluster.wait_for(
        "all pods run", lambda: count_running(cluster, namespace) == replicas, limit_s=limit_s
    )


@pytest.mark.parametrize(
    ("replicas", "expire_after"), [(6, 12), pytest.param(120, 90, marks=pytest.mark.soak)]
)
def test_nodes_that_are_too_old_go_whatever_budgets_say_once_their_pods_may(
    cluster, namespace, start, replicas, expire_after
):
    pool = a_pool("0", after="Never", expireAfter=f"{expire_after}s")
    replica = start(replicas, a_budget(namespace, "app-0", replicas), pool=pool)
    age(cluster, namespace, replicas, expire_after)
    assert replica.complaints() == []


def break_down(cluster, node, status, since_s=1_800):
    """Say of a node that its accelerators have been in a state for so long."""
    since = datetime.now(UTC) - timedelta(seconds=since_s)
    condition = {
        "type": GPU,
        "status": status,
        "lastTransitionTime": f"{since:%Y-%m-%dT%H:%M:%SZ}",
        "reason": "Test",
    }
    patch = msgspec.json.encode({"status": {"conditions": [condition]}}).decode()
    cluster.kubectl("patch", "node", node, "--subresource=status", "--type=strategic", "-p", patch)


@pytest.mark.parametrize("replicas", [9, pytest.param(120, marks=pytest.mark.soak)])
def test_a_broken_node_is_repaired_in_spite_of_its_pods_while_few_are_broken(
    cluster, namespace, start, replicas
):
    budget = a_budget(namespace, "app-0", replicas)
    pool = a_pool("0", after="Never")
    replica = start(replicas, budget, pool=pool, flags=("--feature-gates", "NodeRepair=true"))
    nodes = sorted(set(places(cluster, namespace).values()))
    sick = nodes[: len(nodes) // 5 + 2]
    # Nodes count as broken before they are broken for long enough to go.
    for node in sick[1:]:
        break_down(cluster, node, "False", since_s=0)
    break_down(cluster, sick[0], "False")
    cluster.wait_for(
        "it is told", lambda: sick[0] in told(cluster, "NodeRepairBlocked"), limit_s=LIMIT_S
    )
    assert going(cluster) == set()
    for node in sick[1:]:
        break_down(cluster, node, "True")
    cluster.wait_for(
        "it is gone",
        lambda: cluster.run_kubectl("get", "node", sick[0]).returncode != 0,
        limit_s=LIMIT_S,
    )
    cluster.wait_for(
        "all pods run", lambda: count_running(cluster, namespace) == replicas, limit_s=LIMIT_S
    )
    left = set(places(cluster, namespace).values())
    assert set(nodes) - left == {sick[0]}
    assert replica.complaints() == []


@pytest.mark.soak
def test_a_replacement_that_never_comes_leaves_every_pod_where_it_was(cluster, namespace, start):
    replica = start(6)
    old, at = names(cluster), places(cluster, namespace)
    cluster.kubectl("annotate", "nodepool", "default", f"{NO_CAPACITY}=*/*/*")
    edit(cluster)
    cluster.wait_for("it has failed", lambda: has_failed(cluster), limit_s=LIMIT_S)
    cluster.wait_for("they may stay", lambda: not marked(cluster), limit_s=LIMIT_S)
    taints = [node["spec"].get("taints") for node in cluster.get("nodes")["items"]]
    assert names(cluster) == old
    assert places(cluster, namespace) == at
    assert "karpenter.sh/disrupted" not in str(taints)
    assert replica.complaints() == []


@pytest.mark.soak
def test_two_hundred_nodes_become_fifty_and_then_others(cluster, namespace, start):
    replica = start(800, pool=a_pool("20%"))
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
