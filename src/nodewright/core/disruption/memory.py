"""Memory: what is to be remembered of commands that were started, that were done, and that failed.

Everything that is remembered is forgotten in time, and every list has an end. A pool whose replacements
fail is left alone for a minute, twice as long each time, for ten at most; one success and all is
forgotten. Waves count those that went and those that failed; a new template begins anew.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.policies import WaveRule
from nodewright.core.disruption.renewal import is_over
from nodewright.core.disruption.worth import LATELY_MS
from nodewright.model.disruption import (
    DRIFTED,
    Backoff,
    Command,
    Memory,
    Running,
    Swap,
    Wave,
)

BACKOFF_MS: Final = 60_000
BACKOFF_MAX_MS: Final = 600_000
RATE_MS: Final = 7 * 24 * 3_600_000
"""How long it is remembered that a node went: no rate can ask for more."""

TIMES_MAX: Final = 5000
SWAPS_MAX: Final = 500


def remember_start(memory: Memory, started: Running, command: Command) -> Memory:
    """Take note of a command that was started: its nodes count as going from now on."""
    now_ms = started.started_ms
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
            swaps.append(Swap(pool, before, after, now_ms, tuple(sorted(command.moves))[:20]))
    return replace(
        memory,
        running=(*memory.running, started),
        gone_ms=gone,
        swaps=tuple(swaps[-SWAPS_MAX:]),
    )


def remember_moves(memory: Memory, workloads: Sequence[str], now_ms: int) -> Memory:
    """Take note of workloads whose pods were moved: their next move costs more."""
    moved = {
        name: times
        for name, times in memory.moved_ms.items()
        if any(now_ms - one < LATELY_MS for one in times)
    }
    for name in workloads:
        moved[name] = _add(moved.get(name, ()), now_ms, LATELY_MS)
    return replace(memory, moved_ms=moved)


def remember_end(memory: Memory, name: str, now_ms: int, *, failed: Sequence[str] = ()) -> Memory:
    """Take note that a command has ended; `failed` are the pools whose replacements did not come."""
    ended = next((one for one in memory.running if one.id == name), None)
    if ended is None:
        return memory
    running = tuple(one for one in memory.running if one.id != name)
    backoffs = dict(memory.backoffs)
    for pool in failed:
        failures = backoffs[pool].failures + 1 if pool in backoffs else 1
        wait_ms = min(BACKOFF_MAX_MS, BACKOFF_MS << min(failures - 1, 8))
        backoffs[pool] = Backoff(failures, now_ms + wait_ms)
    return replace(memory, running=running, backoffs=backoffs)


def forget_failures(memory: Memory, pool: str) -> Memory:
    """Take note that a replacement of a pool came up."""
    if pool not in memory.backoffs:
        return memory
    left = {name: one for name, one in memory.backoffs.items() if name != pool}
    return replace(memory, backoffs=left)


def remember_wave(
    memory: Memory, pool: str, target: str, rule: WaveRule, nodes: tuple[Sequence[str], int]
) -> Memory:
    """Take note of drifted nodes that go towards a template; `nodes` are their names, and when."""
    names, now_ms = nodes
    wave = memory.waves.get(pool)
    if wave is None or wave.target != target:
        wave = Wave(target=target, size=rule.first)
    elif is_over(wave, rule.soak_ms, now_ms):
        wave = replace(wave, size=wave.size * rule.factor, gone=(), done=0, settled_ms=None)
    return _with_wave(memory, pool, replace(wave, gone=(*wave.gone, *names)))


def settle_wave(
    memory: Memory, pool: str, now_ms: int, *, done: int = 0, failed: int = 0
) -> Memory:
    """Take note of nodes of a wave that were replaced, or whose replacement failed."""
    wave = memory.waves.get(pool)
    if wave is None:
        return memory
    finished = wave.done + done
    settled_ms = now_ms if finished >= wave.size and wave.settled_ms is None else wave.settled_ms
    changed = replace(wave, done=finished, failed=wave.failed + failed, settled_ms=settled_ms)
    return _with_wave(memory, pool, changed)


def _with_wave(memory: Memory, pool: str, wave: Wave) -> Memory:
    waves: Mapping[str, Wave] = {**memory.waves, pool: wave}
    return replace(memory, waves=waves)


def _add(times: Sequence[int], now_ms: int, length_ms: int) -> tuple[int, ...]:
    kept = [one for one in times if now_ms - one < length_ms]
    return (*kept[-(TIMES_MAX - 1) :], now_ms)
