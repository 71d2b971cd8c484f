"""The cloud port over the model of EC2: calls take time, may be throttled, and may go wrong.

A launch is narrowed as the real provider does it: types that fit, on offerings that the claim allows,
the cheapest sixty, the first capacity type that is allowed. What could not be had is remembered for
three minutes and shown as unavailable.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from nodewright.model.disruption import RepairRule
from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ON_DEMAND, SPOT, ZONE
from nodewright.model.nodeclass import NodeClass
from nodewright.model.requirements import Requirements
from nodewright.ports.cloud import (
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
    Refusal,
    Unavailable,
)
from nodewright.sim.cloud.ec2 import Ec2, Instance
from nodewright.sim.cloud.fleet import ICE, FleetError, FleetRequest, Override
from nodewright.sim.cloud.market import OfferingKey
from nodewright.sim.faults import Faults
from nodewright.sim.ground import Ground
from nodewright.sim.session import Session

TYPES_MAX: Final = 60
UNAVAILABLE_MS: Final = 180_000
CLAIM_TAG: Final = "karpenter.sh/nodeclaim"
CLAIM_UID_TAG: Final = "sim.nodewright.dev/claim-uid"
ASKED: Final = "asked"
POOL_TAG: Final = "karpenter.sh/nodepool"
_CALL_MS: Final = (20, 120)
_LAUNCH_MS: Final = (700, 2_500)
_LATE_MS: Final = (20_000, 90_000)
_POLL_MS: Final = 20_000
_REPAIRS: Final = (
    RepairRule("Ready", "False", 1_800_000),
    RepairRule("Ready", "Unknown", 1_800_000),
)
_STRATEGY: Final = {SPOT: "price-capacity-optimized", ON_DEMAND: "lowest-price"}


class SimCloud:
    """The cloud as one process of the controller sees it."""

    def __init__(self, ground: Ground, ec2: Ec2, faults: Faults, session: Session) -> None:
        self._loop = ground.loop
        self._chance = ground.chance.stream("cloud-calls")
        self._ec2 = ec2
        self._faults = faults
        self._session = session
        self._sold_out: dict[OfferingKey, int] = {}

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give every type that can be had, with today's prices and what is known to be gone."""
        del node_class
        trouble = await self._call("DescribeInstanceTypes")
        if trouble is not None:
            return trouble
        now_ms = self._loop.now_ms()
        types = self._ec2.market.instance_types(now_ms)
        gone = {key for key, until_ms in self._sold_out.items() if until_ms > now_ms}
        if not gone:
            return types
        names = {key[0] for key in gone}
        return tuple(_without(one, gone) if one.name in names else one for one in types)

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Start a machine; the same token never starts a second one."""
        trouble = await self._call("CreateFleet", _LAUNCH_MS)
        if trouble is not None:
            return LaunchFailed(LaunchFault.TRANSIENT, trouble.reason)
        if self._faults.happens("launch.refused", request.claim):
            return LaunchFailed(LaunchFault.REFUSED, "UnauthorizedOperation", "not allowed")
        fleet = self._fleet(request)
        if fleet is None:
            return LaunchFailed(LaunchFault.NO_CAPACITY, ICE, "no offering fits the claim")
        instance, errors = self._ec2.create_fleet(fleet)
        self._remember(errors, fleet.capacity_type)
        if instance is not None and self._faults.happens("launch.twice", request.claim):
            self._ec2.create_fleet(fleet)
        if self._faults.happens("launch.late", request.claim):
            await self._session.wait_ms(self._chance.integer(*_LATE_MS))
        if self._faults.happens("launch.lost", request.claim):
            return LaunchFailed(LaunchFault.TRANSIENT, "RequestTimeout", "the answer was lost")
        await self._session.answered()
        refused = tuple(Refusal(one.zone, fleet.capacity_type, one.code) for one in errors)
        if instance is None:
            first = errors[0]
            return LaunchFailed(LaunchFault.NO_CAPACITY, first.code, first.message, refused)
        return msgspec.structs.replace(_launched(instance), refused=refused)

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine, or nothing where the cloud does not know it."""
        trouble = await self._call("DescribeInstances")
        if trouble is not None:
            return trouble
        found = self._ec2.find(provider_id)
        return found.describe() if found is not None and found.state != "terminated" else None

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine that is not gone."""
        trouble = await self._call("DescribeInstances")
        if trouble is not None:
            return trouble
        return tuple([one.describe() for one in self._ec2.visible()])

    async def terminate(self, provider_id: str) -> Ended:
        """Give a machine back."""
        trouble = await self._call("TerminateInstances")
        if trouble is not None:
            return Ended.TRY_AGAIN
        known = self._ec2.terminate(provider_id, ASKED)
        await self._session.answered()
        return Ended.ACCEPTED if known else Ended.GONE

    async def receive_notices(self) -> tuple[Notice, ...] | Deaf:
        """Wait up to 20 s for messages."""
        trouble = await self._call("ReceiveMessage")
        if trouble is None and self._faults.happens("queue.down"):
            trouble = Unavailable("EndpointConnectionError", 1_000)
        if trouble is not None:
            return Deaf(QueueFault.UNREACHABLE, trouble.reason, trouble.retry_after_ms)
        found = self._ec2.receive()
        if not found:
            await asyncio.wait([self._ec2.next_notice()], timeout=_POLL_MS / 1000)
            await self._session.wait_ms(0)
            found = self._ec2.receive()
        return found

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Say that messages were dealt with."""
        if await self._call("DeleteMessageBatch") is not None:
            return 0
        for receipt in receipts:
            self._ec2.acknowledge(receipt)
        return len(receipts)

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note that what a machine with these labels was had from is not on sale for a while."""
        key = (labels.get(INSTANCE_TYPE, ""), labels.get(ZONE, ""), labels.get(CAPACITY_TYPE, ""))
        self._sold_out[key] = self._loop.now_ms() + UNAVAILABLE_MS

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give the node conditions that mean a broken machine: those that a kubelet reports."""
        return _REPAIRS

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell."""
        trouble = await self._call("DescribeInstanceStatus")
        return trouble if trouble is not None else self._ec2.statuses()

    async def _call(
        self, operation: str, range_ms: tuple[int, int] = _CALL_MS
    ) -> Unavailable | None:
        await self._session.call(self._chance.integer(*range_ms), operation)
        if self._faults.happens("cloud.throttle", operation) or not self._ec2.throttle.allow(
            operation
        ):
            return Unavailable("RequestLimitExceeded", 1_000)
        if self._faults.happens("cloud.error", operation):
            return Unavailable("InternalError", 1_000)
        return None

    def _fleet(self, request: LaunchRequest) -> FleetRequest | None:
        now_ms = self._loop.now_ms()
        found: dict[str, list[tuple[int, Override]]] = {SPOT: [], ON_DEMAND: []}
        for name in request.instance_types:
            kind = self._ec2.market.types.get(name)
            if kind is None or not _is_large_enough(kind, request):
                continue
            for key in _offerings(kind, request.requirements):
                if self._sold_out.get(key, 0) <= now_ms and key[2] in found:
                    price = self._ec2.market.price(key, now_ms)
                    found[key[2]].append((price, Override(name, key[1], price)))
        for capacity_type in (SPOT, ON_DEMAND):
            ranked = sorted(found[capacity_type], key=lambda one: (one[0], one[1].instance_type))
            cheapest = list(dict.fromkeys(one.instance_type for _, one in ranked))[:TYPES_MAX]
            chosen = tuple(one for _, one in ranked if one.instance_type in cheapest)
            if chosen:
                tags = {
                    **request.tags,
                    CLAIM_TAG: request.claim,
                    CLAIM_UID_TAG: request.claim_uid,
                    POOL_TAG: request.node_pool,
                    "sim.nodewright.dev/labels": _encode(request.labels),
                    "sim.nodewright.dev/taints": _encode(request.taints),
                }
                strategy = _STRATEGY[capacity_type]
                return FleetRequest(request.token, capacity_type, strategy, chosen, tags)
        return None

    def _remember(self, errors: list[FleetError], capacity_type: str) -> None:
        until_ms = self._loop.now_ms() + UNAVAILABLE_MS
        for error in errors:
            if error.code == ICE:
                self._sold_out[(error.instance_type, error.zone, capacity_type)] = until_ms


def _encode(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _is_large_enough(kind: InstanceType, request: LaunchRequest) -> bool:
    room = kind.allocatable
    return all(amount <= room.get(name, 0) for name, amount in request.requests.items())


def _offerings(kind: InstanceType, wanted: Requirements) -> Iterator[OfferingKey]:
    if kind.requirements.conflict(wanted) is not None:
        return
    for offering in kind.offerings:
        if offering.available and offering.requirements.conflict(wanted) is None:
            yield (kind.name, offering.zone, offering.capacity_type)


def _without(kind: InstanceType, gone: set[OfferingKey]) -> InstanceType:
    def told(offering: Offering) -> Offering:
        if (kind.name, offering.zone, offering.capacity_type) in gone:
            return msgspec.structs.replace(offering, available=False)
        return offering

    return msgspec.structs.replace(kind, offerings=tuple(told(one) for one in kind.offerings))


def _launched(instance: Instance) -> Launched:
    labels = {
        **instance.type.requirements.labels(),
        INSTANCE_TYPE: instance.key[0],
        ZONE: instance.key[1],
        CAPACITY_TYPE: instance.key[2],
    }
    return Launched(
        machine=instance.describe(),
        labels=labels,
        capacity=dict(instance.type.capacity),
        allocatable=dict(instance.type.allocatable),
    )
