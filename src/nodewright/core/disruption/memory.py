"""Memory: what is to be remembered of commands that were started, that were done, and that failed.

Everything that is remembered is forgotten in time, and every list has an end. A pool whose replacements
fail is left alone for a minute, twice as long each time, for ten at most; one success and all is
forgotten.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.worth import LATELY_MS
from nodewright.model.disruption import DRIFTED, Backoff, Command, Memory, Swap

BACKOFF_MS: Final = 60_000
BACKOFF_MAX_MS: Final = 600_000
RATE_MS: Final = 7 * 24 * 3_600_000
"""How long it is remembered that a node went: no rate can ask for more."""

TIMES_MAX: Final = 5000
SWAPS_MAX: Final = 500


def remember_start(memory: Memory, command: Command, now_ms: int) -> Memory:
    """Take note of a command that was started: for rates, and lest it be undone soon."""
    gone = dict(memory.gone_ms)
    for one in command.nodes:
        gone[one.node_pool] = _add(gone.get(one.node_pool, ()), now_ms, RATE_MS)
    swaps = [one for one in memory.swaps if now_ms - one.at_ms < LATELY_MS]
    for pool in sorted({one.node_pool for one in command.nodes} if command.replacements else ()):
        before = tuple(sorted({n.instance_type for n in command.nodes if n.node_pool == pool}))
        after = tuple(
            sorted({n.offering.instance_type for n in command.replacements if n.node_pool == pool})
        )
        if after and command.reason != DRIFTED:
            swaps.append(Swap(pool, before, after, now_ms))
    return replace(memory, gone_ms=gone, swaps=tuple(swaps[-SWAPS_MAX:]))


def remember_moves(
    memory: Memory, pools: Iterable[str], workloads: Sequence[str], now_ms: int
) -> Memory:
    """Take note of workloads whose pods were moved from pools: their next move costs more."""
    moved = {
        name: times
        for name, times in memory.moved_ms.items()
        if any(now_ms - one < LATELY_MS for one in times)
    }
    for name in workloads:
        moved[name] = _add(moved.get(name, ()), now_ms, LATELY_MS)
    movers = {
        pool: tuple(one for one in names if one in moved) for pool, names in memory.movers.items()
    }
    for pool in pools:
        movers[pool] = tuple(dict.fromkeys((*movers.get(pool, ()), *workloads)))
    left = {pool: names for pool, names in movers.items() if names}
    return replace(memory, moved_ms=moved, movers=left)


def remember_failure(memory: Memory, pool: str, command: str, now_ms: int) -> Memory:
    """Take note of a command whose replacements did not come; the same one counts once."""
    known = memory.backoffs.get(pool, Backoff(0, 0))
    if known.last == command:
        return memory
    failures = known.failures + 1
    wait_ms = min(BACKOFF_MAX_MS, BACKOFF_MS << min(failures - 1, 8))
    backoff = Backoff(failures, now_ms + wait_ms, command)
    return replace(memory, backoffs={**memory.backoffs, pool: backoff})


def forget_failures(memory: Memory, pool: str) -> Memory:
    """Take note that a replacement of a pool came up."""
    if pool not in memory.backoffs:
        return memory
    left = {name: one for name, one in memory.backoffs.items() if name != pool}
    return replace(memory, backoffs=left)


def _add(times: Sequence[int], now_ms: int, length_ms: int) -> tuple[int, ...]:
    kept = [one for one in times if now_ms - one < length_ms]
    return (*kept[-(TIMES_MAX - 1) :], now_ms)
