"""The only loop: wake, look, decide, act, and look again.

A controller is woken by changes of the kinds it watches, or by time. It decides on the whole World at
once, and each decision is acted on in a task of its own, so that one slow answer holds up nobody. A
subject has one act at a time. What was decided on an object that we have changed since is dropped, and
what failed waits a little longer each time. Witnesses are told of all of it. The only place where
every error is caught is here.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from nodewright.controllers.acting import perform
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.model.beside import Beside
from nodewright.model.decision import Decision, End, Evict, Keep, Launch, Nominate, Refuse, Tell
from nodewright.model.node import Node
from nodewright.model.resource import NODES, PODS, Resource
from nodewright.model.world import World
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.live import take_nodes, take_snapshot
from nodewright.state.mirror import Change

_log: Final = logging.getLogger("nodewright.controllers")
_SYNC_MS: Final = 100
_ERROR_MS: Final = 1_000
_CONFLICT_MS: Final = 200
_ACTS_MAX: Final = 200
_RETRIES_MAX: Final = 10_000
_WORDS_AT_ONCE: Final = 100
_WORDS: Final = (Tell, Refuse, Nominate, Keep)


class Pace(msgspec.Struct, frozen=True):
    """How often a controller looks: not more often than this, and at least as often as that.

    The more there is to look through, the longer changes are let gather, up to a limit.
    """

    at_most_every_ms: int = 100
    at_least_every_ms: int = 10_000
    objects_per_ms: int = 20
    longest_ms: int = 500


class Patience(msgspec.Struct, frozen=True):
    """How long to wait before doing the same again: after success, and after failures."""

    done_ms: int = 0
    first_ms: int = 1_000
    most_ms: int = 60_000


_PATIENCE: Final[dict[type[Decision], Patience]] = {
    Evict: Patience(5_000, 100, 10_000),
    End: Patience(5_000, 1_000, 10_000),
}


class LeadLost(Exception):  # noqa: N818 - it reads as what it is where it is caught
    """Another replica leads now: this process must stop acting."""


class Controller(ABC):
    """One concern: when it wakes, what it decides, and how it acts."""

    name = ""
    wakes_on: tuple[Resource[Any], ...] = ()
    pace = Pace()
    is_heavy = False
    is_urgent = False
    sees_pods = True
    listens = False
    patience: Patience | None = None

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        self.ports = ports
        self.memory = memory
        self.settings = settings

    def hears(self, change: Change) -> bool:
        """Tell whether a change of a kind it wakes on is worth waking for; asked for each one."""
        del change
        return True

    async def listen(self, wake: Callable[[str], None]) -> None:
        """Hear outside what nobody asked for, and wake for it, until cancelled; few do."""
        del wake

    async def gather(self) -> bool:
        """Ask outside for what the decision needs; false where there is nothing to decide now."""
        return True

    def look(self) -> World:
        """Give the World to decide on."""
        mirror, now_ms = self.ports.mirror, self.ports.clock.now_ms()
        if not self.sees_pods:
            return take_nodes(mirror, now_ms, self.settings.options)
        return take_snapshot(mirror, now_ms, options=self.settings.options)

    def beside(self, world: World) -> Beside:
        """Give what is known beside the objects of that World, for the decision to look at."""
        del world
        return Beside()

    def see(self) -> World:
        """Give all that the decision may know."""
        world = self.look()
        return replace(world, beside=self.beside(world))

    @abstractmethod
    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is to be done: from the World alone, so that it can be decided again."""

    def note(self, decisions: Sequence[Decision]) -> None:
        """Take note of what is about to be done, before any of it is; most need not."""
        del decisions

    async def act(self, decision: Decision) -> Answer:
        """Do one thing that was decided."""
        return await perform(decision, self.ports, self.memory)

    def next_look_ms(self) -> int:
        """Tell after how long to look again if nothing changes."""
        return self.pace.at_least_every_ms


