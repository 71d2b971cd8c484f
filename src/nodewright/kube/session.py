"""A session: everything that runs while we work with one cluster, started and ended together.

Reflectors run whether we lead or not, so a standby takes over with a warm mirror. The end goes in
this order: nobody may act any more; Events that are queued are written; the lease is given back, so
that the next leader need not wait; then the watches and the connections are closed.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from nodewright.kube.access import Access
from nodewright.kube.client import Client, Observe, Request, Unreachable
from nodewright.kube.crds import NO_CLUSTER
from nodewright.kube.election import Terms
from nodewright.kube.events import Recorder
from nodewright.kube.leader import Leader
from nodewright.kube.limiter import BURST, QPS, Limiter
from nodewright.kube.machine import Machine
from nodewright.kube.reflector import Hear, Reflector, Settings
from nodewright.kube.writes import Writer
from nodewright.model.errors import UserError
from nodewright.model.resource import WATCHED, Resource
from nodewright.ports.kube import Kube
from nodewright.state.mirror import Mirror

_FAREWELL_S: Final = 3.0
_POLL_MS: Final = 20
# Watches that are silent are cut and taken up again much earlier than this.
STALE_MS: Final = 300_000


class Plan(msgspec.Struct, frozen=True):
    """What a session watches and how; without terms it acts without a lease."""

    instance: str
    terms: Terms | None = None
    resources: tuple[Resource[Any], ...] = WATCHED
    reflectors: Settings = Settings()
    qps: int = QPS
    burst: int = BURST
    hear: Hear = lambda _: None
    observe: Observe | None = None


class Session:
    """One cluster as long as we work with it."""

    def __init__(self, access: Access, machine: Machine, plan: Plan) -> None:
        self.client = Client(access, machine, plan.observe)
        self.mirror = Mirror(plan.resources)
        limiter = Limiter(machine.clock, plan.qps, plan.burst)
        self.recorder = Recorder(self.client, limiter, plan.instance)
        # The lease has connections of its own: it must not wait behind what we are busy with.
        self.lease_client = Client(access, machine, plan.observe)
        self.leader = Leader(self.lease_client, plan.terms) if plan.terms else None
        self.kube: Kube = Writer(self.client, limiter, self.recorder, self.may_act)
        self.reflectors = {
            resource.name: Reflector(self.client, resource, self.mirror, plan.hear, plan.reflectors)
            for resource in plan.resources
        }
        self.closing = False

    def may_act(self) -> bool:
        """Tell whether an act is allowed at this very moment."""
        return not self.closing and (self.leader is None or self.leader.may_act())

    async def wait_synced(self, limit_ms: int) -> None:
        """Wait for the first complete list of every kind; too long is one sentence."""
        clock = self.client.machine.clock
        end_ms = clock.ticks_ms() + limit_ms
        while waiting := self.mirror.waiting_for():
            if clock.ticks_ms() >= end_ms:
                problems = self.describe_problems() or f"still listing {', '.join(waiting)}"
                raise UserError(
                    f"the cluster is not known after {limit_ms // 1000} s: {problems}",
                    code=NO_CLUSTER,
                    where=self.client.access.server,
                )
            await clock.sleep_ms(_POLL_MS)

    def describe_problems(self) -> str:
        """Say what is wrong with the watches, one part for each kind in trouble."""
        found = (reflector.vitals.problem for reflector in self.reflectors.values())
        return "; ".join(problem for problem in found if problem)

    def judge_ready(self) -> str:
        """Say what is missing before the cluster is known; nothing means ready."""
        if missing := self.mirror.missing():
            return f"the cluster does not know {', '.join(missing)}"
        if waiting := self.mirror.waiting_for():
            return f"not listed yet: {', '.join(waiting)}"
        return self._judge_fresh()

    def _judge_fresh(self) -> str:
        # Every line of a watch, bookmarks included, proves that what we know is still true.
        ticks_ms = self.client.machine.clock.ticks_ms()
        for name, reflector in self.reflectors.items():
            silent_ms = ticks_ms - reflector.vitals.heard_ticks_ms
            if self.mirror.is_known(reflector.resource) and silent_ms > STALE_MS:
                return f"nothing was heard of {name} for {silent_ms // 1000} s"
        return ""

    async def end(self, tasks: list["asyncio.Task[None]"]) -> None:
        """End what runs, in the order that leaves the cluster tidy."""
        self.closing = True
        await self.recorder.drain(_FAREWELL_S)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.leader is not None:
            await _release(self.leader)


async def _release(leader: Leader) -> None:
    try:
        async with asyncio.timeout(_FAREWELL_S):
            await leader.release()
    except (Unreachable, TimeoutError) as error:
        # The lease runs out by itself; the next leader only waits a little longer.
        leader.problem = f"the lease could not be given back: {error}"


@asynccontextmanager
async def open_session(access: Access, machine: Machine, plan: Plan) -> AsyncIterator[Session]:
    """Work with a cluster for the length of a block."""
    session = Session(access, machine, plan)
    try:
        async with asyncio.TaskGroup() as group:
            runs = [each.run() for each in session.reflectors.values()]
            runs.append(session.recorder.run())
            if session.leader is not None:
                runs.append(session.leader.run())
            tasks = [group.create_task(run) for run in runs]
            try:
                yield session
            finally:
                await session.end(tasks)
    except ExceptionGroup as group:
        # What went wrong in the block, or in one of our tasks, is told as what it is.
        if len(group.exceptions) > 1:
            raise
        raise group.exceptions[0] from None
    finally:
        await session.client.close()
        await session.lease_client.close()


async def greet(client: Client) -> str:
    """Give the version of the API server; one that cannot be reached is one sentence."""
    try:
        reply = await client.ask(Request("GET", "/version"))
    except Unreachable as error:
        if isinstance(error.__cause__, UserError):
            raise error.__cause__ from None
        raise UserError(
            f"the cluster cannot be reached: {error}",
            code=NO_CLUSTER,
            where=client.access.server,
            advice="look at the address and the proxy in the kubeconfig, and at your network",
        ) from None
    if not reply.is_good:
        raise UserError(
            f"the cluster does not let us in (status {reply.status})",
            code=NO_CLUSTER,
            where=client.access.server,
            advice="sign in again, or look at the user of this kubeconfig context",
        )
    version: str = msgspec.json.decode(reply.body).get("gitVersion", "")
    return version
