"""What every part of the simulated world stands on: the loop, the API server, chance and history."""

from collections.abc import Callable
from typing import Final

from nodewright.sim.apiserver import ApiServer
from nodewright.sim.chance import Chance
from nodewright.sim.history import History
from nodewright.sim.loop import VirtualLoop

START_MS: Final = 1_767_225_600_000


class Ground:
    """One world's loop, objects, chance and history."""

    def __init__(
        self, seed: int, start_ms: int = START_MS, speed: float = 0.0, lines_max: int = 200_000
    ) -> None:
        self.loop = VirtualLoop(start_ms, speed)
        self.chance = Chance(seed)
        self.history = History(lines_max)
        self.api = ApiServer(self.loop.now_ms, self.chance.stream("apiserver"), self.history)

    def note(self, actor: str, verb: str, subject: str, detail: str = "") -> None:
        """Write down something that is no change of an object."""
        self.history.add(self.loop.now_ms(), actor, verb, subject, detail)


class Worklist:
    """Names of things to look at soon: each once, in the order they came."""

    def __init__(self, loop: VirtualLoop, delay_ms: int, handle: Callable[[str], object]) -> None:
        self._loop = loop
        self._delay_ms = delay_ms
        self._handle = handle
        self._waiting: dict[str, None] = {}
        self._is_due = False

    def add(self, key: str) -> None:
        """Have something looked at after the delay."""
        self._waiting[key] = None
        if not self._is_due:
            self._is_due = True
            self._loop.after_ms(self._delay_ms, self._run)

    def _run(self) -> None:
        self._is_due = False
        batch, self._waiting = self._waiting, {}
        for key in batch:
            self._handle(key)
