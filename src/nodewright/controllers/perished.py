"""Claims that wait for a node: the cloud is asked whether their machines still live."""

import asyncio
from collections.abc import Iterable
from typing import Final

from nodewright.controllers.loop import Controller, Pace
from nodewright.core.perished import (
    LOOK_AFTER_MS,
    is_launched_only,
    is_worth_a_look,
    judge_perished,
)
from nodewright.model.beside import Beside
from nodewright.model.cloudview import EndedMachine
from nodewright.model.decision import Decision
from nodewright.model.resource import NODE_CLAIMS
from nodewright.model.world import World
from nodewright.ports.cloud import Machine
from nodewright.state.live import unfinished_claims
from nodewright.state.mirror import BY_UNFINISHED, Change

_FORGOTTEN: Final = "the cloud does not know it any more"


class Perished(Controller):
    """Writes on claims why their machines ended."""

    name = "perished"
    wakes_on = (NODE_CLAIMS,)
    pace = Pace(at_most_every_ms=LOOK_AFTER_MS, at_least_every_ms=60_000)
    _ended: tuple[EndedMachine, ...] = ()
    _is_any_young = False

    def hears(self, change: Change) -> bool:
        """Wake while any claim is on its way."""
        del change
        return self.ports.mirror.count_values(NODE_CLAIMS, BY_UNFINISHED) > 0

    async def gather(self) -> bool:
        """Ask about the machines of claims that wait."""
        now_ms = self.ports.clock.now_ms()
        claims = unfinished_claims(self.ports.mirror)
        waiting = [one.status.provider_id for one in claims if is_worth_a_look(one, now_ms)]
        self._is_any_young = any(is_launched_only(one) for one in claims)
        found = await asyncio.gather(*map(self.ports.cloud.describe, waiting))
        self._ended = tuple(
            EndedMachine(name, one.ended_because if isinstance(one, Machine) else _FORGOTTEN)
            for name, one in zip(waiting, found, strict=True)
            if one is None or (isinstance(one, Machine) and one.has_ended)
        )
        return bool(self._ended)

    def beside(self, world: World) -> Beside:
        """Give the machines that have ended."""
        del world
        return Beside(ended=self._ended)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give what is written on their claims."""
        return judge_perished(world)

    def next_look_ms(self) -> int:
        """Look soon while a claim waits for its node."""
        return LOOK_AFTER_MS if self._is_any_young else self.pace.at_least_every_ms
