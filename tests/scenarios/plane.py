"""A control plane as the conformance cases see it, and the model behind that face."""

import msgspec

from nodewright.model.metadata import Taint
from nodewright.model.quantity import parse_resources
from nodewright.model.resource import Ref
from nodewright.ports.kube import Options
from nodewright.sim.kubelet import Host
from nodewright.sim.objects import RESOURCES
from nodewright.sim.refusals import Preconditions, Refused
from nodewright.sim.simulation import Settings, Simulation

MERGE = "application/merge-patch+json"
STEPS = "application/json-patch+json"
PLURALS = {kind: resource.plural for kind, resource in RESOURCES.items()}


class Reply(msgspec.Struct, frozen=True):
    """A status and what came with it."""

    status: int
    body: dict

    @property
    def version(self):
        return self.body["metadata"]["resourceVersion"]

    @property
    def uid(self):
        return self.body["metadata"]["uid"]


class ModelPlane:
    """The model, spoken to as if over HTTP."""

    def __init__(self, namespace):
        self.namespace = namespace
        self.sim = Simulation(Settings(seed=1))
        self.sim.cluster.add_namespace(namespace)
        self.api = self.sim.api

    def close(self):
        self.sim.close()

    def create(self, kind, manifest):
        return self._ask(lambda: self.api.create(RESOURCES[kind], self._read(kind, manifest), "u"))

    def get(self, kind, name):
        return self._ask(lambda: self.api.need(RESOURCES[kind], self._key(kind, name)))

    def each(self, kind):
        found = self.api.each(RESOURCES[kind])
        if RESOURCES[kind].namespaced:
            found = (one for one in found if one.metadata.namespace == self.namespace)
        return [msgspec.to_builtins(one) for one in found]

    def patch(self, kind, name, body, content=MERGE, subresource=""):
        ref, options = self._ref(kind, name), Options(subresource=subresource)
        if content == STEPS:
            return self._ask(lambda: self.sim.requests.patch_list(ref, body, options, "u"))
        return self._ask(lambda: self.sim.requests.patch(ref, body, options, "u"))

    def apply(self, kind, name, body, manager, force=False):
        ref = self._ref(kind, name)
        return self._ask(
            lambda: self.sim.requests.apply(ref, body, Options(), manager, force=force)
        )

    def delete(self, kind, name, uid="", grace_s=None):
        return self._ask(
            lambda: self.api.delete(
                RESOURCES[kind], self._key(kind, name), "u", Preconditions(uid=uid), grace_s
            )
        )

    def evict(self, name):
        return self._ask(lambda: self.sim.requests.evict(self._ref("Pod", name), Options(), "u"))

    def watch(self, kind, since, count):
        try:
            changes = self.api.changes_since(RESOURCES[kind], int(since))
        except Refused as refusal:
            return [("ERROR", {"code": refusal.status})]
        mine = [one for one in changes if one.new.metadata.namespace == self.namespace]
        return [(one.verb, msgspec.to_builtins(one.new)) for one in mine][:count]

    def version(self):
        return str(self.api.version)

    def compact(self):
        self.api.compact()

    def add_node(self, name, cpu="4", zone="zone-a", taints=(), **labels):
        room = parse_resources({"cpu": cpu, "memory": "16Gi", "pods": "20"})
        labels |= {
            "case": self.namespace,
            "topology.kubernetes.io/zone": zone,
            "kubernetes.io/hostname": name,
        }
        marks = tuple(Taint(key=key, value=value, effect=effect) for key, value, effect in taints)
        host = Host(name, f"static:///{name}", room, room, labels, marks)
        self.sim.cluster.kubelets.join(host)

    def settle(self, holds, limit_s=30):
        """Let time pass until something holds; it has to."""
        assert self.sim.run_until(lambda: bool(holds()), limit_s * 4_000, 100), "never held"
        return holds()

    def rest(self, seconds=3):
        """Let time pass."""
        self.sim.run_for(seconds * 4_000)

    def _read(self, kind, manifest):
        meta = {"namespace": self.namespace} if RESOURCES[kind].namespaced else {}
        merged = {**manifest, "metadata": {**manifest.get("metadata", {}), **meta}}
        return msgspec.convert(merged, RESOURCES[kind].struct, strict=False)

    def _key(self, kind, name):
        return f"{self.namespace}/{name}" if RESOURCES[kind].namespaced else name

    def _ref(self, kind, name):
        namespace = self.namespace if RESOURCES[kind].namespaced else ""
        return Ref(RESOURCES[kind], name, namespace)

    def _ask(self, do):
        try:
            done = do()
        except Refused as refusal:
            return Reply(refusal.status, {"reason": refusal.reason, "message": refusal.message})
        return Reply(200, msgspec.to_builtins(done) if done is not None else {})
