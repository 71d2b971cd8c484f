"""A cluster without an autoscaler, for tests of its parts."""

import msgspec

from nodewright.model.labels import HOSTNAME, ZONE
from nodewright.model.quantity import parse_resources
from nodewright.model.resource import NODES, PODS
from nodewright.sim.furnish import workload_manifest
from nodewright.sim.kubelet import Host
from nodewright.sim.objects import RESOURCES
from nodewright.sim.scenario import WorkloadWords
from nodewright.sim.simulation import Settings, Simulation

MINUTE_MS = 60_000


class Stage:
    """A simulation with short ways to put things on it and to look at them."""

    def __init__(self, nodes=0, seed=1, **room):
        self.sim = Simulation(Settings(seed=seed))
        self.api = self.sim.api
        for number in range(nodes):
            self.node(f"n{number}", **room)

    def node(self, name, cpu="4", zone="zone-a", memory="16Gi", **labels):
        room = parse_resources({"cpu": cpu, "memory": memory, "pods": "50"})
        labels = {ZONE: zone, HOSTNAME: name, **labels}
        self.sim.cluster.kubelets.join(Host(name, f"static:///{name}", room, room, labels))

    def put(self, manifest):
        resource = RESOURCES[manifest["kind"]]
        return self.api.create(resource, msgspec.convert(manifest, resource.struct), "user")

    def make(self, resource, thing):
        return self.api.create(resource, thing, "user")

    def work(self, name="web", **words):
        return self.put(workload_manifest(WorkloadWords(name=name, **words)))

    def run(self, minutes=1.0):
        self.sim.run_for(int(minutes * MINUTE_MS))
        return self

    def pods(self, **traits):
        found = list(self.api.each(PODS))
        if "phase" in traits:
            found = [pod for pod in found if pod.status.phase == traits["phase"]]
        return found

    def places(self):
        return sorted(pod.spec.node_name for pod in self.api.each(PODS))

    def nodes(self):
        return {node.metadata.name: node for node in self.api.each(NODES)}

    def resize(self, kind, name, replicas):
        def sized(one):
            spec = msgspec.structs.replace(one.spec, replicas=replicas)
            return msgspec.structs.replace(one, spec=spec)

        self.api.change(RESOURCES[kind], f"default/{name}", sized, "user")
