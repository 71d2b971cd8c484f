"""The clock and the chance of this machine, as adapters are handed them.

Beside the calendar (`now_ms`) there is a counter (`ticks_ms`) that only goes up, also while the
process is stopped or the machine sleeps. Whatever is measured is measured with the counter: the
calendar may jump, and a leader that was paused must notice that time has passed.
"""

import asyncio
import random
import time
from typing import Final, NamedTuple, Protocol

from nodewright.ports.clock import Clock
from nodewright.ports.random import Random

# Linux counts time in which the machine was suspended on a clock of its own.
_COUNTER: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Counter(Clock, Protocol):
    """A clock that can also measure."""

    def ticks_ms(self) -> int:
        """Give the milliseconds since some moment in the past; it never goes back."""
        ...


class MachineClock:
    """The clock of this machine."""

    def now_ms(self) -> int:
        """Give the present instant in milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    def ticks_ms(self) -> int:
        """Give the milliseconds since this machine was started."""
        return time.clock_gettime_ns(_COUNTER) // 1_000_000

    async def sleep_ms(self, duration_ms: int) -> None:
        """Wait."""
        await asyncio.sleep(duration_ms / 1000)


class MachineRandom:
    """Chance from the operating system's seed, or from a given one."""

    def __init__(self, seed: int | None = None) -> None:
        self._draw = random.Random(seed)  # noqa: S311 - it spreads load, it keeps no secret.

    def integer(self, low: int, high: int) -> int:
        """Draw a whole number; both ends belong to the range."""
        return self._draw.randint(low, high)

    def fraction(self) -> float:
        """Draw a number from 0 up to, not including, 1."""
        return self._draw.random()


class Machine(NamedTuple):
    """Time and chance together, as they are handed on."""

    clock: Counter
    rng: Random


def this_machine() -> Machine:
    """Give the real clock and real chance."""
    return Machine(MachineClock(), MachineRandom())
