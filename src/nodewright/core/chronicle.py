"""What disruption remembers of what it did.

For rates, for the price of moving the same pods again, for swaps that go back and forth, for waves of
drift, and for pools whose replacements fail. It is a value that each event makes anew. A process that is
started anew begins with nothing of it: what goes at once is counted on the cluster, while rates and waves
start over.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.policies import PoolPolicy
from nodewright.core.disruption.renewal import is_over
from nodewright.model.decision import Disrupt
from nodewright.model.disruption import DRIFTED, UNDERUTILIZED, Backoff, Memory, Swap, Wave

KEPT_MS: Final = 7 * 24 * 3_600_000
SWAPS_MAX: Final = 1_000
TIMES_MAX: Final = 1_000
_BACKOFF_MS: Final = (60_000, 600_000)


def remember_begun(
    memory: Memory, command: Disrupt, workloads: Iterable[str], now_ms: int
) -> Memory:
    """Take note of a command that was begun."""
    gone = dict(memory.gone_ms)
    for one in command.leaving:
        gone[one.node_pool] = _add(gone.get(one.node_pool, ()), now_ms)
    moved = dict(memory.moved_ms)
    for workload in sorted(set(workloads)):
        moved[workload] = _add(moved.get(workload, ()), now_ms)
    swaps = memory.swaps
    if command.record.reason == UNDERUTILIZED and command.claims:
        first = command.leaving[0]
        made = Swap(
            first.node_pool,
            tuple(sorted({one.instance_type for one in command.leaving})),
            tuple(sorted(set(command.types))),
            now_ms,
        )
        swaps = (*swaps, made)[-SWAPS_MAX:]
    return replace(memory, gone_ms=gone, moved_ms=moved, swaps=swaps)


def _add(times: tuple[int, ...], now_ms: int) -> tuple[int, ...]:
    return (*(one for one in times if now_ms - one < KEPT_MS), now_ms)[-TIMES_MAX:]


def enter_wave(
    memory: Memory, command: Disrupt, policies: Mapping[str, PoolPolicy], target: str, now_ms: int
) -> Memory:
    """Take note of drifted nodes that go in the present wave of their pool."""
    if command.record.reason != DRIFTED:
        return memory
    waves = dict(memory.waves)
    for one in command.leaving:
        policy = policies.get(one.node_pool)
        rule = policy.waves if policy is not None else None
        if rule is None:
            continue
        wave = waves.get(one.node_pool)
        if wave is None or wave.target != target:
            wave = Wave(target=target, size=rule.first)
        if is_over(wave, rule.soak_ms, now_ms):
            wave = replace(wave, size=wave.size * rule.factor, gone=(), done=0, settled_ms=None)
        waves[one.node_pool] = replace(wave, gone=(*wave.gone, one.claim))
    return replace(memory, waves=waves)


def remember_gone(memory: Memory, pool: str, claim: str, now_ms: int) -> Memory:
    """Take note of a node whose replacement works: its pool may be trusted again."""
    backoffs = {name: one for name, one in memory.backoffs.items() if name != pool}
    waves = dict(memory.waves)
    wave = waves.get(pool)
    if wave is not None and claim in wave.gone:
        done = wave.done + 1
        waves[pool] = replace(wave, done=done, settled_ms=now_ms if done >= wave.size else None)
    return replace(memory, backoffs=backoffs, waves=waves)


def remember_failed(memory: Memory, pool: str, claim: str, now_ms: int) -> Memory:
    """Take note of a node that stays because its replacement failed: its pool waits, longer each time."""
    least_ms, most_ms = _BACKOFF_MS
    failures = memory.backoffs[pool].failures + 1 if pool in memory.backoffs else 1
    wait_ms = min(most_ms, least_ms * 2 ** min(failures - 1, 10))
    backoffs = {**memory.backoffs, pool: Backoff(failures, now_ms + wait_ms)}
    waves = dict(memory.waves)
    wave = waves.get(pool)
    if wave is not None and claim in wave.gone:
        kept = tuple(one for one in wave.gone if one != claim)
        waves[pool] = replace(wave, gone=kept, failed=wave.failed + 1)
    return replace(memory, backoffs=backoffs, waves=waves)
