"""A cluster that Karpenter ran: everything is adopted, and no node is replaced."""

import json
import time

import pytest

from e2e.controller_rig import NodeWatch, Replica, a_class, a_node_pool, furnish, sweep

pytestmark = pytest.mark.e2e
COUNT = 3
HASH, VERSION = "karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"
TERMINATION = "karpenter.sh/termination"
OURS = "nodewright-v1"


@pytest.fixture
def left_behind(cluster, namespace, tmp_path):
    """Pools, claims and nodes as Karpenter v1.15 with its KWOK provider leaves them, and pods."""
    kubeconfig = furnish(cluster)
    sweep(cluster)
    pool = a_node_pool(**{HASH: "14532171394529021352", VERSION: "v3"})
    # Three nodes for three small pods: to consolidate them would be right, and is not asked here.
    pool["spec"]["disruption"] = {"consolidateAfter": "Never"}
    cluster.create(a_class(), pool)
    pool = cluster.get("nodepool", "default")["metadata"]["uid"]
    cluster.create(*(a_claim(f"default-x{number}", pool) for number in range(COUNT)))
    for number in range(COUNT):
        name = f"default-x{number}"
        uid = cluster.get("nodeclaim", name)["metadata"]["uid"]
        cluster.create(a_node(name, uid), a_pod(namespace, name))
        status = {"status": a_status(name)}
        patch(cluster, "nodeclaim", name, status)
    cluster.wait_for("the pods run", lambda: len(pods_running(cluster, namespace)) == COUNT)
    watch = NodeWatch(cluster, tmp_path)
    yield kubeconfig, watch, tmp_path
    watch.close()
    sweep(cluster)


def patch(cluster, kind, name, status):
    cluster.kubectl(
        "patch", kind, name, "--subresource=status", "--type=merge", "-p", json.dumps(status)
    )


def labels():
    return {
        "karpenter.sh/nodepool": "default",
        "karpenter.kwok.sh/kwoknodeclass": "default",
        "karpenter.sh/capacity-type": "spot",
        "node.kubernetes.io/instance-type": "m5.large",
        # What the pool requires is on every claim that was made from it.
        "karpenter.k8s.aws/instance-category": "m",
        "topology.kubernetes.io/zone": "us-east-1a",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
    }


def a_claim(name, pool):
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": name,
            "labels": labels(),
            "annotations": {HASH: "14532171394529021352", VERSION: "v3"},
            "finalizers": [TERMINATION],
            "ownerReferences": [
                {
                    "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "name": "default",
                    "uid": pool, "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "expireAfter": "720h",
            "nodeClassRef": {
                "group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default",
            },
            "requirements": [
                {
                    "key": "node.kubernetes.io/instance-type", "operator": "In",
                    "values": ["m5.large", "m5a.large"],
                }
            ],
            "resources": {"requests": {"cpu": "500m", "pods": "1"}},
        },
    }  # fmt: skip


def a_status(name):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    kinds = ("Launched", "Registered", "Initialized", "Consolidatable", "Ready")
    room = {"cpu": "2", "memory": "7Gi", "pods": "29"}
    return {
        "providerID": f"kwok://{name}",
        "nodeName": name,
        "capacity": room,
        "allocatable": room,
        "conditions": [
            {
                "type": kind, "status": "True", "reason": kind, "message": "",
                "lastTransitionTime": now, "observedGeneration": 1,
            }
            for kind in kinds
        ],
    }  # fmt: skip


def a_node(name, claim):
    room = {"cpu": "2", "memory": "7Gi", "pods": "29"}
    marks = {"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {**labels(), **marks, "kubernetes.io/hostname": name},
            "annotations": {
                "kwok.x-k8s.io/node": "fake", HASH: "14532171394529021352", VERSION: "v3",
            },
            "finalizers": [TERMINATION],
            "ownerReferences": [
                {
                    "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "name": name,
                    "uid": claim, "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {"providerID": f"kwok://{name}"},
        "status": {"capacity": room, "allocatable": room},
    }  # fmt: skip


def a_pod(namespace, node):
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "500m"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"on-{node}", "namespace": namespace},
        "spec": {"nodeName": node, "containers": [container]},
    }


def pods_running(cluster, namespace):
    pods = cluster.get("pods", "-n", namespace)["items"]
    return {
        one["metadata"]["name"]: one["metadata"]["uid"]
        for one in pods
        if one["status"].get("phase") == "Running" and "deletionTimestamp" not in one["metadata"]
    }


def identities(cluster, kind):
    return {one["metadata"]["name"]: one["metadata"]["uid"] for one in cluster.get(kind)["items"]}


def test_what_karpenter_left_is_adopted_and_no_node_is_replaced(cluster, namespace, left_behind):
    kubeconfig, watch, folder = left_behind
    before = [identities(cluster, kind) for kind in ("nodeclaims", "nodes")]
    pods = pods_running(cluster, namespace)
    replica = Replica(kubeconfig, folder).start()
    try:
        cluster.wait_for("the pool is stamped", lambda: stamps(cluster, "nodepools") == [OURS])
        # Long enough for the garbage collector to look, and for anything hasty to happen.
        time.sleep(12)
    finally:
        status = replica.stop()

    after = [identities(cluster, kind) for kind in ("nodeclaims", "nodes")]
    assert after == before
    assert pods_running(cluster, namespace) == pods
    assert stamps(cluster, "nodeclaims") == [OURS] * COUNT
    assert len({one for uids in watch.machines().values() for one in uids}) == COUNT
    pool = cluster.get("nodepool", "default")
    assert pool["status"]["nodes"] == COUNT
    claims = cluster.get("nodeclaims")["items"]
    hashes = {one["metadata"]["annotations"][HASH] for one in claims}
    assert hashes == {pool["metadata"]["annotations"][HASH]}
    assert (status, replica.complaints()) == (0, [])


def stamps(cluster, kind):
    return [one["metadata"]["annotations"].get(VERSION) for one in cluster.get(kind)["items"]]
