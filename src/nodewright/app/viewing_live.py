"""A live cluster as a source: watched like the controllers watch it, with their decisions beside it.

Nothing is decided anew: what becomes of nodes is what stands in their way now and what the controller said
last, which is asked for through the API server. Use is asked of the metrics API, where there is one. What
cannot be had is said once, and everything else is shown all the same.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import httpx2
import msgspec
from msgspec.structs import replace

from nodewright.app.journals import Decisions, open_journal
from nodewright.app.journals import Source as JournalSource
from nodewright.app.live import Place, find_pools_or_refuse, find_region, find_types
from nodewright.app.settings import Written, read_settings
from nodewright.app.viewing import Studio, date_prices, day_began_ms
from nodewright.journal.reading import LISTED_MAX, Filter
from nodewright.kube.access import Access, find_access
from nodewright.kube.client import Client, Request, Unreachable
from nodewright.kube.election import NAME, Lease
from nodewright.kube.machine import Machine, this_machine
from nodewright.kube.session import Plan, Session, greet, open_session
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.world import World
from nodewright.state.live import find_pools, take_snapshot, with_machines
from nodewright.state.mirror import Mirror
from nodewright.view.notebook import Notebook
from nodewright.view.usage import Usage, read_usage
from nodewright.view.values import Origin
from nodewright.view.viewer import Known

LOOK_MS: Final = 1_000
JUDGE_MS: Final = 5_000
JOURNAL_MS: Final = 3_000
BESIDE_MS: Final = 15_000
_POLL_MS: Final = 100
_OVERLAP_MS: Final = 5_000
_INSTANCE: Final = "nodewright-top"
_METRICS: Final = "/apis/metrics.k8s.io/v1beta1"
_LEASES: Final = "/apis/coordination.k8s.io/v1/leases"


class _Leases(msgspec.Struct, frozen=True):
    items: tuple[Lease, ...] = ()


class LiveSource(Studio):
    """Shows a live cluster until it is told to stop."""

    def __init__(
        self, place: Place, journal: JournalSource, environment: Mapping[str, str]
    ) -> None:
        self._machine: Machine = this_machine()
        self._access: Access = find_access(
            environment, place.kubeconfig or None, place.context or None
        )
        super().__init__(Origin("live", self._access.context), self._machine.clock.now_ms())
        self._region = place.region
        self._journal: Decisions = open_journal(journal, environment)
        self._notebook = Notebook()
        self._told_since_ms = 0
        self._asked_once = False
        self._usage: Usage | None = None
        self._problems: dict[str, str] = {}
        self._types: tuple[tuple[object, ...], dict[str, tuple[InstanceType, ...]]] | None = None

    async def run(self) -> None:
        """Watch the cluster, and lay a view on the desk whenever something has changed."""
        client = Client(self._access, self._machine)
        try:
            self.say("reaching the cluster")
            running = await greet(client)
            await find_pools_or_refuse(client)
        finally:
            await client.close()
        self.origin = replace(self.origin, kubernetes=running)
        plan = Plan(instance=_INSTANCE)
        async with open_session(self._access, self._machine, plan) as session:
            session.mirror.learn_version(running)
            await self._wait_known(session)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._every(JOURNAL_MS, self._ask_journal))
                group.create_task(self._every(BESIDE_MS, lambda: self._ask_beside(session.client)))
                group.create_task(self._show(session))

    async def _wait_known(self, session: Session) -> None:
        """Wait for the first list of every kind, and say what is still missing."""
        while waiting := session.mirror.waiting_for():
            problems = session.describe_problems()
            self.say(problems or f"listing {', '.join(waiting[:3])}")
            await self._machine.clock.sleep_ms(_POLL_MS)

    async def _every(self, period_ms: int, act: Callable[[], Awaitable[None]]) -> None:
        while True:
            await act()
            await self._machine.clock.sleep_ms(period_ms)

    async def _show(self, session: Session) -> None:
        mirror, clock = session.mirror, self._machine.clock
        seen: tuple[object, ...] = ()
        judged_ms = -JUDGE_MS
        nexts: Known | None = None
        while True:
            known = self._know(session)
            ticks_ms = clock.ticks_ms()
            if nexts is None:
                await self.look(replace(known, is_complete=False))
            if ticks_ms - judged_ms >= JUDGE_MS:
                nexts, judged_ms = await self.judge(known), ticks_ms
                seen = ()
            now = (mirror.revision, self._notebook.revision, self._usage, known.problems)
            if now != seen:
                seen = now
                assert nexts is not None
                await self.look(replace(known, nexts=nexts.nexts))
            await clock.sleep_ms(LOOK_MS)

    def _know(self, session: Session) -> Known:
        """Put together what is known now."""
        now_ms = self._machine.clock.now_ms()
        world = self._take(session.mirror, now_ms)
        watching = session.describe_problems()
        problems = (watching, *self._problems.values()) if watching else self._problems.values()
        return Known(
            world=world,
            origin=self.origin,
            told=self._notebook.page() if "journal" not in self._problems else None,
            usage=self._usage,
            today_ms=day_began_ms(now_ms),
            is_complete=self._asked_once,
            problems=tuple(problems),
        )

    def _take(self, mirror: Mirror, now_ms: int) -> World:
        region = self._region or find_region(mirror)
        pools = find_pools(mirror)
        if self._types is None or self._types[0] != (region, *map(id, pools)):
            warnings: list[str] = []
            self._types = ((region, *map(id, pools)), find_types(mirror, region, warnings))
            self._note("types", "; ".join(warnings))
            source, at_ms = date_prices(region)
            self.origin = replace(
                self.origin, region=region, price_source=source, priced_at_ms=at_ms
            )
        options = read_settings(Written()).controllers.options
        return with_machines(take_snapshot(mirror, now_ms, self._types[1], options), mirror)

    async def _ask_journal(self) -> None:
        """Read what was decided since the last time."""
        wanted = Filter(since_ms=self._told_since_ms, limit=LISTED_MAX)
        try:
            listing = await asyncio.to_thread(self._journal.entries, wanted)
        except (UserError, Unreachable) as error:
            said = error.message if isinstance(error, UserError) else str(error)
            self._note("journal", f"decisions are not known: {said}")
        else:
            self._note("journal", "")
            self._notebook.read(listing.entries)
            if listing.entries:
                # Outcomes come a little after their decisions.
                latest_ms = max(one.decision.at_ms for one in listing.entries)
                self._told_since_ms = latest_ms - _OVERLAP_MS
        self._asked_once = True

    async def _ask_beside(self, client: Client) -> None:
        """Ask what is in use and who leads; a cluster that does not say either is shown without."""
        try:
            nodes = await client.ask(Request("GET", f"{_METRICS}/nodes"))
            pods = await client.ask(Request("GET", f"{_METRICS}/pods")) if nodes.is_good else nodes
            leases = await client.ask(
                Request("GET", _LEASES, {"fieldSelector": f"metadata.name={NAME}"})
            )
        except (Unreachable, httpx2.HTTPError) as error:
            self._note("beside", f"use and leader are not known: {error}")
            return
        self._note("beside", "")
        self._usage = None
        if nodes.is_good:
            body = pods.body if pods.is_good else b"{}"
            self._usage = read_usage(nodes.body, body, self._machine.clock.now_ms())
        if leases.is_good:
            found = msgspec.json.decode(leases.body, type=_Leases).items
            holders = [one.spec.holder_identity or "" for one in found]
            self.origin = replace(self.origin, leader=next((one for one in holders if one), ""))

    def _note(self, about: str, problem: str) -> None:
        """Remember what cannot be had, as long as it cannot."""
        if problem:
            self._problems[about] = problem
        else:
            self._problems.pop(about, None)
