"""The cloud whose machines are Nodes that KWOK plays, on any cluster where KWOK runs.

Everything that matters is in the API: a launch creates a Node whose name follows from the token, so
that asking again, from whichever process, finds the one that is there. Only what could not be had is
remembered here, for three minutes, as a real cloud's controller would.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for
from nodewright.kwok.choice import Choice, rank, without
from nodewright.kwok.machine import (
    CLAIM_UID,
    ENDED_AT,
    TOKEN,
    boot_node,
    boot_status,
    boots_at_ms,
    describe,
    draft_machine,
    is_ended,
    is_machine,
    launched,
    name_machine,
    name_of,
    read_shape,
)
from nodewright.kwok.wishes import BadWish, OfferingKey, Wishes, read_wishes
from nodewright.model.disruption import AWS_RULES, RepairRule
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.instant import print_instant
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from nodewright.model.node import Node
from nodewright.model.nodeclass import NodeClass
from nodewright.model.resource import NODE_POOLS, NODES, refer
from nodewright.ports.clock import Clock
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
    Unavailable,
)
from nodewright.ports.kube import Answer, Kube, Options, Outcome
from nodewright.state.mirror import Mirror

REGION: Final = "us-east-1"
ICE: Final = "InsufficientInstanceCapacity"
UNAVAILABLE_MS: Final = 180_000
BOOTS_AT_ONCE: Final = 32
_LOOK_MS: Final = 100
_NO_QUEUE_MS: Final = 600_000
_SEEN_MS: Final = 5_000
_SEEN_STEP_MS: Final = 50
_log: Final = logging.getLogger("nodewright.kwok")
_ERRORS: Final[Mapping[Outcome, LaunchFault]] = {
    Outcome.INVALID: LaunchFault.REFUSED,
    Outcome.FORBIDDEN: LaunchFault.REFUSED,
    Outcome.TOO_LARGE: LaunchFault.REFUSED,
}


class KwokCloud:
    """Machines as Nodes; keeps the promise of `ports.cloud.Cloud`."""

    def __init__(self, kube: Kube, mirror: Mirror, clock: Clock, region: str = REGION) -> None:
        self._kube = kube
        self._mirror = mirror
        self._clock = clock
        self._region = region
        self._sold_out: dict[OfferingKey, int] = {}
        self._unseen: dict[str, int] = {}

    async def instance_types(
        self, node_class: NodeClass | None
    ) -> tuple[InstanceType, ...] | Unavailable:
        """Give the catalog's types as a class sees them, without what was just sold out."""
        now_ms = self._clock.now_ms()
        self._sold_out = {key: until for key, until in self._sold_out.items() if until > now_ms}
        return without(self._types(node_class), set(self._sold_out))

    def _types(self, node_class: NodeClass | None) -> tuple[InstanceType, ...]:
        if not isinstance(node_class, EC2NodeClass):
            return instance_types_for(self._region)
        try:
            return instance_types_for(self._region, settings_of(node_class))
        except UserError as error:
            # One class that cannot be read must not hold up the pools of the others.
            _log.warning("%s: %s", error.where, error.message)
            return ()

    async def launch(self, request: LaunchRequest) -> Launched | LaunchFailed:
        """Start a machine; the same token never starts a second one."""
        known = self._find(request)
        if known is not None:
            return launched(known)
        pool = self._mirror.get(NODE_POOLS, request.node_pool)
        try:
            wishes = read_wishes(pool, request.node_class)
        except BadWish as error:
            return LaunchFailed(LaunchFault.REFUSED, "BadAnnotation", str(error))
        if wishes.launch_error:
            code, _, words = wishes.launch_error.partition(":")
            return LaunchFailed(LaunchFault.REFUSED, code.strip(), words.strip())
        choice = self._choose(request, wishes)
        if choice is None:
            return LaunchFailed(LaunchFault.NO_CAPACITY, ICE, "no offering of the claim can be had")
        node = draft_machine(request, choice, wishes, self._clock.now_ms())
        return await self._create(request, node)

    async def _create(self, request: LaunchRequest, node: Node) -> Launched | LaunchFailed:
        answer = await self._kube.create(NODES, node)
        if answer.outcome is Outcome.DONE:
            self._unseen[node.metadata.name] = self._clock.now_ms() + _SEEN_MS
            return launched(node)
        if answer.outcome is Outcome.EXISTS:
            known = await self._await_seen(request)
            if known is not None:
                return launched(known)
        fault = _ERRORS.get(answer.outcome, LaunchFault.TRANSIENT)
        return LaunchFailed(fault, answer.outcome.value, answer.message)

    def _find(self, request: LaunchRequest) -> Node | None:
        node = self._mirror.get(NODES, name_machine(request))
        if node is None or node.metadata.annotations.get(TOKEN) != request.token:
            return None
        return node if node.metadata.annotations.get(CLAIM_UID) == request.claim_uid else None

    async def _await_seen(self, request: LaunchRequest) -> Node | None:
        """Wait a moment for the mirror to show a machine that the server says is there."""
        for _ in range(_SEEN_MS // _SEEN_STEP_MS):
            known = self._find(request)
            if known is not None:
                return known
            await self._clock.sleep_ms(_SEEN_STEP_MS)
        return None

    def _choose(self, request: LaunchRequest, wishes: Wishes) -> Choice | None:
        now_ms = self._clock.now_ms()
        for choice in rank(request, self._types(request.node_class)):
            if self._sold_out.get(choice.key, 0) > now_ms:
                continue
            if not wishes.is_sold_out(choice.key):
                return choice
            self._sold_out[choice.key] = now_ms + UNAVAILABLE_MS
        return None

    async def describe(self, provider_id: str) -> Machine | Unavailable | None:
        """Give one machine, or nothing where it is gone."""
        node = self._mirror.get(NODES, name_of(provider_id))
        if node is None or not is_machine(node) or is_ended(node):
            return None
        return describe(node)

    async def list_machines(self) -> tuple[Machine, ...] | Unavailable:
        """Give every machine that is not gone."""
        return tuple(
            describe(node)
            for node in self._mirror.all(NODES)
            if is_machine(node) and not is_ended(node)
        )

    async def terminate(self, provider_id: str) -> Ended:
        """End a machine: it is gone once that is written on its Node, which is deleted too."""
        name = name_of(provider_id)
        node = self._mirror.get(NODES, name)
        if node is None or not is_machine(node):
            now_ms = self._clock.now_ms()
            return Ended.TRY_AGAIN if self._unseen.pop(name, 0) > now_ms else Ended.GONE
        ref = refer(NODES, node)
        if not is_ended(node):
            said = {ENDED_AT: print_instant(self._clock.now_ms())}
            answer = await self._kube.patch(ref, {"metadata": {"annotations": said}})
            if not _is_gone_or_done(answer):
                return Ended.TRY_AGAIN
        if node.metadata.deletion_timestamp is None:
            answer = await self._kube.delete(ref)
            if not _is_gone_or_done(answer):
                return Ended.TRY_AGAIN
        return Ended.GONE

    async def receive_notices(self) -> tuple[Notice, ...] | Deaf:
        """Say that there is no queue: nobody takes these machines back."""
        return Deaf(QueueFault.UNSET, "KWOK sends no messages", _NO_QUEUE_MS)

    async def acknowledge(self, receipts: tuple[str, ...]) -> int:
        """Take note; there is nothing to acknowledge."""
        return len(receipts)

    def mark_unavailable(self, labels: Mapping[str, str]) -> None:
        """Take note that what a machine with these labels was had from is not on sale for a while."""
        key = (labels.get(INSTANCE_TYPE, ""), labels.get(ZONE, ""), labels.get(CAPACITY_TYPE, ""))
        self._sold_out[key] = self._clock.now_ms() + UNAVAILABLE_MS

    def repair_rules(self) -> tuple[RepairRule, ...]:
        """Give the node conditions that mean a broken machine: those of EC2, whose types it plays."""
        return AWS_RULES

    async def statuses(self) -> tuple[MachineStatus, ...] | Unavailable:
        """Give the machines that are unwell: none ever is by the cloud's own checks."""
        return ()

    async def run(self) -> None:
        """Boot machines when their time comes, until cancelled."""
        revision = -1
        next_ms = 0
        while True:
            now_ms = self._clock.now_ms()
            if self._mirror.revision != revision or now_ms >= next_ms:
                revision = self._mirror.revision
                due, next_ms = self._due(now_ms)
                await self._boot_all(due)
            await self._clock.sleep_ms(_LOOK_MS)

    def _due(self, now_ms: int) -> tuple[list[Node], int]:
        """Give the machines whose time has come, and when the next one's does."""
        due: list[Node] = []
        next_ms = now_ms + UNAVAILABLE_MS
        for node in self._mirror.all(NODES):
            at_ms = boots_at_ms(node)
            if at_ms is None:
                continue
            if at_ms <= now_ms:
                due.append(node)
            else:
                next_ms = min(next_ms, at_ms)
        # What could not be booted is tried again soon.
        return due, now_ms + 10 * _LOOK_MS if due else next_ms

    async def _boot_all(self, nodes: list[Node]) -> None:
        room = asyncio.Semaphore(BOOTS_AT_ONCE)

        async def boot_one(node: Node) -> None:
            async with room:
                await self._boot(node)

        async with asyncio.TaskGroup() as group:
            for node in nodes:
                group.create_task(boot_one(node))

    async def _boot(self, node: Node) -> None:
        shape, ref = read_shape(node), refer(NODES, node)
        if shape is None:
            return
        # Taints are replaced as a whole, so they must not have changed since we looked.
        guard = Options(if_version=node.metadata.resource_version, subresource="status")
        answer = await self._kube.patch(ref, boot_status(shape), guard)
        if answer.is_done:
            guard = Options(if_version=answer.version)
            answer = await self._kube.patch(ref, boot_node(node, shape), guard)
        if not answer.is_done:
            _log.debug("%s does not boot yet: %s", node.metadata.name, answer.message)


def _is_gone_or_done(answer: Answer) -> bool:
    return answer.is_done or answer.outcome is Outcome.NOT_FOUND
