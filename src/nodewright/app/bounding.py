"""How far the cluster is above the lower bound, found now and then by a process of its own.

Linear programs take memory and seconds, which the controllers are not to be held up by. So a snapshot is
handed to another process of low priority, which answers with two numbers: run as a module, it reads a
snapshot from its standard input.
"""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.model.instance import NANO
from nodewright.ports.clock import Clock
from nodewright.state.snapshot import read_snapshot

_log: Final = logging.getLogger("nodewright.bound")
PODS_MAX: Final = 5_000
_NICE: Final = 10
_LIMIT_S: Final = 300.0


class Bound(msgspec.Struct, frozen=True, rename="camel"):
    """What is paid an hour, and what the same pods would cost at least."""

    paid: float
    at_least: float

    @property
    def gap(self) -> float | None:
        """How far above the bound it is, as a part of the bound; nothing where nothing has to be paid."""
        return self.paid / self.at_least - 1 if self.at_least > 0 else None


class BoundKeeper:
    """Remembers the latest bound."""

    def __init__(self) -> None:
        self._latest: Bound | None = None

    def at_least(self) -> float | None:
        """Give what the cluster would cost at least, once that is known."""
        return None if self._latest is None else self._latest.at_least

    def gap(self) -> float | None:
        """Give how far above that it was, once that is known."""
        return None if self._latest is None else self._latest.gap

    async def keep(self, take: Callable[[], Awaitable[bytes]], clock: Clock, every_ms: int) -> None:
        """Find the bound again and again; what goes wrong is said, and tried again next time."""
        while every_ms > 0:
            await clock.sleep_ms(every_ms)
            try:
                self._latest = await find_bound(await take()) or self._latest
            except (UserError, OSError, TimeoutError) as error:
                _log.warning("the lower bound was not found: %s", error or type(error).__name__)


async def find_bound(snapshot: bytes) -> Bound | None:
    """Have another process find the bound of a snapshot; nothing where it has none."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "nodewright.app.bounding",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_LIMIT_S):
            said, trouble = await process.communicate(snapshot)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode != 0:
        last = trouble.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
        raise UserError(f"its process ended with status {process.returncode}: {last[0]}")
    return msgspec.json.decode(said, type=Bound | None)


def measure_bound(snapshot: bytes) -> Bound | None:
    """Give what is paid and what would have to be; nothing with too many pods, or some that nothing fits now."""
    from nodewright.app.planning import plan_world, with_bound
    from nodewright.core.anew import as_if_new
    from nodewright.core.disruption.cost import Prices
    from nodewright.core.money import add_up

    world = read_snapshot(snapshot, "the snapshot of now").world
    if len(world.pods) > PODS_MAX:
        return None
    anew = as_if_new(world)
    planned = plan_world(anew)
    if planned.plan.unschedulable:
        # What cannot be bought now has no price to be compared with.
        return None
    plan = with_bound(anew, planned).plan
    paid = add_up(world, Prices(world)).total
    return Bound(paid / NANO, (plan.lower_bound or 0) / NANO)


def main() -> None:
    """Read a snapshot, and write the answer."""
    os.nice(_NICE)
    sys.stdout.buffer.write(msgspec.json.encode(measure_bound(sys.stdin.buffer.read())))


if __name__ == "__main__":
    main()
