"""The dashboard of a real controller: on loopback, and for others with tokens of the cluster."""

import http.client
import json
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from e2e.controller_rig import (
    Replica,
    a_class,
    a_deployment,
    a_node_pool,
    count_running,
    furnish,
    sweep,
)
from e2e.kube_rig import NAMESPACE, ROLE

pytestmark = pytest.mark.e2e
WEB_ROLE = ROLE.with_name("clusterrole-web.yaml")
RBAC = "rbac.authorization.k8s.io"
LOOKING = {
    "apiVersion": f"{RBAC}/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "nodewright-dashboard"},
    "rules": [{"nonResourceURLs": ["/nodewright/dashboard"], "verbs": ["get"]}],
}


def bind(role, account, namespace):
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"{role}-{account}"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": namespace}],
    }


def a_free_port():
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


@pytest.fixture
def replica(cluster, tmp_path):
    """A controller on a cluster that is empty before and afterwards, shown to others too."""
    kubeconfig = furnish(cluster)
    cluster.kubectl("apply", "-f", str(WEB_ROLE))
    sweep(cluster)
    port = a_free_port()
    made = Replica(kubeconfig, tmp_path, "replica-0", "--dashboard-port", str(port))
    made.dashboard = port
    yield made
    made.stop()
    sweep(cluster)
    for name in ("nodewright-web-nodewright", "nodewright-dashboard-looker"):
        cluster.run_kubectl("delete", "clusterrolebinding", name)
    cluster.run_kubectl("delete", "clusterrole", "nodewright-web", "nodewright-dashboard")


def ask(port, path, **headers):
    """Ask for a path; give the status and what came."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def look_from_a_terminal(cluster, own):
    """Give what `nodewright top` shows of a cluster, with the decisions of its controller."""
    command = [
        sys.executable, "-m", "nodewright", "top", "--once", "-o", "json",
        "--kubeconfig", str(cluster.kubeconfig), "--api", f"http://127.0.0.1:{own}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    return json.loads(done.stdout)


@contextmanager
def watching(cluster, api):
    """Have `nodewright web` look at the cluster and ask the controller for its decisions; give its port."""
    port = a_free_port()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "nodewright", "web", "--kubeconfig", cluster.kubeconfig,
            "--api", f"http://127.0.0.1:{api}", "--no-browser", "--port", str(port),
        ],
    )  # fmt: skip
    try:
        cluster.wait_for("the command listens", lambda: is_open(port))
        yield port
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def is_open(port):
    with socket.socket() as made:
        return made.connect_ex(("127.0.0.1", port)) == 0


def test_a_controller_shows_its_nodes_and_asks_others_who_they_are(cluster, namespace, replica):
    accounts = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}
        for name in ("looker", "stranger")
    ]  # fmt: skip
    cluster.create(
        *accounts,
        LOOKING,
        bind("nodewright-dashboard", "looker", namespace),
        bind("nodewright-web", "nodewright", NAMESPACE),
        a_class(), a_node_pool(), a_deployment(namespace, 0, 3),
    )  # fmt: skip
    replica.start()
    cluster.wait_for("pods run", lambda: count_running(cluster, namespace) == 3)
    own = next(one["api"] for one in replica.lines() if one["message"] == "listening")

    def nodes(port=own):
        status, body = ask(port, "/api/nodes")
        assert status == 200
        return json.loads(body)["name"]

    made = {one["metadata"]["name"] for one in cluster.get("nodes")["items"]}
    cluster.wait_for("the nodes are shown", lambda: made and made <= set(nodes()))

    def launches():
        status, body = ask(own, "/api/decisions")
        assert status == 200
        return [one for one in json.loads(body)["decisions"] if one["kind"] == "Launch"]

    launched = cluster.wait_for("launches are listed", launches)
    status, body = ask(own, f"/api/decisions/{launched[-1]['id']}")
    assert status == 200
    assert json.loads(body)["picture"]["after"][0]["change"] == "comes"
    status, body = ask(own, f"/decisions/{launched[-1]['id']}")
    assert json.loads(body)["decision"]["id"] == launched[-1]["id"]
    assert ask(own, "/snapshot")[1].startswith(b"\x1f\x8b")
    assert ask(own, "/api/overview", Host="evil.example")[0] == 403

    seen = look_from_a_terminal(cluster, own)
    assert made == {one["name"] for one in seen["nodes"]}
    assert launched[-1]["id"] in {one["id"] for one in seen["decisions"]}
    assert (seen["origin"]["leader"], seen["head"]["podsPending"]) == ("replica-0", 0)

    shown = replica.dashboard
    tokens = {
        name: cluster.kubectl("create", "token", name, "-n", namespace).strip()
        for name in ("looker", "stranger")
    }
    assert ask(shown, "/api/overview")[0] == 401
    assert ask(shown, "/api/overview", Authorization="Bearer nonsense")[0] == 401
    assert ask(shown, "/api/overview", Authorization=f"Bearer {tokens['stranger']}")[0] == 403
    assert ask(shown, "/api/overview", Authorization=f"Bearer {tokens['looker']}")[0] == 200
    assert ask(shown, "/")[0] == 200

    with watching(cluster, own) as port:
        cluster.wait_for("the command shows them too", lambda: made <= set(nodes(port)))
        listed = json.loads(ask(port, "/api/decisions")[1])["decisions"]
        assert launched[-1]["id"] in {one["id"] for one in listed}
    assert replica.complaints() == []
