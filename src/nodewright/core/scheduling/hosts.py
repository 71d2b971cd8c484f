"""Existing nodes: real ones, ones on their way, and ones that others manage.

A node and its claim are one host. Until it has registered, the claim speaks for its labels and
taints; until it is initialized, taints that go away by themselves are overlooked and amounts that the
kubelet has not reported yet are taken from the claim.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nodewright.core.recall import Recall
from nodewright.core.scheduling.daemons import Daemon
from nodewright.core.scheduling.requests import pod_requests
from nodewright.core.scheduling.rules.ports import HostPort, host_ports
from nodewright.core.scheduling.rules.taints import is_ephemeral
from nodewright.core.scheduling.rules.volumes import Storage
from nodewright.model.labels import HOSTNAME, INITIALIZED, INSTANCE_TYPE, NODEPOOL, REGISTERED
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity, Milli, Resources, add
from nodewright.model.requirements import Requirements
from nodewright.model.world import World

_UNSCHEDULABLE = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


class Host:
    """An existing node with what is left of it."""

    __slots__ = (
        "attach_limits",
        "attached",
        "available",
        "capacity",
        "daemons_expected",
        "hostname",
        "initialized",
        "is_full",
        "labels",
        "name",
        "number",
        "placed",
        "pool",
        "ports",
        "requirements",
        "taints",
    )

    def __init__(self, name: str, labels: Mapping[str, str], taints: Sequence[Taint]) -> None:
        self.number = -1
        self.name = name
        self.labels = dict(labels)
        self.hostname = self.labels.get(HOSTNAME, name)
        self.labels[HOSTNAME] = self.hostname
        self.pool = self.labels.get(NODEPOOL, "")
        self.requirements = Requirements.from_labels(self.labels)
        self.taints = tuple(taints)
        self.initialized = True
        self.capacity: Resources = {}
        self.available: dict[str, Milli] = {}
        self.is_full = False
        self.ports: list[HostPort] = []
        self.attached: dict[str, set[str]] = {}
        self.attach_limits: dict[str, int] = {}
        self.daemons_expected: Resources = {}
        self.placed: list[Pod] = []

    def copy(self) -> "Host":
        """Give the same node to put other pods on; what never changes is shared."""
        # Written out, because the library's copy of a class with slots is several times slower.
        twin = Host.__new__(Host)
        twin.number = self.number
        twin.name = self.name
        twin.labels = self.labels
        twin.hostname = self.hostname
        twin.pool = self.pool
        twin.requirements = self.requirements
        twin.taints = self.taints
        twin.initialized = self.initialized
        twin.capacity = self.capacity
        twin.is_full = self.is_full
        twin.attach_limits = self.attach_limits
        twin.daemons_expected = self.daemons_expected
        twin.available = dict(self.available)
        twin.ports = list(self.ports)
        twin.attached = (
            {driver: set(claims) for driver, claims in self.attached.items()}
            if self.attached
            else {}
        )
        twin.placed = list(self.placed)
        return twin


def copy_hosts(hosts: Iterable[Host]) -> list[Host]:
    """Give hosts to put pods on, numbered in their order."""
    copies = [host.copy() for host in hosts]
    for number, host in enumerate(copies):
        host.number = number
    return copies


class Joined:
    """A node, its claim, or both; `is_deleting` tells whether it is on its way out."""

    __slots__ = ("claim", "is_deleting", "node")

    def __init__(self, node: Node | None, claim: NodeClaim | None) -> None:
        self.node = node
        self.claim = claim
        self.is_deleting = _is_deleting(node, claim)

    @property
    def is_registered(self) -> bool:
        """Whether the node speaks for itself."""
        if self.node is None:
            return False
        return self.claim is None or self.node.metadata.labels.get(REGISTERED) == "true"

    @property
    def is_initialized(self) -> bool:
        """Whether the node has finished starting."""
        if self.node is None:
            return False
        return self.claim is None or self.node.metadata.labels.get(INITIALIZED) == "true"

    @property
    def pool(self) -> str:
        """The NodePool that it belongs to, if any."""
        return self.labels().get(NODEPOOL, "")

    def labels(self) -> Mapping[str, str]:
        """Give the labels that count now."""
        if self.node is None or (self.claim is not None and not self.is_registered):
            assert self.claim is not None
            return self.claim.metadata.labels
        return self.node.metadata.labels

    def taints(self) -> list[Taint]:
        """Give the taints that count now."""
        if self.node is None or (self.claim is not None and not self.is_registered):
            assert self.claim is not None
            taints = list(self.claim.spec.taints)
        else:
            taints = list(self.node.spec.taints)
        if self.claim is not None and not self.is_initialized:
            startup = {(taint.key, taint.effect) for taint in self.claim.spec.startup_taints}
            taints = [
                taint
                for taint in taints
                if not is_ephemeral(taint) and (taint.key, taint.effect) not in startup
            ]
        if self.node is not None and self.node.spec.unschedulable:
            taints.append(_UNSCHEDULABLE)
        return taints

    def amounts(self, field: str) -> dict[str, Milli]:
        """Give `capacity` or `allocatable`, the claim filling in what is not reported yet."""
        reported = getattr(self.node.status, f"{field}_read") if self.node else {}
        if self.claim is None or self.is_initialized:
            return dict(reported)
        promised = getattr(self.claim.status, f"{field}_read")
        return {**promised, **{name: amount for name, amount in reported.items() if amount}}


def _is_deleting(node: Node | None, claim: NodeClaim | None) -> bool:
    if node is not None and node.metadata.deletion_timestamp is not None:
        return True
    if claim is None:
        return False
    if claim.metadata.deletion_timestamp is not None:
        return True
    for condition in claim.status.conditions:
        if condition.type == "InstanceTerminating" and condition.status == "True":
            return True
    return False


_PAIRINGS_KEPT: Final = 8
_pairings: Final = Recall[Sequence["Joined"]](_PAIRINGS_KEPT)


def join(world: World) -> Sequence[Joined]:
    """Pair nodes with their claims, by provider id or by name."""
    return _pairings.of((world.nodes, world.node_claims), lambda: _pair(world))


def _pair(world: World) -> list[Joined]:
    by_provider = {c.status.provider_id: c for c in world.node_claims if c.status.provider_id}
    by_node = {c.status.node_name: c for c in world.node_claims if c.status.node_name}
    joined: list[Joined] = []
    taken: set[str] = set()
    for node in world.nodes:
        claim = by_provider.get(node.spec.provider_id) if node.spec.provider_id else None
        claim = claim or by_node.get(node.metadata.name)
        if claim is not None:
            taken.add(claim.metadata.name)
        joined.append(Joined(node, claim))
    joined.extend(
        Joined(None, claim) for claim in world.node_claims if claim.metadata.name not in taken
    )
    return joined


_HOSTS_KEPT: Final = 2_500
_hosts: Final = Recall[Host | None](_HOSTS_KEPT)


class HostBuilder:
    """Makes hosts from a World: what is on them, and what daemon pods will still come.

    A node that nothing has come to and nothing has left since it was last looked at is not made anew.
    """

    def __init__(self, world: World, daemons: Sequence[Daemon], storage: Storage) -> None:
        self._daemons = daemons
        self._shared = (
            world.volume_claims,
            world.volumes,
            world.storage_classes,
            world.csi_nodes,
            *daemons,
        )
        self._storage = storage
        self._known: dict[int, tuple[Resources, tuple[HostPort, ...]]] = {}
        self._pods: dict[str, list[Pod]] = {}
        for pod in world.pods:
            if pod.spec.node_name and pod.status.phase not in ("Succeeded", "Failed"):
                self._pods.setdefault(pod.spec.node_name, []).append(pod)
        self._limits = {
            one.metadata.name: {
                driver.name: driver.allocatable.count
                for driver in one.spec.drivers
                if driver.allocatable is not None and driver.allocatable.count is not None
            }
            for one in world.csi_nodes
        }

    def build(self, joined: Iterable[Joined]) -> list[Host]:
        """Give the hosts that can take pods, initialized ones first, then by name: to be copied."""
        hosts = [host for one in joined if (host := self._known_host(one)) is not None]
        hosts.sort(key=lambda host: (not host.initialized, host.name))
        return hosts

    def _known_host(self, one: Joined) -> Host | None:
        if one.is_deleting or not _is_known(one):
            return None
        pods = self._pods.get(one.node.metadata.name, ()) if one.node is not None else ()
        parts = (one.node, one.claim, *self._shared, *pods)
        return _hosts.of(parts, lambda: self._host(one, pods))

    def _host(self, one: Joined, pods: Sequence[Pod]) -> Host | None:
        metadata = one.node.metadata if one.node is not None else None
        name = metadata.name if metadata else one.claim.metadata.name if one.claim else ""
        host = Host(name, one.labels(), one.taints())
        host.initialized = one.is_initialized
        try:
            host.capacity = one.amounts("capacity")
            allocatable = one.amounts("allocatable")
        except BadQuantity:
            return None
        self._load(host, allocatable, pods)
        return host

    def _read(self, pod: Pod) -> tuple[Resources, tuple[HostPort, ...]]:
        """Give what a pod asks for; pods that share their containers as objects are read once."""
        spec = pod.spec
        if spec.init_containers or spec.overhead or spec.resources or pod.status.container_statuses:
            return pod_requests(spec, pod.status), host_ports(spec)
        known = self._known.get(id(spec.containers))
        if known is None:
            known = (pod_requests(spec, pod.status), host_ports(spec))
            self._known[id(spec.containers)] = known
        return known

    def _load(self, host: Host, allocatable: dict[str, Milli], pods: Sequence[Pod]) -> None:
        used: dict[str, Milli] = {}
        by_daemons: dict[str, Milli] = {}
        for pod in pods:
            try:
                requests, ports = self._read(pod)
            except BadQuantity:
                continue
            for name, amount in requests.items():
                used[name] = used.get(name, 0) + amount
            for owner in pod.metadata.owner_references:
                if owner.kind == "DaemonSet":
                    by_daemons = add(by_daemons, requests)
                    break
            host.ports.extend(ports)
            for driver, claim in self._storage.attachments(pod) if pod.spec.volumes else ():
                host.attached.setdefault(driver, set()).add(claim)
        expected = add(
            *(
                daemon.requests
                for daemon in self._daemons
                if daemon.runs_on(host.requirements, host.taints)
            )
        )
        host.daemons_expected = {
            name: amount - by_daemons.get(name, 0)
            for name, amount in expected.items()
            if amount > by_daemons.get(name, 0)
        }
        host.available = {
            name: amount - used.get(name, 0) - host.daemons_expected.get(name, 0)
            for name, amount in allocatable.items()
        }
        host.is_full = min(host.available.values(), default=-1) < 0
        host.attach_limits = self._limits.get(host.name, {})


def _is_known(one: Joined) -> bool:
    """Tell whether enough is known of a managed node to put pods on it."""
    if one.claim is None:
        return True
    if not (one.claim.status.provider_id or (one.node and one.node.spec.provider_id)):
        return False
    return one.is_initialized or INSTANCE_TYPE in one.labels()
