"""The cloud with a stopwatch: every question is timed, and errors and messages are counted.

It keeps the promise of `Cloud` by passing everything on, so that neither controllers nor providers know
of metrics.
"""

from collections.abc import Awaitable, Mapping
from typing import Final

from nodewright.core.interruption import kind_of
from nodewright.model.cloudview import CloudNotice
from nodewright.model.disruption import RepairRule
from nodewright.model.instance import InstanceType
from nodewright.model.nodeclass import NodeClass
from nodewright.observe.metrics import Metrics
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

_ERRORS: Final = {
    LaunchFault.NO_CAPACITY: "InsufficientCapacityError",
    LaunchFault.CLASS_NOT_READY: "NodeClassNotReadyError",
}
_GONE: Final = "NodeClaimNotFoundError"
_LIFECYCLE: Final = "nodeclaim.lifecycle"
_GARBAGE: Final = "nodeclaim.garbagecollection"
_PLANNING: Final = "provisioner"
_PLACED: Final = 3
_NO_OP: Final = "no_op"
"""Karpenter's word for messages that mean nothing to us."""


class TimedCloud:
    """A cloud whose answers are counted and timed."""

    def __init__(self, cloud: Cloud, metrics: Metrics, clock: Clock, provider: str) -> None:
        self._cloud = cloud
        self._metrics = metrics
        self._clock = clock
        self._provider = provider

    async def _time[T](self, controller: str, method: str, asked: Awaitable[T]) -> T:
        started_ms = self._clock.now_ms()
        answer = await asked
        seconds = (self._clock.now_ms() - started_ms) / 1000
        self._metrics.note(
            "karpenter_cloudprovider_duration_seconds",
            seconds,
            controller,
            method,
            self._provider,
        )
        error = _error(answer)
        if error is not None:
            self._metrics.count(
                "karpenter_cloudprovider_errors_total", controller, method, self._provider, error
            )
        return answer

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give every type that can be had with a class."""
        asked = self._cloud.instance_types(node_class)
        answer = await self._time(_PLANNING, "GetInstanceTypes", asked)
        if isinstance(answer, tuple):
            name = node_class.metadata.name if node_class is not None else ""
            self._metrics.on_sale.learn(name, answer)
        return answer

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Start a machine, and count what could not be had."""
        answer = await self._time(_LIFECYCLE, "Create", self._cloud.launch(request))
        for one in answer.refused:
            place = (one.zone, self._metrics.on_sale.zone_id(one.zone))
            self._metrics.failed_launch(*place, one.capacity_type, one.reason)
        return answer

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine, or nothing where the cloud does not know it."""
        return await self._time(_LIFECYCLE, "Get", self._cloud.describe(provider_id))

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine of this cluster that is not gone."""
        return await self._time(_GARBAGE, "List", self._cloud.list_machines())

    async def terminate(self, provider_id: str) -> Ended:
        """Give a machine back, and count where that failed."""
        answer = await self._time(_LIFECYCLE, "Delete", self._cloud.terminate(provider_id))
        if answer is Ended.TRY_AGAIN:
            zone = _zone_of(provider_id)
            self._metrics.count(
                "karpenter_cloudprovider_instance_termination_failures_total",
                zone,
                self._metrics.on_sale.zone_id(zone),
            )
        return answer

    async def receive_notices(self) -> tuple[Notice, ...] | Deaf:
        """Wait for messages about machines, and count them by kind and the trouble with them."""
        received = await self._cloud.receive_notices()
        if isinstance(received, Deaf):
            if received.fault is not QueueFault.UNSET:
                self._metrics.count(
                    "nodewright_interruption_queue_errors_total", received.fault.value
                )
                self._metrics.hearing.failed(received.message or received.fault.value)
            return received
        lags_ms = [max(0, self._clock.now_ms() - notice.sent_ms) for notice in received]
        self._metrics.hearing.listened(tuple(lags_ms))
        for notice, lag_ms in zip(received, lags_ms, strict=True):
            kind = kind_of(CloudNotice(notice.receipt, notice.kind, detail=notice.detail))
            self._metrics.count("karpenter_interruption_received_messages_total", kind or _NO_OP)
            self._metrics.note(
                "karpenter_interruption_message_queue_duration_seconds", lag_ms / 1000
            )
        return received

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Say that messages were dealt with."""
        count = await self._cloud.acknowledge(receipts)
        for _ in range(count):
            self._metrics.count("karpenter_interruption_deleted_messages_total")
        return count

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note that what a machine with these labels was had from is not on sale for a while."""
        self._cloud.mark_unavailable(labels)

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give the node conditions that mean a broken machine."""
        return self._cloud.repair_rules()

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell or have an event planned."""
        return await self._cloud.statuses()


def _zone_of(provider_id: str) -> str:
    """Give the zone that a provider id names, as `aws:///us-east-1a/i-1` does; else nothing."""
    parts = provider_id.partition("://")[2].split("/")
    return parts[1] if len(parts) == _PLACED and not parts[0] else ""


def _error(answer: object) -> str | None:
    """Name the error of an answer as Karpenter does; an empty name is any other."""
    match answer:
        case LaunchFailed(fault=fault):
            return _ERRORS.get(fault, "")
        case Unavailable() | Ended.TRY_AGAIN:
            return ""
        case Ended.GONE | None:
            return _GONE
        case _:
            return None