class Loop:
    """Runs one controller."""

    def __init__(self, controller: Controller, *, is_strict: bool) -> None:
        self._controller = controller
        self._clock = controller.ports.clock
        self._memory = controller.memory
        self._is_strict = is_strict
        self._wake = asyncio.Event()
        self._cause = "start"
        self._tasks: set[asyncio.Task[None]] = set()
        self._waits: dict[tuple[str, str], tuple[int, int]] = {}
        self._failure: BaseException | None = None

    def hear(self, change: Change) -> None:
        """Wake for a change of a kind that the controller watches, where it is worth it."""
        if self._controller.hears(change) and not self._wake.is_set():
            self._wake_up(f"{change.resource.plural}/{change.key}")

    def _wake_up(self, cause: str) -> None:
        if not self._wake.is_set():
            self._cause = cause
            self._wake.set()

    async def run(self) -> None:
        """Look and act until the process ends or another one leads; no act outlives the loop."""
        events = asyncio.get_running_loop()
        ears = events.create_task(self._listen())
        try:
            while self._failure is None:
                await self._guard(self._turn())
                await self._clock.sleep_ms(self._pause_ms())
                if self._failure is None:
                    await self._sleep(self._controller.next_look_ms())
            raise self._failure
        finally:
            # A process that was killed in a simulation is thrown away when its time is long over.
            for task in () if events.is_closed() else (*self._tasks, ears):
                task.cancel()

    async def _listen(self) -> None:
        """Have the controller listen; where that fails it begins anew."""
        while self._controller.listens and self._failure is None:
            await self._guard(self._controller.listen(self._wake_up))

    def _pause_ms(self) -> int:
        """Tell how long to let changes gather: longer where there is much to look through."""
        if self._controller.is_urgent:
            return self._controller.pace.at_most_every_ms
        mirror, pace = self._controller.ports.mirror, self._controller.pace
        size = mirror.count(PODS) + mirror.count(NODES)
        return max(pace.at_most_every_ms, min(size // pace.objects_per_ms, pace.longest_ms))

    async def _sleep(self, most_ms: int) -> None:
        timers = asyncio.get_running_loop()
        timer = timers.call_later(most_ms / 1000, self._wake_up, "time")
        try:
            await self._wake.wait()
        finally:
            timer.cancel()

    async def _turn(self) -> None:
        self._wake.clear()
        controller, cause = self._controller, self._cause
        if not await controller.gather():
            return
        world = controller.see()
        started_ms = self._clock.now_ms()
        if controller.is_heavy:
            made = await asyncio.to_thread(lambda: tuple(controller.decide(world)))
        else:
            made = tuple(controller.decide(world))
        decided = tuple(replace(one, cause=cause, controller=controller.name) for one in made)
        controller.note(decided)
        duration_ms = self._clock.now_ms() - started_ms
        for witness in controller.ports.witnesses:
            witness.decided(controller.name, world, decided, duration_ms)
        for decision in decided:
            if not isinstance(decision, _WORDS) and self._may_act(decision):
                self._begin(decision)
        await self._say([one for one in decided if isinstance(one, _WORDS)])

    async def _say(self, words: Sequence[Decision]) -> None:
        """Say what is to be said; acts that have begun go on in between."""
        for number, one in enumerate(words, 1):
            await self._controller.act(one)
            if number % _WORDS_AT_ONCE == 0:
                await self._clock.sleep_ms(0)

    def _may_act(self, decision: Decision) -> bool:
        now_ms, subject = self._clock.now_ms(), str(decision.subject)
        wait = self._waits.get((decision.kind, subject))
        if wait is not None and now_ms < wait[0]:
            return False
        if subject in self._memory.busy:
            # Another controller may be at it, whose answer would not wake this one.
            self._memory.held_up.setdefault(subject, []).append(self._wake_up)
            return False
        if isinstance(decision, Launch):
            # It counts as done since it was noted, and our own writes on its pool change nothing.
            return True
        if len(self._tasks) >= _ACTS_MAX:
            return False
        return not self._memory.expectations.is_stale(decision.basis, now_ms)

    def _begin(self, decision: Decision) -> None:
        subject = str(decision.subject)
        self._memory.busy.add(subject)
        task = asyncio.get_running_loop().create_task(self._act(decision, subject))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _act(self, decision: Decision, subject: str) -> None:
        try:
            await self._guard(self._act_and_reckon(decision))
        finally:
            self._memory.busy.discard(subject)
            self._wake_up("answer")
            for wake_up in self._memory.held_up.pop(subject, ()):
                wake_up("answer")

    async def _act_and_reckon(self, decision: Decision) -> None:
        started_ms = self._clock.now_ms()
        answer = await self._controller.act(decision)
        duration_ms = self._clock.now_ms() - started_ms
        for witness in self._controller.ports.witnesses:
            witness.came_of(self._controller.name, decision, answer, duration_ms)
        self._reckon(decision, answer)

    def _reckon(self, decision: Decision, answer: Answer) -> None:
        """Say when the same may be done again, after what came of it."""
        if answer.outcome is Outcome.NOT_LEADER:
            raise LeadLost(answer.message)
        patience = self._controller.patience or _PATIENCE.get(type(decision), Patience())
        key, now_ms = (decision.kind, str(decision.subject)), self._clock.now_ms()
        _log.debug("%s %s: %s", decision.kind, decision.subject, answer.outcome.value)
        if answer.is_done or answer.outcome is Outcome.EXISTS:
            self._waits.pop(key, None)
            if patience.done_ms:
                self._waits[key] = (now_ms + patience.done_ms, 0)
        else:
            last_ms = self._waits.get(key, (0, 0))[1]
            # Somebody else has written: the mirror shows it in a moment, and then it is tried again.
            is_conflict = answer.outcome is Outcome.CONFLICT
            first_ms = min(_CONFLICT_MS, patience.first_ms) if is_conflict else patience.first_ms
            delay_ms = min(patience.most_ms, max(first_ms, 2 * last_ms))
            due_ms = now_ms + max(delay_ms, answer.retry_after_ms or 0)
            self._waits[key] = (due_ms, delay_ms)
            timers = asyncio.get_running_loop()
            timers.call_later((due_ms + 1 - now_ms) / 1000, self._wake_up, "retry")
        if len(self._waits) > _RETRIES_MAX:
            self._waits = {key: one for key, one in self._waits.items() if one[0] > now_ms}

    async def _guard(self, step: Awaitable[None]) -> None:
        """Let a step fail without ending the others; strict runs and a lost lead end them all."""
        try:
            await step
        except Exception as error:  # noqa: BLE001 - the one place where that is right.
            if self._is_strict or isinstance(error, LeadLost):
                self._failure = error
                self._wake_up("error")
            else:
                _log.exception("%s failed", self._controller.name)
                await self._clock.sleep_ms(_ERROR_MS)


def is_heartbeat(change: Change) -> bool:
    """Tell whether a node only says that it lives: thousands do, and nothing that we read changed."""
    old, new = change.old, change.new
    if not isinstance(old, Node) or not isinstance(new, Node) or old.status != new.status:
        return False
    metadata = replace(old.metadata, resource_version=new.metadata.resource_version)
    return old.spec == new.spec and metadata == new.metadata


async def run_all(controllers: Sequence[Controller], *, is_strict: bool = False) -> None:
    """Run controllers until the process ends or another one leads; strict ones stop at errors."""
    ports = controllers[0].ports
    loops = [Loop(one, is_strict=is_strict) for one in controllers]
    watchers: dict[str, list[Loop]] = {}
    for controller, loop in zip(controllers, loops, strict=True):
        for kind in dict.fromkeys(one.name for one in controller.wakes_on):
            watchers.setdefault(kind, []).append(loop)

    def hear(changes: tuple[Change, ...]) -> None:
        for change in changes:
            if change.resource is NODES and is_heartbeat(change):
                continue
            for loop in watchers.get(change.resource.name, ()):
                loop.hear(change)

    ports.listen(hear)
    while ports.mirror.waiting_for():
        await ports.clock.sleep_ms(_SYNC_MS)
    try:
        async with asyncio.TaskGroup() as group:
            for loop in loops:
                group.create_task(loop.run())
    except* LeadLost:
        _log.warning("another replica leads: this one stops")
