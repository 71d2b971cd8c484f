"""Snapshots and the journal on a real API server: they decide again what controllers decide."""

import asyncio
import json

import msgspec
import pytest

from e2e.controller_rig import Replica, furnish
from e2e.kube_rig import a_machine, admin_access
from nodewright.app.controller import Ports
from nodewright.app.planning import plan_document, plan_world
from nodewright.app.settings import Written, read_settings
from nodewright.cli.main import run
from nodewright.controllers.ports import Memory
from nodewright.controllers.provisioning import Provisioning
from nodewright.crds.document import as_yaml, definitions
from nodewright.journal.reading import Filter, Journal
from nodewright.journal.replay import replay
from nodewright.kube.session import Plan, open_session
from nodewright.kwok.cloud import KwokCloud
from nodewright.model.errors import UserError

pytestmark = pytest.mark.e2e

REGION = "eu-west-1"
SECRET = "hunter2-must-not-leave"


def a_pool():
    reference = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "snap"}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "snap"},
        "spec": {"template": {"spec": {"nodeClassRef": reference, "requirements": []}}},
    }


def a_waiting_pod(name, cpu):
    container = {
        "name": "main",
        "image": "example.com/app",
        "command": ["serve", f"--password={SECRET}"],
        "env": [{"name": "PASSWORD", "value": SECRET}],
        "resources": {"requests": {"cpu": cpu}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container]},
    }


@pytest.fixture
def pending(cluster, namespace):
    """Pods that nobody has room for, and a pool that could make it."""
    stream = "---\n".join(as_yaml(one) for one in definitions(kwok=True))
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=stream.encode())
    node_class = {
        "apiVersion": "karpenter.kwok.sh/v1alpha1",
        "kind": "KWOKNodeClass",
        "metadata": {"name": "snap"},
    }
    items = [node_class, a_pool()]
    document = {"apiVersion": "v1", "kind": "List", "items": items}
    cluster.wait_for(
        "the kinds are served",
        lambda: cluster.run_kubectl("get", "nodepools,kwoknodeclasses").returncode == 0,
    )
    cluster.kubectl("apply", "-f", "-", stdin=msgspec.json.encode(document))
    pods = {"items": [a_waiting_pod(f"p{index}", f"{index + 1}") for index in range(5)]}
    text = msgspec.json.encode({"apiVersion": "v1", "kind": "List", **pods})
    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=text)

    def are_judged():
        found = cluster.get("pods", "-n", namespace)["items"]
        return len(found) == 5 and all(
            one["status"].get("conditions", [{}])[0].get("reason") == "Unschedulable"
            for one in found
        )

    cluster.wait_for("the scheduler has judged the pods", are_judged)
    yield namespace
    cluster.kubectl("delete", "nodepool/snap", "kwoknodeclass/snap", "--wait=false")


async def controllers_plan(cluster):
    """Give the plan that provisioning makes of the cluster as it is now."""
    machine = a_machine()
    plan = Plan(instance="test")
    async with open_session(admin_access(cluster), machine, plan) as session:
        await session.wait_synced(30_000)
        cloud = KwokCloud(session.kube, session.mirror, machine.clock, REGION)
        ports = Ports(session.kube, cloud, machine.clock, session.mirror, lambda _: None)
        settings = read_settings(Written(batch_idle_duration="1ms", batch_max_duration="2ms"))
        controller = Provisioning(ports, Memory(), settings.controllers)
        while not await controller.gather():
            await machine.clock.sleep_ms(20)
        return plan_document(plan_world(controller.see()))


def test_the_plan_of_a_snapshot_is_the_plan_of_the_controllers(
    cluster, pending, tmp_path, capsysbinary
):
    path = tmp_path / "cluster.json.gz"
    where = ["--kubeconfig", str(cluster.kubeconfig), "--region", REGION]
    assert run(["snapshot", *where, "-o", str(path)]) == 0
    assert run(["snapshot", *where]) == 0
    assert SECRET.encode() not in capsysbinary.readouterr().out

    planned = []
    for arguments in ([str(path)], where):
        assert run(["plan", *arguments, "-o", "json"]) == 0
        planned.append(json.loads(capsysbinary.readouterr().out))
    planned.append(json.loads(msgspec.json.encode(asyncio.run(controllers_plan(cluster)))))
    texts = {json.dumps(one | {"solveSeconds": 0}) for one in planned}

    assert sum(len(node["pods"]) for node in planned[0]["newNodes"]) == 5
    assert len(texts) == 1
    assert run(["explain", f"pod/{pending}/p0", *where]) == 0


def test_what_a_running_controller_decides_can_be_decided_again(cluster, pending, tmp_path, capsys):
    replica = Replica(furnish(cluster), tmp_path, "dry", "--dry-run").start()
    journal = Journal(tmp_path / "dry-journal")

    def has_planned():
        try:
            return journal.entries(Filter(controller="provisioning", subject=pending)).entries
        except UserError:
            return ()

    try:
        cluster.wait_for("a plan in the journal", has_planned, 60)
        (heard,) = [one for one in replica.lines() if one["message"] == "listening"]
        api = f"http://127.0.0.1:{heard['api']}"
        assert run(["decisions", "--api", api, "--subject", pending, "-o", "json"]) == 0
        listed = json.loads(capsys.readouterr().out)
        assert run(["replay", listed[0]["id"], "--api", api]) == 0
        assert run(["snapshot", "--api", api, "-o", str(tmp_path / "now.json.gz")]) == 0
        assert run(["plan", str(tmp_path / "now.json.gz")]) == 0
    finally:
        assert replica.stop() == 0

    looks = list(journal.looks())
    assert {"Nominate"} <= {one["kind"] for one in listed}
    assert [found.look.id for found in looks if not replay(found).is_same] == []
