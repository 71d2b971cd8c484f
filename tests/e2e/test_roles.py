"""Static pools, buffers and older objects on a real control plane, under the controller's own role."""

import msgspec
import pytest

from e2e.controller_rig import Replica, a_class, a_deployment, a_node_pool, count_running, furnish
from e2e.test_controller import sweep
from nodewright.crds.document import definitions

pytestmark = pytest.mark.e2e

TEMPLATE = {
    "apiVersion": "karpenter.k8s.aws/v1alpha1",
    "kind": "AWSNodeTemplate",
    "metadata": {"name": "shop"},
    "spec": {
        "subnetSelector": {"karpenter.sh/discovery": "shop"},
        "securityGroupSelector": {"karpenter.sh/discovery": "shop"},
    },
}
PROVISIONER = {
    "apiVersion": "karpenter.sh/v1alpha5",
    "kind": "Provisioner",
    "metadata": {"name": "shop"},
    "spec": {
        "providerRef": {"name": "shop"},
        "requirements": [
            {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["c", "m"]},
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
        ],
        "limits": {"resources": {"cpu": 1000}},
        "consolidation": {"enabled": True},
    },
}


@pytest.fixture
def replica(cluster, namespace, tmp_path):
    """A controller on an empty cluster that serves the first kinds too; empty again afterwards."""
    del namespace
    kubeconfig = furnish(cluster)
    document = {"apiVersion": "v1", "kind": "List", "items": definitions(legacy=True, kwok=True)}
    cluster.kubectl(
        "apply", "--server-side", "--force-conflicts", "-f", "-",
        stdin=msgspec.json.encode(document),
    )  # fmt: skip
    sweep(cluster)
    started = Replica(kubeconfig, tmp_path).start()
    yield started
    started.stop()
    cluster.kubectl("delete", "provisioners,awsnodetemplates", "--all", "--wait=false")
    sweep(cluster)


def conditions(cluster, *target):
    found = cluster.get(*target).get("status", {}).get("conditions", ())
    return {one["type"]: (one["status"], one["reason"]) for one in found}


def test_a_provisioner_that_is_applied_as_it_was_makes_nodes(cluster, namespace, replica):
    cluster.create(TEMPLATE, PROVISIONER, a_deployment(namespace, 0, 5))

    cluster.wait_for("the pods run", lambda: count_running(cluster, namespace) == 5)
    claims = cluster.get("nodeclaims")["items"]
    owners = {one["metadata"]["ownerReferences"][0]["kind"] for one in claims}
    assert owners == {"Provisioner"}
    cluster.wait_for(
        "it is ready",
        lambda: conditions(cluster, "provisioner", "shop").get("Ready") == ("True", "Ready"),
    )
    found = conditions(cluster, "provisioner", "shop")
    assert found["Deprecated"] == ("True", "UseNodePool")
    assert replica.complaints() == []


def test_a_static_pool_and_a_buffer_keep_what_they_are_asked_to(cluster, namespace, replica):
    pool = a_node_pool("spare")
    pool["spec"]["replicas"] = 2
    shape = {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"name": "shape", "namespace": namespace},
        "template": a_deployment(namespace, 0, 1)["spec"]["template"],
    }
    buffer = {
        "apiVersion": "autoscaling.x-k8s.io/v1beta1",
        "kind": "CapacityBuffer",
        "metadata": {"name": "room", "namespace": namespace},
        "spec": {"podTemplateRef": {"name": "shape"}, "replicas": 40},
    }
    cluster.create(a_class(), pool, a_node_pool(), shape, buffer)

    def claims_of(name):
        found = cluster.get("nodeclaims", "-l", f"karpenter.sh/nodepool={name}")["items"]
        return [one for one in found if "deletionTimestamp" not in one["metadata"]]

    cluster.wait_for("two nodes are kept", lambda: len(claims_of("spare")) == 2)
    target = ("capacitybuffer", "room", "-n", namespace)
    cluster.wait_for(
        "the room is there",
        lambda: (
            conditions(cluster, *target).get("Provisioning") == ("True", "FitsExistingCapacity")
        ),
    )
    assert len(claims_of("spare")) == 2
    cluster.kubectl("scale", "nodepool", "spare", "--replicas=1")
    cluster.wait_for("one is left", lambda: len(claims_of("spare")) == 1)
    assert replica.complaints() == []
