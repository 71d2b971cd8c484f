"""The controller's own cluster as a source: what it sees, with what it decided.

Looking costs time that belongs to the controllers, so it is done once a second while somebody wants to see,
and once a minute otherwise, for the sake of histories.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from nodewright.app.journaling import Sight
from nodewright.app.viewing import Studio, day_began_ms
from nodewright.journal.reading import Filter, Journal
from nodewright.kube.session import Session
from nodewright.model.errors import UserError
from nodewright.view.notebook import Notebook
from nodewright.view.values import Next, Origin
from nodewright.view.viewer import Known

LOOK_MS: Final = 1_000
REST_MS: Final = 60_000
JUDGE_MS: Final = 5_000
_DAY_MS: Final = 86_400_000

type Wanted = Callable[[], bool]


class ControllerSource(Studio):
    """Shows what the controller of this process sees."""

    def __init__(self, session: Session, sight: Sight, notebook: Notebook, identity: str) -> None:
        super().__init__(Origin("controller"), session.client.machine.clock.now_ms())
        self._identity = identity
        self._session = session
        self._sight = sight
        self._notebook = notebook
        self.is_wanted: Wanted = lambda: False

    async def remember(self, journal: Journal) -> None:
        """Learn what was decided during the last day, before this process began."""
        since_ms = self._session.client.machine.clock.now_ms() - _DAY_MS
        try:
            listing = await asyncio.to_thread(journal.entries, Filter(since_ms=since_ms))
        except UserError as error:
            # A journal that has just begun has nothing to remember.
            self.say(error.message)
        else:
            self._notebook.read(listing.entries)

    async def run(self) -> None:
        """Look again and again, as often as anybody wants to see."""
        clock, mirror = self._session.client.machine.clock, self._session.mirror
        seen: tuple[object, ...] = ()
        nexts: dict[str, Next] = {}
        looked_ms, judged_ms = -REST_MS, -JUDGE_MS
        while True:
            ticks_ms = clock.ticks_ms()
            if self.is_wanted() or ticks_ms - looked_ms >= REST_MS:
                now = (mirror.revision, self._notebook.revision)
                known = await self._know() if now != seen else None
                if known is not None:
                    looked_ms = ticks_ms
                    if ticks_ms - judged_ms >= JUDGE_MS:
                        nexts, judged_ms = dict((await self.judge(known)).nexts), ticks_ms
                    seen = now
                    await self.look(replace(known, nexts=nexts))
            await clock.sleep_ms(LOOK_MS)

    async def _know(self) -> Known | None:
        try:
            world = await self._sight.see()
        except UserError as error:
            self.say(error.message)
            return None
        place = self._sight.place_of_machines
        minor = self._session.mirror.kubernetes_minor
        self.origin = Origin(
            "controller",
            place.cluster or self._session.client.access.context,
            place.region,
            kubernetes=f"1.{minor}" if minor is not None else "",
            leader=self._identity if self._session.may_act() else "",
            price_source="the cloud's price list",
            priced_at_ms=world.now_ms,
        )
        problem = self._session.describe_problems()
        return Known(
            world=world,
            origin=self.origin,
            told=self._notebook.page(),
            today_ms=day_began_ms(world.now_ms),
            problems=(problem,) if problem else (),
        )
