"""A dashboard of what a command line names: a snapshot, a simulation, or a live cluster.

A live cluster is watched by this very process; decisions are those of its controller, asked for through the
API server, and its health is what `doctor` finds.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from nodewright.app.doctoring import Doctor
from nodewright.app.installing import Place as Account
from nodewright.app.journals import Decisions, open_journal
from nodewright.app.looking import Wanted, open_source
from nodewright.doctor.registry import all_checks
from nodewright.journal.reading import Journal
from nodewright.journal.recorder import Recorder
from nodewright.kube.machine import Counter, this_machine
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.ports.clock import Clock
from nodewright.state.expectations import Held
from nodewright.state.writing import SnapshotMetadata, write_snapshot
from nodewright.view.source import Source
from nodewright.view.values import View
from nodewright.web.answers.health import Health
from nodewright.web.clerk import NOT_KNOWN, Given
from nodewright.web.doors import TokenDoor
from nodewright.web.foretelling import foretell
from nodewright.web.gate import Rules
from nodewright.web.opening import open_dashboard
from nodewright.web.server import LOOPBACK, serve
from nodewright.web.writing.health import Examined, write_health

EXAMINED_EVERY_MS: Final = 300_000
_LOCAL: Final = frozenset({LOOPBACK, "localhost", "::1"})
_EXPOSED: Final = "NW-9665"


class Listening(msgspec.Struct, frozen=True):
    """Where the dashboard is to be had, and with which token; none is needed on this machine alone."""

    host: str = LOOPBACK
    port: int = 0
    token: str = ""

    def rules(self) -> Rules:
        """Give the rules of its gate; a dashboard that others can reach needs a token."""
        if self.token:
            return Rules(TokenDoor(self.token))
        if self.host not in _LOCAL:
            raise UserError(
                f"others can reach {self.host}: a token is needed",
                code=_EXPOSED,
                advice="set NODEWRIGHT_WEB_TOKEN, or leave --host out",
            )
        return Rules()


@asynccontextmanager
async def show(
    wanted: Wanted, listening: Listening, environment: Mapping[str, str]
) -> AsyncIterator[tuple[int, "asyncio.Task[None]"]]:
    """Have a dashboard for the length of a block; give its port, and the task that looks."""
    rules = listening.rules()
    clock = this_machine().clock
    with _open(wanted, environment, clock) as (source, journal):
        is_live = not (wanted.snapshot or wanted.scenario)
        doctor = _Visits(wanted, environment, clock) if is_live else None
        given = _given(source, journal, doctor)
        running = asyncio.create_task(source.run())
        try:
            async with (
                open_dashboard(given, clock) as dashboard,
                serve(dashboard.app(rules), listening.port, listening.host) as port,
            ):
                yield port, running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@contextmanager
def _open(
    wanted: Wanted, environment: Mapping[str, str], clock: Clock
) -> Iterator[tuple[Source, Decisions | None]]:
    """Give what is looked at, with its journal; that of a simulation lasts as long as it is looked at."""
    if wanted.scenario:
        with TemporaryDirectory(prefix="nodewright-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            source = open_source(wanted, environment, Recorder(folder, clock))
            yield source, Journal(folder)
    else:
        source = open_source(wanted, environment)
        is_live = not wanted.snapshot
        yield source, open_journal(wanted.journal, environment) if is_live else None


def _given(source: Source, journal: Decisions | None, doctor: "_Visits | None") -> Given:
    async def take() -> bytes:
        world, origin = source.world(), source.desk.view.origin
        if world is None:
            raise UserError("the cluster is not known yet; ask again", code=NOT_KNOWN)
        metadata = SnapshotMetadata(name=origin.name, cluster=origin.name, region=origin.region)
        return await asyncio.to_thread(write_snapshot, world, metadata, held=Held())

    async def examine(revision: int, view: View) -> Health:
        known = await doctor.latest() if doctor is not None else Examined()
        return await asyncio.to_thread(write_health, view, revision, source.world(), known)

    return Given(source, take, examine, foretell, journal)


class _Visits:
    """Has doctor look now and then, when somebody asks; meanwhile the last report counts."""

    def __init__(self, wanted: Wanted, environment: Mapping[str, str], clock: Counter) -> None:
        place = wanted.place
        account = Account(kubeconfig=place.kubeconfig, context=place.context, region=place.region)
        self._doctor = Doctor(account, environment)
        self._clock = clock
        self._visit: asyncio.Task[None] | None = None
        self._began_ticks_ms = 0
        self._known = Examined(by_whom="doctor is looking; ask again in half a minute")

    async def latest(self) -> Examined:
        """Give the latest report; a new one is begun where that is old."""
        ticks_ms = self._clock.ticks_ms()
        is_old = self._visit is None or ticks_ms - self._began_ticks_ms > EXAMINED_EVERY_MS
        if is_old and (self._visit is None or self._visit.done()):
            self._began_ticks_ms = ticks_ms
            self._visit = asyncio.create_task(self._look())
        return self._known

    async def _look(self) -> None:
        at = print_instant(self._clock.now_ms())
        try:
            examined = await asyncio.to_thread(self._doctor.examine, all_checks())
        except UserError as error:
            self._known = Examined(by_whom=f"doctor could not look: {error.message}")
        else:
            self._known = Examined(examined.report, f"doctor, {at}")
