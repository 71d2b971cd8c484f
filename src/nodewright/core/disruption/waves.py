"""Waves: drift goes by one node, then two, then four, as long as what came before stays well.

A wave is over when all its nodes are gone and what replaced them has been well for a while. A
replacement that did not come counts as failed, and so does one that is not ready, or most of whose pods
are not. When more has failed than is allowed the pool stops for good: until its template changes again,
or somebody takes the memory off it. Who went is compared with the cluster, so that a node that stays
after all does not hold up the wave.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.policies import WaveRule
from nodewright.core.disruption.protection import has_to_move
from nodewright.core.lifecycle_conditions import READY, find
from nodewright.core.scheduling.hosts import Joined
from nodewright.model.disruption import Memory, Running, Wave
from nodewright.model.instant import read_instant
from nodewright.model.metadata import Condition
from nodewright.model.pod import Pod

NODE_SICK_MS: Final = 60_000
POD_SICK_MS: Final = 120_000
"""How long a new node, and its pods, may be not ready before that counts as a failure."""

FAILURES_MAX: Final = 20
"""How many failures are known by name."""

MADE_MAX: Final = 200
"""How many replacements of a wave are watched: those that came last."""


def is_over(wave: Wave, soak_ms: int, now_ms: int) -> bool:
    """Tell whether all of a wave went well and stayed well long enough."""
    return wave.settled_ms is not None and now_ms - wave.settled_ms >= soak_ms


def present_wave(memory: Memory, pool: str, target: str, rule: WaveRule, now_ms: int) -> Wave:
    """Give the wave that a pool is in on the way to a template: its first, the same, or the next."""
    wave = memory.waves.get(pool)
    if wave is None or wave.target != target:
        return Wave(target=target, size=rule.first)
    if is_over(wave, rule.soak_ms, now_ms):
        return replace(wave, size=wave.size * rule.factor, gone=(), made=(), settled_ms=None)
    return wave


def enlist(wave: Wave, nodes: Sequence[str], made: Sequence[str]) -> Wave:
    """Take note of nodes that go in a wave, and of the claims that replace them."""
    return replace(
        wave,
        gone=(*wave.gone, *(one for one in nodes if one not in wave.gone)),
        made=(*wave.made, *(one for one in made if one not in wave.made))[-MADE_MAX:],
        settled_ms=None,
    )


def note_failure(wave: Wave, name: str) -> Wave:
    """Take note of something that went wrong; the same thing counts once."""
    if name in wave.failures:
        return wave
    failures = (*wave.failures, name)[-FAILURES_MAX:]
    return replace(wave, failed=wave.failed + 1, failures=failures)


def tend_waves(
    memory: Memory, joined: Sequence[Joined], pods: Iterable[Pod], now_ms: int
) -> Memory:
    """Give the memory with its waves as the cluster shows them; what runs must be known."""
    if not memory.waves:
        return memory
    by_claim = {one.claim.metadata.name: one for one in joined if one.claim is not None}
    watched = {
        node: name
        for wave in memory.waves.values()
        for name in wave.made
        if name in by_claim and (node := _node_name(by_claim[name]))
    }
    pods_of: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.spec.node_name in watched and has_to_move(pod):
            pods_of.setdefault(watched[pod.spec.node_name], []).append(pod)
    there = {_node_name(one): one.is_deleting for one in joined}
    busy = _busy(memory.running)
    waves: dict[str, Wave] = {}
    for pool, known in memory.waves.items():
        wave = _follow(known, there, busy, now_ms)
        for name in wave.made:
            member = by_claim.get(name)
            if member is not None and _is_sick(member, pods_of.get(name, ()), now_ms):
                wave = note_failure(wave, name)
        waves[pool] = wave
    return memory if waves == memory.waves else replace(memory, waves=waves)


def _follow(wave: Wave, there: Mapping[str, bool], busy: AbstractSet[str], now_ms: int) -> Wave:
    """Let those go from a wave that stay after all, and see whether all others are gone."""
    gone = tuple(one for one in wave.gone if one in busy or there.get(one, True))
    is_settled = len(gone) >= wave.size and not any(one in there or one in busy for one in gone)
    settled_ms = (wave.settled_ms or now_ms) if is_settled else None
    return replace(wave, gone=gone, settled_ms=settled_ms)


def _busy(running: Iterable[Running]) -> set[str]:
    return {name for one in running for name in one.nodes}


def _node_name(one: Joined) -> str:
    return one.node.metadata.name if one.node is not None else ""


def _is_sick(member: Joined, pods: Sequence[Pod], now_ms: int) -> bool:
    """Tell whether a node that works has stopped to, or most of its pods never did."""
    if member.node is None or member.is_deleting or not member.is_initialized:
        return False
    ready = find(member.node.status.conditions, READY)
    if _is_not(ready, NODE_SICK_MS, now_ms):
        return True
    sick = sum(_is_not(find(pod.status.conditions, READY), POD_SICK_MS, now_ms) for pod in pods)
    return sick > 0 and 2 * sick >= len(pods)


def _is_not(condition: Condition | None, least_ms: int, now_ms: int) -> bool:
    """Tell whether a condition has been anything but true for so long."""
    if condition is None or condition.status == "True":
        return False
    since_ms = read_instant(condition.last_transition_time)
    return since_ms is not None and now_ms - since_ms >= least_ms
