"""Machines and nodes together: what runs in the cloud boots a kubelet, what ends takes it along."""

from typing import Final

import msgspec

from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, REGION, ZONE
from nodewright.model.metadata import Taint
from nodewright.sim.cloud.ec2 import Ec2, Instance
from nodewright.sim.cluster import Cluster
from nodewright.sim.faults import Faults
from nodewright.sim.kubelet import Host

_FLAP_MS: Final = (20_000, 90_000)


class Machines:
    """Ties the cloud to the cluster."""

    def __init__(self, cluster: Cluster, ec2: Ec2, faults: Faults) -> None:
        self._cluster = cluster
        self._loop = cluster.loop
        self._faults = faults
        self._names: dict[str, str] = {}
        self._count = 0
        ec2.on_running.append(self._boot)
        ec2.on_end.append(self._end)

    def node_name(self, provider_id: str) -> str:
        """Give the name of a machine's node, or nothing."""
        return self._names.get(provider_id, "")

    def host_of(self, instance: Instance) -> Host:
        """Give the machine as its kubelet will know it."""
        self._count += 1
        name = f"ip-10-{self._count >> 16}-{self._count >> 8 & 255}-{self._count & 255}.internal"
        self._names[instance.provider_id] = name
        kind = instance.type
        told = instance.tags.get("sim.nodewright.dev/labels", "{}")
        labels = {
            **kind.requirements.labels(),
            **msgspec.json.decode(told, type=dict[str, str]),
            INSTANCE_TYPE: instance.key[0],
            ZONE: instance.key[1],
            CAPACITY_TYPE: instance.key[2],
        }
        zone = instance.key[1]
        labels.setdefault(REGION, zone[:-1] if zone[-2:-1].isdecimal() else zone)
        taints = msgspec.json.decode(
            instance.tags.get("sim.nodewright.dev/taints", "[]"), type=tuple[Taint, ...]
        )
        return Host(name, instance.provider_id, kind.capacity, kind.allocatable, labels, taints)

    def _boot(self, instance: Instance) -> None:
        host = self.host_of(instance)
        self._cluster.kubelets.boot(
            host,
            registers=not self._faults.happens("node.unregistered", host.name),
            gets_ready=not self._faults.happens("node.unready", host.name),
        )
        self.plan_flap(host.name)

    def plan_flap(self, name: str) -> None:
        """Draw when a kubelet falls silent next."""
        due_ms = self._faults.next_ms("kubelet.flap", self._faults.stream("kubelet.flap"))
        if due_ms is not None:
            self._loop.at_ms(due_ms, self._flap, name)

    def _flap(self, name: str) -> None:
        if name in self._cluster.kubelets.by_node:
            self._faults.strike("kubelet.flap", name)
            duration_ms = self._faults.stream("kubelet.flap").integer(*_FLAP_MS)
            self._cluster.kubelets.silence(name, duration_ms)
            self._loop.after_ms(duration_ms, self.plan_flap, name)

    def _end(self, instance: Instance) -> None:
        name = self._names.pop(instance.provider_id, None)
        if name is not None:
            self._cluster.kubelets.end(name)
