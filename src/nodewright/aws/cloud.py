"""The cloud that is EC2; keeps the promise of `ports.cloud.Cloud`.

Everything that must survive is AWS's own: machines carry the tag of their claim, templates are named by
what they say, messages stay in their queue. What is remembered here (prices, what is sold out, free
addresses) is only worth something while it is fresh.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.health import find_unwell
from nodewright.aws.keeping import Kept
from nodewright.aws.launcher import Launcher, Stock
from nodewright.aws.machines import Machines, instance_of, zone_of
from nodewright.aws.network import find_subnets
from nodewright.aws.overlaid import find_repriced, lay_over
from nodewright.aws.placements import (
    PARTITION,
    PlacementGroup,
    PlacementGroups,
    settings_in,
)
from nodewright.aws.queue import Queue, Received
from nodewright.aws.reservations import find_reservations
from nodewright.aws.seen import SeenMemory
from nodewright.aws.shifts import ZonalShifts, leave_zones
from nodewright.aws.soldout import SoldOut
from nodewright.aws.subnets import Subnet
from nodewright.aws.types import TypeBook
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.settings import DEFAULT, NodeSettings, Reservation
from nodewright.catalog.table import Shape
from nodewright.model.cloudview import SeenNode
from nodewright.model.disruption import AWS_RULES, RepairRule
from nodewright.model.ec2nodeclass import SEEN_MEMORY, EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import PLACEMENT_GROUP_PARTITION, RESERVATION_ID
from nodewright.model.nodeclass import NodeClass
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import (
    Cloud,
    Deaf,
    Ended,
    Launched,
    LaunchFailed,
    LaunchFault,
    LaunchRequest,
    Machine,
    MachineStatus,
    Notice,
    QueueFault,
    Unavailable,
)

SUBNETS_MS: Final = 60_000
RESERVATIONS_MS: Final = 60_000
COLLECT_MS: Final = 60_000
NO_QUEUE_MS: Final = 60_000
INSTANCES_MAX: Final = 10_000
_AWAY: Final = "the cluster is moved away from the machine's zone"
_log: Final = logging.getLogger("nodewright.aws")


class Options(msgspec.Struct, frozen=True):
    """What the controller is told about its cloud, and who tells of nodes that came up."""

    queue: str = ""
    is_isolated: bool = False
    uses_reservations: bool = True
    heeds_shifts: bool = False
    base: NodeSettings = DEFAULT
    nodes: Callable[[], Iterable[SeenNode]] = tuple


class AwsCloud:
    """Machines of EC2 for one cluster."""

    def __init__(
        self, gateway: Gateway, clock: Clock, cluster: Cluster, options: Options | None = None
    ) -> None:
        self._gateway = gateway
        self._clock = clock
        self._options = options or Options()
        self._sold_out = SoldOut()
        self._types = TypeBook(
            gateway, clock, cluster.region, is_isolated=self._options.is_isolated
        )
        self._cluster = cluster.name
        self._machines = Machines(gateway, clock, cluster.name)
        self._launcher = Launcher(gateway, clock, cluster)
        self._placements = PlacementGroups(gateway, clock)
        self._shifts = ZonalShifts(gateway, clock, cluster.name)
        self._seen = SeenMemory(clock, self._options.nodes)
        self._grouped: dict[str, SoldOut] = {}
        self._queue = Queue(gateway, self._options.queue) if self._options.queue else None
        self._subnets: Kept[str, tuple[Subnet, ...]] = Kept(clock)
        self._reserved: Kept[str, tuple[Reservation, ...]] = Kept(clock)
        self._made: dict[str, str] = {}
        self._unanswered: dict[str, str] = {}

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give every type as a class sees it, without what was just sold out."""
        if not isinstance(node_class, EC2NodeClass):
            return await self._types.types(self._options.base)
        try:
            settings = settings_of(node_class, self._options.base)
        except UserError as error:
            # One class that cannot be read must not hold up the pools of the others.
            _log.warning("%s: %s", error.where, error.message)
            return ()
        now_ms = self._clock.now_ms()
        group = await self._group_of(node_class)
        found = await self._reservations_of(node_class)
        reserved = self._shelf(group).spend(found, now_ms)
        placed = settings_in(settings, group if isinstance(group, PlacementGroup) else None)
        self._seen.recall(node_class.metadata.annotations.get(SEEN_MEMORY, ""))
        seen = self._seen.of(node_class.status.amis)
        try:
            types = await self._types.types(
                msgspec.structs.replace(placed, reservations=reserved, seen_memory=seen)
            )
        except UserError as error:
            _log.warning("EC2NodeClass %s: %s", node_class.metadata.name, error.message)
            return ()
        subnets = node_class.status.subnets
        away = await self._shifts.zones(subnets) if self._options.heeds_shifts else frozenset()
        return leave_zones(self._shelf(group).apply(types, subnets, now_ms), away)

    def shapes(self) -> Mapping[str, Shape]:
        """Give what every type is, as far as is known now."""
        return self._types.shapes()

    def note_memory(self, node_class: EC2NodeClass) -> str:
        """Give what is to be noted on a class of the memory that its nodes have shown."""
        written = node_class.metadata.annotations.get(SEEN_MEMORY, "")
        self._seen.recall(written)
        return self._seen.note(node_class.status.amis, written)

    async def _group_of(self, node_class: EC2NodeClass) -> PlacementGroup | Fault | None:
        """Give the placement group of a class, if it names one."""
        selector = node_class.spec.placement_group_selector
        if selector is None:
            return None
        found = await self._placements.find(selector)
        return Fault("PlacementGroupNotFound", f"{selector}") if found is None else found

    def _shelf(self, group: PlacementGroup | Fault | None) -> SoldOut:
        """Give the book of what is sold out: what a placement group lacks may be had elsewhere."""
        if not isinstance(group, PlacementGroup):
            return self._sold_out
        return self._grouped.setdefault(group.group_id, SoldOut())

    async def _reservations_of(self, node_class: EC2NodeClass) -> tuple[Reservation, ...]:
        """Give the reservations of a class with what is left of them; none while EC2 is silent."""
        terms = node_class.spec.capacity_reservation_selector_terms
        if not terms or not self._options.uses_reservations:
            return ()
        key = f"{node_class.metadata.uid}/{node_class.metadata.generation}"
        known = self._reserved.get(key, RESERVATIONS_MS)
        if known is not None:
            return known
        found = await find_reservations(self._gateway, terms, self._clock.now_ms())
        if isinstance(found, Fault):
            _log.warning("%s: reservations are not used: %s", node_class.metadata.name, found)
            return ()
        offered = tuple(one.offered for one in found)
        self._reserved.put(key, offered)
        return offered

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Start a machine; the same token never starts a second one."""
        node_class = request.node_class
        if not isinstance(node_class, EC2NodeClass):
            words = "the claim's class is not there, or not one of EC2"
            return LaunchFailed(LaunchFault.CLASS_NOT_READY, "NodeClassNotReady", words)
        trouble = _not_ready(node_class)
        if trouble is not None:
            return trouble
        types = await self.instance_types(node_class)
        assert isinstance(types, tuple), "the bundled table always speaks"
        subnets = await self._subnets_of(node_class)
        group = await self._group_of(node_class)
        if isinstance(group, Fault):
            return LaunchFailed(LaunchFault.CLASS_NOT_READY, "NodeClassNotReady", str(group))
        stock = Stock(
            lay_over(types, request.overlaid),
            subnets,
            self._shelf(group),
            group,
            find_repriced(types, request.overlaid),
        )
        answer = await self._launcher.launch(request, stock)
        if isinstance(answer, Launched):
            answer = await self._find_partition(answer, group)
            self._use_reservation(answer.labels.get(RESERVATION_ID, ""))
            self._remember(instance_of(answer.machine.provider_id), request.claim)
        return answer

    async def _find_partition(self, launched: Launched, group: PlacementGroup | None) -> Launched:
        """Give a launch with the partition that EC2 has chosen, where the claim left it open."""
        is_known = PLACEMENT_GROUP_PARTITION in launched.labels
        if group is None or group.strategy != PARTITION or is_known:
            return launched
        machine = await self._machines.look(instance_of(launched.machine.provider_id))
        if not isinstance(machine, Machine):
            return launched
        return msgspec.structs.replace(launched, labels={**machine.labels, **launched.labels})

    def _use_reservation(self, reservation: str) -> None:
        """Count one machine less in a reservation, until EC2 is asked again."""
        for key, known in self._reserved.younger(RESERVATIONS_MS):
            if any(one.reservation_id == reservation for one in known):
                self._reserved.change(key, tuple(_less(one, reservation) for one in known))

    async def _subnets_of(self, node_class: EC2NodeClass) -> tuple[Subnet, ...]:
        """Give the class's subnets with their free addresses; unknown ones count as empty."""
        key = f"{node_class.metadata.uid}/{node_class.metadata.generation}"
        found = self._subnets.get(key, SUBNETS_MS)
        if found is None:
            asked = await find_subnets(self._gateway, node_class.spec.subnet_selector_terms)
            if not isinstance(asked, Fault):
                self._subnets.put(key, asked)
                self._launcher.addresses.learn(asked)
                found = asked
        known = {one.id: one for one in found or ()}
        return tuple(
            known.get(one.id, Subnet(one.id, one.zone, one.zone_id))
            for one in node_class.status.subnets
        )

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine, or nothing where EC2 does not know it."""
        instance_id = instance_of(provider_id)
        if not instance_id:
            return None
        if await self.is_left_alone(provider_id):
            return Unavailable(_AWAY)
        found = await self._machines.look(instance_id)
        return Unavailable(str(found)) if isinstance(found, Fault) else found

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine of this cluster that is not gone."""
        found = await self._machines.list_all()
        return Unavailable(str(found)) if isinstance(found, Fault) else found

    async def terminate(self, provider_id: str) -> Ended:
        """Give a machine back."""
        if await self.is_left_alone(provider_id):
            return Ended.TRY_AGAIN
        instance_id = instance_of(provider_id)
        return await self._machines.end(instance_id) if instance_id else Ended.GONE

    async def is_left_alone(self, provider_id: str) -> bool:
        """Tell whether a machine lies in a zone that the cluster is moved away from."""
        return self._options.heeds_shifts and await self._shifts.has(zone_of(provider_id))

    async def receive_notices(self) -> tuple[Notice, ...] | Deaf:
        """Wait for messages about machines; without a queue there are none."""
        if self._queue is None:
            return Deaf(QueueFault.UNSET, "no interruption queue is set", NO_QUEUE_MS)
        received = await self._queue.receive()
        return received if isinstance(received, Deaf) else tuple(map(self._notice, received))

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Say that messages were dealt with."""
        assert self._queue is not None, "a receipt comes from a queue"
        return await self._queue.delete(receipts)

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note that what a machine with these labels was had from is not on sale for a while."""
        for shelf in (self._sold_out, *self._grouped.values()):
            shelf.mark_like(labels, self._clock.now_ms())

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give what the kubelet and EKS' agents say of a broken node, and how long it is tolerated."""
        return AWS_RULES

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell, do not run, are taken back or have an event planned."""
        found = await find_unwell(self._gateway, self._cluster)
        unanswered = {call.name: fault for call, fault in found.faults}
        for name, fault in unanswered.items():
            # What a policy does not allow is the same a minute later: once is enough.
            if self._unanswered.get(name) != fault.code:
                _log.warning("%s is not answered, so less is known of machines: %s", name, fault)
        self._unanswered = {name: fault.code for name, fault in unanswered.items()}
        if unanswered and not found.machines:
            return Unavailable(str(next(iter(unanswered.values()))))
        return found.machines

    async def run(self) -> None:
        """Delete launch templates that nobody needs, until cancelled."""
        while True:
            await self._clock.sleep_ms(COLLECT_MS)
            collected = await self._launcher.templates.collect()
            if isinstance(collected, Fault):
                _log.warning("launch templates are not collected: %s", collected)

    def _notice(self, received: Received) -> Notice:
        message = received.message
        made = (self._made.get(one, "") for one in message.instance_ids)
        return Notice(
            receipt=received.receipt,
            kind=message.kind,
            machines=message.instance_ids,
            sent_ms=message.sent_ms,
            detail=message.detail,
            claims=tuple(filter(None, made)),
        )

    def _remember(self, instance_id: str, claim: str) -> None:
        self._made[instance_id] = claim
        if len(self._made) > INSTANCES_MAX:
            del self._made[next(iter(self._made))]


def open_cloud(gateway: Gateway, clock: Clock, cluster: Cluster, options: Options) -> Cloud:
    """Give the cloud of a cluster."""
    return AwsCloud(gateway, clock, cluster, options)


def _less(one: Reservation, reservation: str) -> Reservation:
    if one.reservation_id != reservation:
        return one
    return msgspec.structs.replace(one, count=max(0, one.count - 1))


def _not_ready(node_class: EC2NodeClass) -> LaunchFailed | None:
    """Say why machines of a class cannot be launched now, or nothing.

    A class that was not looked at since it was written will be in a moment: that is no reason to give
    a claim up.
    """
    name, given_up = node_class.metadata.name, LaunchFault.CLASS_NOT_READY
    if node_class.metadata.deletion_timestamp is not None:
        return _unready(given_up, f"EC2NodeClass {name} is being deleted")
    ready = next((one for one in node_class.status.conditions if one.type == "Ready"), None)
    if ready is None:
        return _unready(LaunchFault.TRANSIENT, f"EC2NodeClass {name} was not looked at yet")
    if ready.observed_generation not in (None, node_class.metadata.generation):
        words = f"EC2NodeClass {name} has changed and was not looked at since"
        return _unready(LaunchFault.TRANSIENT, words)
    if ready.status != "True":
        why = ready.message or ready.reason or ready.status
        return _unready(given_up, f"EC2NodeClass {name} is not ready: {why}")
    return None


def _unready(fault: LaunchFault, words: str) -> LaunchFailed:
    return LaunchFailed(fault, "NodeClassNotReady", words)
