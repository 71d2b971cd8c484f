"""Existing nodes: real ones, ones on their way, and ones that others manage.

A node and its claim are one host. Until it has registered, the claim speaks for its labels and
taints; until it is initialized, taints that go away by themselves are overlooked and amounts that the
kubelet has not reported yet are taken from the claim.
"""

from collections.abc import Iterable, Mapping, Sequence

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
from nodewright.model.quantity import BadQuantity, Milli, Resources, add, parse_resources
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
        for name in Host.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.available = dict(self.available)
        twin.ports = list(self.ports)
        twin.attached = {driver: set(claims) for driver, claims in self.attached.items()}
        twin.placed = list(self.placed)
        return twin


class Joined:
    """A node, its claim, or both."""

    __slots__ = ("claim", "node")

    def __init__(self, node: Node | None, claim: NodeClaim | None) -> None:
        self.node = node
        self.claim = claim

    @property
    def is_deleting(self) -> bool:
        """Whether it is on its way out."""
        for one in (self.node, self.claim):
            if one is not None and one.metadata.deletion_timestamp is not None:
                return True
        return self.claim is not None and any(
            condition.type == "InstanceTerminating" and condition.status == "True"
            for condition in self.claim.status.conditions
        )

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
        reported = parse_resources(getattr(self.node.status, field)) if self.node else {}
        if self.claim is None or self.is_initialized:
            return reported
        promised = parse_resources(getattr(self.claim.status, field))
        return promised | {name: amount for name, amount in reported.items() if amount}


def join(world: World) -> list[Joined]:
    """Pair nodes with their claims, by provider id or by name."""
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


class HostBuilder:
    """Makes hosts from a World: what is on them, and what daemon pods will still come."""

    def __init__(self, world: World, daemons: Sequence[Daemon], storage: Storage) -> None:
        self._daemons = daemons
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
        """Give the hosts that can take pods, initialized ones first, then by name."""
        hosts = [host for one in joined if (host := self._host(one)) is not None]
        hosts.sort(key=lambda host: (not host.initialized, host.name))
        for number, host in enumerate(hosts):
            host.number = number
        return hosts

    def _host(self, one: Joined) -> Host | None:
        if one.is_deleting or not _is_known(one):
            return None
        metadata = one.node.metadata if one.node is not None else None
        name = metadata.name if metadata else one.claim.metadata.name if one.claim else ""
        host = Host(name, one.labels(), one.taints())
        host.initialized = one.is_initialized
        try:
            host.capacity = one.amounts("capacity")
            allocatable = one.amounts("allocatable")
        except BadQuantity:
            return None
        pods = self._pods.get(name, []) if one.node is not None else []
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
            for driver, claim in self._storage.attachments(pod):
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
