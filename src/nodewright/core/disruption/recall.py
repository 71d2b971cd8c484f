"""Recall: the memory of disruption cut into what stands on each NodePool, and put together again.

What stands there is bounded and as short as what is asked of it: instants at which nodes went are kept
only as far back as a rate of the pool's policies looks, and are brought together where there are very
many, at the later of two, which holds longer. What is past says nothing and is left out, so that time
alone changes nothing on the cluster.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from nodewright.core.disruption.memory import RATE_MS
from nodewright.core.disruption.policies import PoolPolicy
from nodewright.core.disruption.worth import DOUBLINGS_MAX, LATELY_MS
from nodewright.model.disruption import Memory, Swap
from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.remembered import Remembered, Swapped

INSTANTS_MAX: Final = 400
WORKLOADS_MAX: Final = 200
SWAPS_MAX: Final = 50


def cut_out(memory: Memory, pool: str, policy: PoolPolicy, now_ms: int) -> Remembered:
    """Give what is to be remembered of a pool."""
    swaps = tuple(
        Swapped(one.before, one.after, one.at_ms) for one in memory.swaps if one.node_pool == pool
    )
    every = {
        name: memory.moved_ms[name]
        for name in memory.movers.get(pool, ())
        if name in memory.moved_ms
    }
    whole = Remembered(
        wave=memory.waves.get(pool) if policy.waves is not None else None,
        backoff=memory.backoffs.get(pool),
        gone=_bundle(memory.gone_ms.get(pool, ())),
        moved_ms=every,
        swaps=swaps,
    )
    return freshen(whole, policy, now_ms)


def freshen(known: Remembered, policy: PoolPolicy, now_ms: int) -> Remembered:
    """Leave out what is past, and what is more than can be kept."""
    rate_ms = _longest_rate(policy)
    backoff = known.backoff
    if backoff is not None and now_ms - backoff.until_ms >= LATELY_MS:
        backoff = None
    moved = {
        name: tuple(one for one in times if now_ms - one < LATELY_MS)[-DOUBLINGS_MAX:]
        for name, times in known.moved_ms.items()
    }
    lately = sorted(
        (name for name in moved if moved[name]), key=lambda name: (-max(moved[name]), name)
    )
    swaps = tuple(one for one in known.swaps if now_ms - one.at_ms < LATELY_MS)
    return Remembered(
        wave=known.wave if policy.waves is not None else None,
        backoff=backoff,
        gone=_thin_out([one for one in known.gone if now_ms - one[0] < rate_ms]),
        moved_ms={name: moved[name] for name in sorted(lately[:WORKLOADS_MAX])},
        swaps=swaps[-SWAPS_MAX:],
    )


def put_back(memory: Memory, pool: str, known: Remembered) -> Memory:
    """Give the memory with what stands on a pool instead of what was thought of it."""
    others = [one for one in memory.swaps if one.node_pool != pool]
    swaps = [Swap(pool, one.before, one.after, one.at_ms) for one in known.swaps]
    moved = dict(memory.moved_ms)
    for name in memory.movers.get(pool, ()):
        moved.pop(name, None)
    for name, times in known.moved_ms.items():
        # Two pools tell of one workload what they know of it: the one that knows more is right.
        moved[name] = max(moved.get(name, ()), times, key=len)
    gone = tuple(at_ms for at_ms, count in known.gone for _ in range(count))
    return replace(
        memory,
        waves=_with(memory.waves, pool, known.wave),
        backoffs=_with(memory.backoffs, pool, known.backoff),
        gone_ms=_with(memory.gone_ms, pool, gone or None),
        movers=_with(memory.movers, pool, tuple(known.moved_ms) or None),
        moved_ms=moved,
        swaps=tuple(sorted((*others, *swaps), key=lambda one: (one.at_ms, one.node_pool))),
    )


def _with[V](known: Mapping[str, V], pool: str, value: V | None) -> dict[str, V]:
    left = {name: one for name, one in known.items() if name != pool}
    return left if value is None else {**left, pool: value}


def _longest_rate(policy: PoolPolicy) -> int:
    """Tell how far back the rates of a pool look; nothing where it has none."""
    found = 0
    for one in policy.budgets:
        if one.rate is None:
            continue
        try:
            found = max(found, parse_duration(one.rate.per))
        except BadDuration:
            continue
    return min(found, RATE_MS)


def _bundle(times: Sequence[int]) -> tuple[tuple[int, int], ...]:
    counts: dict[int, int] = {}
    for one in times:
        counts[one] = counts.get(one, 0) + 1
    return tuple(sorted(counts.items()))


def _thin_out(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Bring instants together two by two, at the later, until there are few enough."""
    kept = list(pairs)
    while len(kept) > INSTANTS_MAX:
        odd = kept[:1] if len(kept) % 2 else []
        rest = kept[len(odd) :]
        kept = odd + [
            (later, first + second)
            for (_, first), (later, second) in zip(rest[::2], rest[1::2], strict=True)
        ]
    return tuple(kept)
