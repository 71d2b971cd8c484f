"""The sandbox behaves as a cluster does, and leaves nothing behind."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from nodewright.sandbox.folder import Folder, Spec
from nodewright.sandbox.nodes import NodeShape, render_nodes

pytestmark = pytest.mark.e2e

NODE = "sandbox-test"


@pytest.fixture(scope="module")
def node(cluster):
    """One fake node, Ready, that only pods which ask for it can use."""
    cluster.kubectl("create", "-f", "-", stdin=render_nodes((NODE,), NodeShape(cpu="8")))
    cluster.wait_for("the node is Ready", lambda: condition(cluster, "node", NODE, "Ready"))
    yield NODE
    cluster.kubectl("delete", "node", NODE)


def condition(cluster, kind, name, wanted, *, namespace="default", status="True"):
    found = cluster.get(kind, name, "-n", namespace)["status"].get("conditions", [])
    return next((c for c in found if c["type"] == wanted and c["status"] == status), None)


def phases(cluster, namespace):
    return [pod["status"]["phase"] for pod in cluster.get("pods", "-n", namespace)["items"]]


def a_template(labels=None, annotations=None, **spec):
    container = {"name": "main", "image": "none", "resources": {"requests": {"cpu": "100m"}}}
    return {
        "metadata": {"labels": labels or {"app": "x"}, "annotations": annotations or {}},
        "spec": {"containers": [container], "nodeSelector": {"kubernetes.io/hostname": NODE}}
        | spec,
    }


def a_deployment(namespace, replicas):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": namespace},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "x"}},
            "template": a_template(),
        },
    }


def a_pod(namespace, name, annotations=None, **spec):
    template = a_template(annotations=annotations, **spec)
    template["metadata"] |= {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod"} | template


def test_a_node_becomes_ready_and_loses_its_taint(cluster, node):
    cluster.wait_for("no taint", lambda: not cluster.get("node", node)["spec"].get("taints", []))

    shown = cluster.get("node", node)
    assert (
        shown["status"]["nodeInfo"]["kubeletVersion"] == cluster.sandbox.record.kubernetes_version
    )
    assert shown["status"]["allocatable"]["cpu"] == "8"


def test_a_node_is_held_back_until_it_is_let_go(cluster):
    name = "sandbox-held"
    manifest = msgspec.json.decode(render_nodes((name,)))["items"][0]
    manifest["metadata"]["annotations"]["sandbox.nodewright.dev/hold"] = "yes"
    cluster.create(manifest)
    time.sleep(1)
    held = condition(cluster, "node", name, "Ready")

    cluster.kubectl("annotate", "node", name, "sandbox.nodewright.dev/hold-")

    assert held is None
    cluster.wait_for("Ready", lambda: condition(cluster, "node", name, "Ready"))
    cluster.kubectl("annotate", "node", name, "sandbox.nodewright.dev/unready=kubelet is gone")
    lost = cluster.wait_for(
        "not Ready", lambda: condition(cluster, "node", name, "Ready", status="False")
    )
    assert lost["message"] == "kubelet is gone"
    cluster.kubectl("delete", "node", name)


def test_the_pods_of_a_deployment_run(cluster, node, namespace):
    cluster.create(a_deployment(namespace, 3))

    cluster.wait_for("three run", lambda: phases(cluster, namespace) == ["Running"] * 3)
    cluster.wait_for(
        "Available",
        lambda: condition(cluster, "deployment", "web", "Available", namespace=namespace),
    )


def test_a_pod_that_was_called_unready_by_mistake_is_ready_again(cluster, node, namespace):
    def is_ready(status):
        return condition(cluster, "pod", "web", "Ready", namespace=namespace, status=status)

    cluster.create(a_pod(namespace, "web"))
    cluster.wait_for("it is ready", lambda: is_ready("True"))
    unready = msgspec.json.encode(
        {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
    )
    cluster.kubectl(
        "patch", "pod", "web", "-n", namespace, "--subresource=status", "-p", unready.decode()
    )
    assert is_ready("False")

    cluster.wait_for("it is ready again", lambda: is_ready("True"))


def test_a_job_finishes_and_a_failing_one_fails(cluster, node, namespace):
    for name, annotations in (("good", {}), ("bad", {"sandbox.nodewright.dev/fail": "yes"})):
        template = a_template({}, annotations, restartPolicy="Never")
        cluster.create(
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "metadata": {"name": name, "namespace": namespace},
                "spec": {"backoffLimit": 0, "template": template},
            }
        )

    for name, wanted in (("good", "Complete"), ("bad", "Failed")):
        cluster.wait_for(
            f"{name} is {wanted}",
            lambda name=name, wanted=wanted: condition(
                cluster, "job", name, wanted, namespace=namespace
            ),
        )


def test_a_pod_that_fits_nowhere_says_so(cluster, node, namespace):
    cluster.create(a_pod(namespace, "big", nodeSelector={"no": "where"}))

    said = cluster.wait_for(
        "PodScheduled is False",
        lambda: condition(
            cluster, "pod", "big", "PodScheduled", namespace=namespace, status="False"
        ),
    )
    assert said["reason"] == "Unschedulable"


def test_a_budget_blocks_an_eviction_with_429(cluster, node, namespace):
    cluster.create(
        a_deployment(namespace, 1),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": namespace},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}},
        },
    )
    cluster.wait_for("it runs", lambda: phases(cluster, namespace) == ["Running"])
    cluster.wait_for(
        "the budget has counted it",
        lambda: cluster.get("pdb", "web", "-n", namespace)["status"].get("currentHealthy") == 1,
    )
    pod = cluster.get("pods", "-n", namespace)["items"][0]["metadata"]["name"]

    blocked = evict(cluster, namespace, pod)
    cluster.kubectl("delete", "pdb", "web", "-n", namespace)
    allowed = evict(cluster, namespace, pod)

    assert blocked.returncode != 0
    assert b"TooManyRequests" in blocked.stderr
    assert b"disruption budget" in blocked.stderr
    assert allowed.returncode == 0, allowed.stderr


def evict(cluster, namespace, pod):
    eviction = {
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod, "namespace": namespace},
    }
    path = f"/api/v1/namespaces/{namespace}/pods/{pod}/eviction"
    return cluster.run_kubectl(
        "create", "--raw", path, "-f", "-", "-v=0", stdin=msgspec.json.encode(eviction)
    )


def test_a_lingering_pod_uses_up_its_grace(cluster, node, namespace):
    linger = {"sandbox.nodewright.dev/linger": "yes"}
    for name, annotations in (("quick", {}), ("slow", linger)):
        cluster.create(a_pod(namespace, name, annotations, terminationGracePeriodSeconds=6))
    cluster.wait_for("both run", lambda: phases(cluster, namespace) == ["Running"] * 2)

    began = time.monotonic()
    cluster.kubectl("delete", "pod", "quick", "slow", "-n", namespace, "--wait=false")

    def names_of_one():
        found = cluster.get("pods", "-n", namespace)["items"]
        return [pod["metadata"]["name"] for pod in found] if len(found) < 2 else None

    left = cluster.wait_for("one left", names_of_one)
    cluster.wait_for("none left", lambda: phases(cluster, namespace) == [])

    assert left == ["slow"]
    # The deletion time is cut to whole seconds, so up to one of them may be missing.
    assert time.monotonic() - began >= 4.9


def test_rights_are_checked_for_whoever_is_no_administrator(cluster, namespace):
    refused = cluster.run_kubectl("get", "nodes", f"--as=system:serviceaccount:{namespace}:default")

    assert refused.returncode != 0
    assert b"forbidden" in refused.stderr


def test_a_killed_api_server_comes_back_with_its_data_but_not_its_compacted_past(
    cluster, namespace
):
    page = msgspec.json.decode(cluster.kubectl("get", "--raw", "/api/v1/namespaces?limit=1"))
    cluster.kubectl("annotate", "namespace", namespace, "written=since")
    before = next(m for m in cluster.sandbox.record.programs if m.name == "kube-apiserver")

    # The past is also in the API server's memory, so it is gone only after both.
    cluster.compact_etcd()
    cluster.signal_program("kube-apiserver", signal.SIGKILL)
    cluster.wait_for(
        "it was started again",
        lambda: any(
            member.name == before.name and member.restart_count == before.restart_count + 1
            for member in cluster.sandbox.record.programs
        ),
    )
    cluster.wait_ready()

    assert cluster.get("namespace", namespace)["status"]["phase"] == "Active"
    token = page["metadata"]["continue"]
    late = cluster.run_kubectl("get", "--raw", f"/api/v1/namespaces?limit=1&continue={token}")
    assert late.returncode != 0
    assert b"Expired" in late.stderr or b"too old" in late.stderr, late.stderr


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "nodewright", "sandbox", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def is_alive(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    # A zombie is dead; it only waits for its parent, which may be a slow init.
    return stat.rpartition(")")[2].split()[0] != "Z"


def pids_of(record):
    return [record.supervisor_pid, *(member.pid for member in record.programs)]


def test_two_run_side_by_side_and_down_leaves_nothing(cluster, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    up = command("up", "--name", "second", "--nodes", "2")
    again = command("up", "--name", "second")
    status = command("status", "--name", "second", "-o", "json")
    exports = command("env", "--name", "second")
    folder = Folder(tmp_path / "nodewright" / "sandbox" / "second")
    record = folder.read_record()
    down = command("down", "--name", "second")

    assert up.returncode == 0, up.stderr
    assert f"export KUBECONFIG={folder.kubeconfig}" in up.stdout.splitlines()
    assert "running already" in again.stderr
    assert exports.stdout == up.stdout
    [shown] = msgspec.json.decode(status.stdout)
    assert shown["state"] == "ready"
    assert [member["name"] for member in shown["programs"]] == [
        "etcd",
        "kube-apiserver",
        "kube-controller-manager",
        "kube-scheduler",
        "kwok",
    ]
    assert shown["server"] != cluster.server
    assert down.returncode == 0, down.stderr
    assert not folder.path.exists()
    assert not [pid for pid in pids_of(record) if is_alive(pid)]
    assert cluster.run_kubectl("get", "--raw", "/readyz").returncode == 0


@pytest.mark.soak
def test_aws_comes_up_beside_it_and_goes_with_it(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    plain = command("up", "--name", "plain")
    late = command("up", "--name", "plain", "--aws")
    command("down", "--name", "plain")
    up = command("up", "--name", "cloudy", "--aws", "--scenario", "no-node-group")
    status = command("status", "--name", "cloudy", "-o", "json")
    exports = command("env", "--name", "cloudy")
    folder = Folder(tmp_path / "nodewright" / "sandbox" / "cloudy")
    record = folder.read_record()
    down = command("down", "--name", "cloudy")

    assert plain.returncode == 0, plain.stderr
    assert late.returncode == 2
    assert "runs without the AWS stand-in" in late.stderr
    assert up.returncode == 0, up.stderr
    assert f"export AWS_ENDPOINT_URL={record.aws_url}" in exports.stdout.splitlines()
    [shown] = msgspec.json.decode(status.stdout)
    assert shown["awsUrl"] == record.aws_url
    assert {"aws", "kubelet"} < {member["name"] for member in shown["programs"]}
    assert down.returncode == 0, down.stderr
    assert not [pid for pid in pids_of(record) if is_alive(pid)]


OWNER = """
import sys, time
import msgspec
from nodewright.sandbox.cluster import start
from nodewright.sandbox.folder import Spec
start(msgspec.json.decode(sys.argv[1], type=Spec), lambda step: None)
print("ready", flush=True)
time.sleep(60)
"""


@pytest.fixture
def owner(programs, monkeypatch, tmp_path):
    """Another process that owns a sandbox, and the record of that."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    spec = Spec("owned", programs.version, programs.binaries, owned=True)
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, msgspec.json.encode(spec).decode()], stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    yield process, Folder(tmp_path / "nodewright" / "sandbox" / "owned")
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_killed_owner_leaves_no_orphans(owner, cluster):
    process, folder = owner
    pids = pids_of(folder.read_record())
    alive_before = [pid for pid in pids if is_alive(pid)]

    process.kill()

    assert alive_before == pids
    cluster.wait_for("all gone", lambda: not any(map(is_alive, pids)), 5)
    assert not folder.path.exists()
