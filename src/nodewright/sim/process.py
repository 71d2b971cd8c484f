"""The controller as a process: it is started, killed at any moment, and started again.

What it runs is handed its ports and nothing else. When the lease is lost, a new process begins beside
the old one, and the old one finds out when it next wants to write. An error that escapes from it is a
crash, which is kept: no scenario allows for one.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from nodewright.model.resource import WATCHED
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import Cloud
from nodewright.ports.kube import Kube
from nodewright.ports.random import Random
from nodewright.ports.witness import Witness
from nodewright.sim.cloud.ec2 import Ec2
from nodewright.sim.cloud.provider import SimCloud
from nodewright.sim.faults import Faults
from nodewright.sim.feed import Feed
from nodewright.sim.ground import Ground
from nodewright.sim.kubeport import SimKube
from nodewright.sim.requests import Requests
from nodewright.sim.session import Session
from nodewright.sim.watches import Watches
from nodewright.state.mirror import Change, Mirror

CONTROLLER: Final = "controller"
_RESTART_MS: Final = (1_500, 8_000)
_LEASE_MS: Final = 15_000
_ZOMBIE_MS: Final = 45_000


class Ports(NamedTuple):
    """Everything that a controller process is given."""

    kube: Kube
    cloud: Cloud
    clock: Clock
    random: Random
    mirror: Mirror
    listen: Callable[[Callable[[tuple[Change, ...]], None]], None]
    witnesses: tuple[Witness, ...] = ()


type Autoscaler = Callable[[Ports], Awaitable[None]]


class Process:
    """One controller over all its lives."""

    def __init__(
        self, ground: Ground, requests: Requests, ec2: Ec2, faults: Faults, main: Autoscaler
    ) -> None:
        self._ground = ground
        self._loop = ground.loop
        self._requests = requests
        self._ec2 = ec2
        self._faults = faults
        self._main = main
        self._chance = ground.chance.stream("process")
        self._lives: list[tuple[Session, list[asyncio.Task[None]]]] = []
        self.life_count = 0
        self.crashes: list[BaseException] = []
        self.die_at_call: int | None = None

    @property
    def session(self) -> Session | None:
        """The life that leads now, if any."""
        return self._lives[-1][0] if self._lives else None

    def begin(self) -> None:
        """Start the process."""
        self.life_count += 1
        session = Session(self._loop, self._faults, f"{CONTROLLER}-{self.life_count}")
        session.on_crash = lambda: self._die(session)
        session.die_at_call, self.die_at_call = self.die_at_call, None
        self._ground.note("process", "STARTED", session.name)
        watches = Watches(self._ground, self._faults, session)
        listeners: list[Callable[[tuple[Change, ...]], None]] = []

        def hear(changes: tuple[Change, ...]) -> None:
            for listener in listeners:
                listener(changes)

        feed = Feed(watches, session, hear)
        ports = Ports(
            kube=SimKube(self._ground, self._requests, self._faults, session),
            cloud=SimCloud(self._ground, self._ec2, self._faults, session),
            clock=session,
            random=self._chance,
            mirror=feed.mirror,
            listen=listeners.append,
        )
        tasks = [self._loop.create_task(feed.run(resource)) for resource in WATCHED]
        main = self._loop.create_task(self._run(ports))
        main.add_done_callback(lambda task: self._ended(session, task))
        self._lives.append((session, [*tasks, main]))
        self._plan_faults(session)

    async def _run(self, ports: Ports) -> None:
        await self._main(ports)

    def kill(self) -> None:
        """End the leading life at once, and start another after a while."""
        session = self.session
        if session is not None:
            self._faults.strike("controller.kill", session.name)
            self._die(session)

    def lose_lease(self) -> None:
        """Let another replica lead; this one goes on for a while without knowing."""
        session = self.session
        if session is None:
            return
        self._faults.strike("leader.lost", session.name)

        def take_over() -> None:
            session.is_leader = False
            self.begin()

        self._loop.after_ms(_LEASE_MS, take_over)
        self._loop.after_ms(_ZOMBIE_MS, self._bury, session)

    def stop(self) -> None:
        """End everything, for good."""
        for session, tasks in self._lives:
            session.is_dead = True
            for task in tasks:
                task.cancel()
        self._lives.clear()

    def _die(self, session: Session) -> None:
        if not session.is_dead:
            leads = self.session is session
            self._ground.note("process", "KILLED", session.name)
            self._bury(session)
            if leads:
                self._loop.after_ms(self._chance.integer(*_RESTART_MS), self.begin)

    def _bury(self, session: Session) -> None:
        session.is_dead = True
        for life in [one for one in self._lives if one[0] is session]:
            for task in life[1]:
                task.cancel()
            self._lives.remove(life)

    def _ended(self, session: Session, task: "asyncio.Task[None]") -> None:
        if task.cancelled() or session.is_dead:
            return
        error = task.exception()
        if error is not None:
            self.crashes.append(error)
            self._ground.note("process", "CRASHED", session.name, type(error).__name__)
            self._die(session)

    def _plan_faults(self, session: Session) -> None:
        due_ms = self._faults.next_ms("controller.kill", self._faults.stream("controller.kill"))
        if due_ms is not None:
            self._loop.at_ms(due_ms, lambda: None if session.is_dead else self.kill())
        due_ms = self._faults.next_ms("leader.lost", self._faults.stream("leader.lost"))
        if due_ms is not None:
            self._loop.at_ms(due_ms, lambda: None if session.is_dead else self.lose_lease())
