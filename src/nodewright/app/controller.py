"""`nodewright controller`: all controllers on a real cluster, for as long as this replica leads.

The mirror is kept warm whether we lead or not. While we lead, the controllers run with a memory of
their own; when the lead is lost they are stopped and forgotten, and we stand by again. Whatever
breaks ends the process with a sentence: nothing dies silently, and Kubernetes starts it anew.
"""

import asyncio
import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from nodewright.app.copies import CopyMeter, open_copies
from nodewright.app.dryrun import DryCloud, DryKube
from nodewright.app.durations import read_duration
from nodewright.app.faces import Faces, Show, Stores, open_faces
from nodewright.app.logs import start_logs
from nodewright.app.provider import Provider, check_named, open_provider, watched_kinds
from nodewright.app.run import run_controllers
from nodewright.app.settings import NAMESPACE, Order
from nodewright.app.status import keep_status
from nodewright.controllers.ports import Memory
from nodewright.crds.definitions import EC2NODECLASSES, NODECLAIMS, NODEPOOLS
from nodewright.crds.document import write_definition
from nodewright.kube.access import Access, find_access
from nodewright.kube.client import Client
from nodewright.kube.crds import check_crds
from nodewright.kube.election import Terms
from nodewright.kube.machine import Machine, this_machine
from nodewright.kube.session import Plan, Session, greet, open_session
from nodewright.model.errors import UserError
from nodewright.observe.cloud import TimedCloud
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import Cloud
from nodewright.ports.kube import Kube
from nodewright.ports.witness import Witness
from nodewright.state.mirror import Change, Mirror

_log: Final = logging.getLogger("nodewright.controller")
_LOOK_MS: Final = 100
_COLLECT_EVERY: Final = 50_000
_SYNC_MS: Final = 120_000
_IN_CLUSTER: Final = "in-cluster"
_JOURNAL: Final = "/var/lib/nodewright/journal"

type Hear = Callable[[tuple[Change, ...]], None]


class Ports(NamedTuple):
    """The world outside, as the controllers of this process are given it."""

    kube: Kube
    cloud: Cloud
    clock: Clock
    mirror: Mirror
    listen: Callable[[Hear], None]
    witnesses: tuple[Witness, ...] = ()


class Ears:
    """Those who are told of changes in the mirror."""

    def __init__(self) -> None:
        self._heard_by: list[Hear] = []

    def hear(self, changes: tuple[Change, ...]) -> None:
        """Pass on what changed."""
        for one in self._heard_by:
            one(changes)

    def listen(self, hear: Hear) -> None:
        """Be told from now on."""
        self._heard_by.append(hear)

    def forget(self) -> None:
        """Tell nobody any more."""
        self._heard_by.clear()


def control(order: Order, environment: Mapping[str, str], show: Show) -> None:
    """Run the controllers until the process is told to stop, and have them shown."""
    check_named(order)
    fixed = {"commit": version("nodewright")}
    start_logs(order.written.log_level, fixed, form=order.written.log_format)
    if order.inert:
        _log.warning(
            "settings that have no effect here", extra={"facts": {"settings": order.inert}}
        )
    written = order.written
    access = find_access(environment, written.kubeconfig or None, written.context or None)
    asyncio.run(_control(order, access, environment, show))


async def _control(
    order: Order, access: Access, environment: Mapping[str, str], show: Show
) -> None:
    machine = this_machine()
    running = await _check(order, access, machine)
    # A pod's name outlives its container: one that was restarted need not wait for its own lease.
    identity = environment.get("POD_NAME") or f"{socket.gethostname()}_{os.getpid()}"
    ears = Ears()
    plan = Plan(
        instance=identity,
        terms=_terms(order, access, identity),
        resources=watched_kinds(order.written.cloud),
        qps=order.written.kube_client_qps,
        burst=order.written.kube_client_burst,
        hear=ears.hear,
    )
    stop = asyncio.Event()
    with _stopping_at_signals(stop):
        folder = Path(order.written.journal or _journal_folder(access, environment))
        meter = CopyMeter()
        async with (
            open_copies(order, folder, machine, meter) as copier,
            open_session(access, machine, plan) as session,
            open_faces(order, session, identity, Stores(folder, copier, show)) as faces,
        ):
            meter.note = faces.metrics.asked
            session.mirror.learn_version(running)
            duty = asyncio.create_task(
                _serve(_Duty(order, session, ears, faces, _namespace(order, access)))
            )
            tasks: list[asyncio.Task[Any]] = [duty, asyncio.create_task(stop.wait())]
            if copier is not None:
                tasks.append(asyncio.create_task(copier.run()))
            await _first_end(tasks)
    _log.info("stopped")


async def _first_end(tasks: Sequence[asyncio.Task[Any]]) -> None:
    """Wait until one of the tasks ends, stop the others, and raise what broke."""
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            trace = None if isinstance(ended, UserError) else ended
            _log.error("the controller ends: %s", ended, exc_info=trace)
            raise ended


