"""Interruption: nodes whose machines the cloud takes away are drained while there is time.

Three things go on beside the looks. Messages are received without a pause and kept here until nothing
is left to do about them; then they are acknowledged, and not before: one that is lost with this process
comes again. Once a minute, at the start, and after a silence in which messages may have been lost, the
cloud is asked for what they would have told.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from nodewright.controllers.acting import perform
from nodewright.controllers.loop import Controller, Pace, Patience
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.interruption import (
    CAPACITY_LOST,
    PLANNED,
    SPOT,
    STATE,
    decide_interruptions,
    machine_of,
    unsettled,
)
from nodewright.core.interruption_queue import judge_queue
from nodewright.model.beside import Beside
from nodewright.model.cloudview import CloudNotice, QueueView
from nodewright.model.decision import Decision, Delete
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODE_POLICIES, NODES
from nodewright.model.world import World
from nodewright.ports.cloud import Deaf, MachineStatus
from nodewright.ports.kube import Answer, Urgency
from nodewright.state.live import find_classes, find_pools, served_claims
from nodewright.state.mirror import BY_PROVIDER_ID, Change

HELD_MS: Final = 20_000
"""How long a message is ours before it comes again."""

HELD_MAX: Final = 5_000
SWEEP_MS: Final = 60_000
SILENCE_MS: Final = 90_000
"""A long poll and a minute, the shortest time that a queue keeps messages: less can lose none."""

_HELD_LOOK_MS: Final = 10_000
_ROOM_MS: Final = 100
_DEAF_MS: Final = 1_000
_DEAF_MS_MAX: Final = 30_000
_ACKNOWLEDGED_AT_ONCE: Final = 200


class Interruption(Controller):
    """Listens to the cloud, and acknowledges a notice once nothing is left to do about it."""

    name = "interruption"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=50, at_least_every_ms=60_000)
    is_urgent = True
    listens = True
    # A warning leaves two minutes: what failed is tried again while there is time.
    patience = Patience(first_ms=500, most_ms=5_000)

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._notices: dict[str, tuple[int, CloudNotice]] = {}
        self._swept: tuple[CloudNotice, ...] = ()
        self._settled: list[str] = []
        self._has_settled = asyncio.Event()
        self._queue: QueueView | None = None
        self._heard_ms = ports.clock.now_ms()
        self._seen = World(now_ms=self._heard_ms)

    def hears(self, change: Change) -> bool:
        """Wake for claims that go: that may be what messages wait for."""
        is_going = change.new is None or change.new.metadata.deletion_timestamp is not None
        return is_going and bool(self._notices)

    async def listen(self, wake: Callable[[str], None]) -> None:
        """Receive, acknowledge and ask, each at its own pace, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._receive(wake))
            group.create_task(self._acknowledge())
            group.create_task(self._sweep(wake))

    async def _receive(self, wake: Callable[[str], None]) -> None:
        clock, pause_ms = self.ports.clock, _DEAF_MS
        while True:
            while len(self._notices) >= HELD_MAX:
                # What is not received stays in the queue.
                await clock.sleep_ms(_ROOM_MS)
            answer = await self.ports.cloud.receive_notices()
            if isinstance(answer, Deaf):
                self._note_queue(answer.fault.value, answer.message)
                wake("queue")
                await clock.sleep_ms(answer.retry_after_ms or pause_ms)
                pause_ms = min(2 * pause_ms, _DEAF_MS_MAX)
                continue
            pause_ms, now_ms = _DEAF_MS, clock.now_ms()
            silence_ms, self._heard_ms = now_ms - self._heard_ms, now_ms
            self._note_queue("", "")
            for one in answer:
                told = CloudNotice(one.receipt, one.kind, one.machines, one.detail, one.claims)
                self._notices[one.receipt] = (now_ms, told)
            if answer:
                wake("queue")
            if silence_ms > SILENCE_MS:
                await self._ask(wake)

    def _note_queue(self, fault: str, message: str) -> None:
        known = self._queue
        if known is None or known.fault != fault:
            self._queue = QueueView(self.ports.clock.now_ms(), fault, message)

    async def _acknowledge(self) -> None:
        while True:
            await self._has_settled.wait()
            some = self._settled[:_ACKNOWLEDGED_AT_ONCE]
            del self._settled[:_ACKNOWLEDGED_AT_ONCE]
            if not self._settled:
                self._has_settled.clear()
            await self.ports.cloud.acknowledge(tuple(some))

    async def _sweep(self, wake: Callable[[str], None]) -> None:
        while True:
            await self._ask(wake)
            await self.ports.clock.sleep_ms(SWEEP_MS)

    async def _ask(self, wake: Callable[[str], None]) -> None:
        asked_ms = self.ports.clock.now_ms()
        found = await self.ports.cloud.statuses()
        if isinstance(found, tuple):
            self._swept = tuple(one for status in found for one in notices_of(status, asked_ms))
            if self._swept:
                wake("sweep")

    async def gather(self) -> bool:
        """Forget what comes again by itself; tell whether there is something to decide."""
        now_ms = self.ports.clock.now_ms()
        self._notices = {
            receipt: held for receipt, held in self._notices.items() if now_ms - held[0] < HELD_MS
        }
        if self._notices or self._swept:
            return True
        return next(judge_queue(self.see()), None) is not None

    def look(self) -> World:
        """Give the claims that notices are about, their nodes, and what says what to do with them."""
        mirror = self.ports.mirror
        claims = self._concerned()
        ids = [one.status.provider_id for one in claims if one.status.provider_id]
        return World(
            now_ms=self.ports.clock.now_ms(),
            nodes=tuple(node for one in ids for node in mirror.find(NODES, BY_PROVIDER_ID, one)),
            node_claims=claims,
            node_pools=find_pools(mirror),
            node_classes=find_classes(mirror),
            node_policies=mirror.all(NODE_POLICIES),
            options=self.settings.options,
        )

    def _concerned(self) -> tuple[NodeClaim, ...]:
        notices = self._all()
        if not notices:
            return ()
        mirror = self.ports.mirror
        known: dict[str, NodeClaim] = mirror.derive(
            "claims of machines",
            (NODE_CLAIMS,),
            lambda: {machine_of(one) or one.metadata.name: one for one in served_claims(mirror)},
        )
        names = {name for one in notices for name in (*one.machines, *one.claims)}
        return tuple(known[name] for name in sorted(names & known.keys()))

    def _all(self) -> tuple[CloudNotice, ...]:
        return (*(one for _, one in self._notices.values()), *self._swept)

    def beside(self, world: World) -> Beside:
        """Give what the cloud said, and how well it is heard."""
        del world
        return Beside(notices=self._all(), queue=self._queue)

    def see(self) -> World:
        """Give all that the decision may know."""
        self._seen = super().see()
        return self._seen

    def next_look_ms(self) -> int:
        """Look often while something that was said is not settled."""
        return _HELD_LOOK_MS if self._notices or self._swept else self.pace.at_least_every_ms

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be done about what was said."""
        return decide_interruptions(world)

    def note(self, decisions: Sequence[Decision]) -> None:
        """Let go of the notices about which nothing was left to do."""
        del decisions
        left = unsettled(self._seen, self._seen.beside.notices)
        receipts = {one.receipt for one in left}
        done = [
            one.receipt
            for one in self._seen.beside.notices
            if one.receipt and one.receipt not in receipts
        ]
        for receipt in done:
            self._notices.pop(receipt, None)
        self._swept = tuple(one for one in left if not one.receipt)
        if done:
            self._settled += done
            self._has_settled.set()

    async def act(self, decision: Decision) -> Answer:
        """Do one thing before all others; what took a machine back has no other to sell for now."""
        if isinstance(decision, Delete) and decision.reason in CAPACITY_LOST:
            claim = self.ports.mirror.get(NODE_CLAIMS, decision.subject.name)
            if claim is not None:
                self.ports.cloud.mark_unavailable(claim.metadata.labels)
        return await perform(decision, self.ports, self.memory, Urgency.INTERRUPTION)


def notices_of(status: MachineStatus, asked_ms: int) -> Iterator[CloudNotice]:
    """Give what messages would have told of a machine that the cloud was asked about."""
    machines = (status.machine,)
    if status.state:
        yield CloudNotice("", STATE, machines, {"state": status.state})
    if status.is_taken_back:
        yield CloudNotice("", SPOT, machines)
    if status.planned_event:
        yield CloudNotice("", PLANNED, machines, {"code": status.planned_event})
    if status.impaired_since_ms is not None:
        since = {"since": str(status.impaired_since_ms), "asked": str(asked_ms)}
        yield CloudNotice("", status.impaired_check, machines, since)
