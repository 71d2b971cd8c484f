"""Pools between which only chance decides."""

from collections.abc import Iterator
from typing import Any

from nodewright.lint.finding import Finding
from nodewright.lint.raw import text, word
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool
from nodewright.model.labels import OS, WELL_KNOWN, normalize_key

type _Sort = tuple[Any, ...]


def check(stream: Stream) -> Iterator[Finding]:
    """Yield each pool that overlaps with an earlier one of equal weight, taints and labels.

    Pools that differ in taints or in labels of their own are told apart by pods that ask for them.
    """
    earlier: dict[_Sort, list[tuple[Pool, int]]] = {}
    union: dict[_Sort, int] = {}
    for pool in stream.pools:
        if pool.is_static or not pool.is_of_ec2:
            continue
        sort, mask = _sort(pool), stream.instances.left(pool.effective_wishes)
        if mask & union.get(sort, 0):
            yield _finding(pool, next(one for one, types in earlier[sort] if types & mask))
        earlier.setdefault(sort, []).append((pool, mask))
        union[sort] = union.get(sort, 0) | mask


def _finding(pool: Pool, other: Pool) -> Finding:
    weight = f"weight {pool.weight}" if pool.weight else "no weight"
    path = ("spec", "weight") if "weight" in pool.spec else ("metadata", "name")
    return Finding(
        "NW-2116",
        pool.manifest,
        path,
        f"{pool.name} overlaps with {other.name} ({weight} on both): either may be "
        "chosen for a pod that fits both",
        "give the preferred one a greater spec.weight, or let taints or labels keep them apart",
    )


def _sort(pool: Pool) -> _Sort:
    taints = frozenset(
        (text(taint.get("key")), text(taint.get("effect")), word(taint.get("value")))
        for _, taint in pool.taints()
    )
    labels = frozenset((key, word(value)) for key, value in pool.labels.items())
    own = frozenset(
        (wish.known_key, wish.operator, frozenset(wish.values))
        for wish in pool.wishes
        if wish.known_key not in WELL_KNOWN or normalize_key(wish.key) == OS
    )
    return (pool.weight, taints, labels, own, pool.class_name if pool.era == "v1" else "")
