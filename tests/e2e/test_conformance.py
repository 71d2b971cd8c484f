"""The conformance cases on the real control plane: what the model is held against."""

import http.client
import signal
import ssl
import time
import urllib.parse

import msgspec
import pytest

from nodewright.sandbox.nodes import NodeShape, render_nodes
from nodewright.sim.objects import RESOURCES
from scenarios.conformance import CASES
from scenarios.plane import MERGE, Reply

pytestmark = pytest.mark.e2e


class RealPlane:
    """A real API server, spoken to over HTTP."""

    def __init__(self, cluster, namespace):
        self.cluster = cluster
        self.namespace = namespace
        self.nodes = []
        pki = cluster.sandbox.folder.certificates
        self._tls = ssl.create_default_context(cafile=str(pki / "authority.crt"))
        self._tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")
        self._place = urllib.parse.urlsplit(cluster.server)

    def close(self):
        for name in self.nodes:
            self.delete("Node", name)

    def create(self, kind, manifest):
        resource = RESOURCES[kind]
        body = {**manifest, "apiVersion": resource.api_version, "kind": kind}
        return self._ask("POST", self._path(kind), body)

    def get(self, kind, name):
        return self._ask("GET", self._path(kind, name))

    def each(self, kind):
        return self._ask("GET", self._path(kind)).body["items"]

    def patch(self, kind, name, body, content=MERGE, subresource=""):
        tail = f"/{subresource}" if subresource else ""
        return self._ask("PATCH", self._path(kind, name) + tail, body, content)

    def apply(self, kind, name, body, manager, force=False):
        resource = RESOURCES[kind]
        whole = {**body, "apiVersion": resource.api_version, "kind": kind}
        query = f"?fieldManager={manager}" + ("&force=true" if force else "")
        return self._ask(
            "PATCH", self._path(kind, name) + query, whole, "application/apply-patch+yaml"
        )

    def delete(self, kind, name, uid="", grace_s=None):
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
        if uid:
            options["preconditions"] = {"uid": uid}
        if grace_s is not None:
            options["gracePeriodSeconds"] = grace_s
        return self._ask("DELETE", self._path(kind, name), options)

    def evict(self, name):
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": self.namespace},
        }
        return self._ask("POST", self._path("Pod", name) + "/eviction", body)

    def watch(self, kind, since, count):
        query = f"?watch=true&resourceVersion={since}&timeoutSeconds=3"
        text = self._raw("GET", self._path(kind) + query)[1]
        events = [msgspec.json.decode(line) for line in text.splitlines() if line]
        if events and events[0].get("kind") == "Status":
            return [("ERROR", events[0])]
        return [(one["type"], one["object"]) for one in events][:count]

    def version(self):
        return self._ask("GET", self._path("Lease")).body["metadata"]["resourceVersion"]

    def compact(self):
        # The server answers watches from a memory of its own, which is new after a restart.
        self.cluster.compact_etcd()
        self.cluster.signal_program("kube-apiserver", signal.SIGKILL)
        self.cluster.wait_ready()

    def add_node(self, name, cpu="4", zone="zone-a", taints=(), **labels):
        manifest = msgspec.json.decode(render_nodes((name,), NodeShape(cpu, "16Gi", "20")))
        node = manifest["items"][0]
        node["metadata"]["labels"] |= {
            "case": self.namespace, "topology.kubernetes.io/zone": zone, **labels,
        }  # fmt: skip
        node["spec"] = {
            "taints": [{"key": k, "value": v, "effect": effect} for k, v, effect in taints]
        }
        reply = self._ask("POST", "/api/v1/nodes", node)
        assert reply.status == 201, reply
        self.nodes.append(name)
        self.settle(lambda: self._is_open(name))

    def _is_open(self, name):
        node = self.get("Node", name).body
        ready = [c for c in node["status"].get("conditions", []) if c["type"] == "Ready"]
        away = [t for t in node["spec"].get("taints", []) if t["key"].startswith("node.kubern")]
        return ready and ready[0]["status"] == "True" and not away

    def settle(self, holds, limit_s=45):
        end = time.monotonic() + limit_s
        while not (found := holds()):
            assert time.monotonic() < end, "never held"
            time.sleep(0.2)
        return found

    def rest(self, seconds=3):
        time.sleep(seconds)

    def _path(self, kind, name=""):
        resource = RESOURCES[kind]
        return resource.path(name, self.namespace if resource.namespaced else "")

    def _ask(self, verb, path, body=None, content="application/json"):
        status, text = self._raw(verb, path, body, content)
        return Reply(status, msgspec.json.decode(text) if text else {})

    def _raw(self, verb, path, body=None, content="application/json"):
        connection = http.client.HTTPSConnection(self._place.netloc, context=self._tls)
        try:
            payload = msgspec.json.encode(body) if body is not None else None
            connection.request(verb, path, payload, {"Content-Type": content})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@pytest.mark.parametrize("name", CASES)
def test_the_real_one_agrees(name, cluster, namespace):
    plane = RealPlane(cluster, namespace)
    try:
        CASES[name](plane)
    finally:
        plane.close()