async def _check(order: Order, access: Access, machine: Machine) -> str:
    """Refuse, in one sentence, a cluster that cannot be reached or lacks what we work with.

    Give the version of one that is fine.
    """
    needed = [NODEPOOLS, NODECLAIMS]
    if order.written.cloud == "aws":
        needed.append(EC2NODECLASSES)
    client = Client(access, machine)
    try:
        running = await greet(client)
        await check_crds(client, [write_definition(one) for one in needed])
    finally:
        await client.close()
    facts = {"server": access.server, "kubernetes": running}
    _log.info("the cluster answers", extra={"facts": facts})
    return running


def _terms(order: Order, access: Access, identity: str) -> Terms | None:
    written = order.written
    if written.dry_run or written.disable_leader_election:
        return None
    return Terms(identity, _namespace(order, access), written.leader_election_name)


def _namespace(order: Order, access: Access) -> str:
    """Give where our own objects are: the lease, and the status."""
    own = access.namespace if access.context == _IN_CLUSTER else NAMESPACE
    return order.written.leader_election_namespace or own


def _journal_folder(access: Access, environment: Mapping[str, str]) -> str:
    if access.context == _IN_CLUSTER:
        return _JOURNAL
    home = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return str(Path(home) / "nodewright" / "journal")


class _Duty(NamedTuple):
    """What this process has to do, and with what."""

    order: Order
    session: Session
    ears: Ears
    faces: Faces
    namespace: str


async def _serve(duty: _Duty) -> None:
    """Lead or stand by, in turns, until cancelled."""
    async with open_provider(duty.order, duty.session, duty.faces.metrics) as provider:
        duty.faces.sight.place(provider.region)
        await duty.session.wait_synced(_SYNC_MS)
        _set_memory_aside()
        _log.info("the cluster is known", extra={"facts": _count(duty.session)})
        await _take_turns(duty, provider)


async def _take_turns(duty: _Duty, provider: Provider) -> None:
    session, said = duty.session, ""
    ports = _ports(duty, provider.cloud)
    while True:
        if session.may_act():
            await _lead(duty, ports, provider)
            said = ""
        duty.faces.sight.lead(ports)
        problem = session.leader.problem if session.leader is not None else ""
        if problem and problem != said:
            _log.info("standing by", extra={"facts": {"reason": problem}})
            said = problem
        await ports.clock.sleep_ms(_LOOK_MS)


def _ports(duty: _Duty, made: Cloud) -> Ports:
    session, is_dry = duty.session, duty.order.written.dry_run
    clock = session.client.machine.clock
    cloud = DryCloud(made) if is_dry else made
    return Ports(
        kube=DryKube() if is_dry else session.kube,
        cloud=TimedCloud(cloud, duty.faces.metrics, clock, duty.order.written.cloud),
        clock=clock,
        mirror=session.mirror,
        listen=duty.ears.listen,
        witnesses=duty.faces.witnesses,
    )


async def _lead(duty: _Duty, ports: Ports, provider: Provider) -> None:
    """Run the controllers for as long as we lead."""
    written, session, memory = duty.order.written, duty.session, Memory()
    _log.info("leading", extra={"facts": {"dryRun": written.dry_run}})
    duty.faces.sight.lead(ports, memory)
    try:
        async with asyncio.TaskGroup() as group:
            run = run_controllers(ports, duty.order.controllers, memory, provider.classes)
            tasks = [group.create_task(run)]
            every_ms = read_duration("--bound-every", written.bound_every)
            keep = duty.faces.bound.keep(duty.faces.sight.take, ports.clock, every_ms)
            tasks.append(group.create_task(keep))
            if not written.dry_run:
                tasks.append(group.create_task(provider.run()))
                status = keep_status(ports, duty.namespace, duty.faces.compose)
                tasks.append(group.create_task(status))
            # A controller that finds the lead lost ends by itself; the others are stopped here.
            while session.may_act() and not tasks[0].done():
                await ports.clock.sleep_ms(_LOOK_MS)
            for task in tasks:
                task.cancel()
    finally:
        duty.ears.forget()
        _log.info("not leading any more")


def _set_memory_aside() -> None:
    """Have the garbage collector pass over the cluster, and look for cycles less often.

    Objects of the cluster live long and have no cycles; looking through all of them again and again
    took a tenth of the time of a plan, more on large clusters.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_EVERY, *gc.get_threshold()[1:])


def _count(session: Session) -> dict[str, int]:
    mirror = session.mirror
    counts = {one.name: len(mirror.all(one)) for one in mirror.resources}
    return {name: count for name, count in counts.items() if count}


class _stopping_at_signals:  # noqa: N801 - it reads as what it does.
    """Asks for a graceful stop when the process is told to end; a second Ctrl-C ends it at once."""

    def __init__(self, stop: asyncio.Event) -> None:
        self._stop = stop
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._told, number)

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.remove_signal_handler(number)

    def _told(self, number: signal.Signals) -> None:
        _log.info("stopping", extra={"facts": {"signal": number.name}})
        self._stop.set()
        # Some senders tell both the process and its group, so a second SIGTERM means nothing new.
        self._loop.remove_signal_handler(signal.SIGINT)
