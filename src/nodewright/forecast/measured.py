"""What one run came to: whole sums, from which everything that is shown is worked out.

Waiting times are kept as how many pods waited so many tenths of a second, so that a run of a million pods
is as small as one of ten, and runs can be laid together without loss.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

HOUR_MS: Final = 3_600_000
TENTH_MS: Final = 100


class Point(msgspec.Struct, frozen=True, rename="camel", array_like=True):
    """One moment of a run, for charts."""

    at_ms: int
    nodes: int
    waiting: int
    price_hour: float
    cpu_requested: float
    cpu_allocatable: float


class Measured(msgspec.Struct, frozen=True, rename="camel"):
    """One run of one policy with one seed.

    Money is in the currency of the price list; `waits` has, by tenths of a second, how many pods began to
    run after so long; `unstarted` is how many waited for more than a quarter of an hour at the end. A move is a pod that ran and had to go before its
    time: evicted, or lost with its node.
    """

    policy: str
    seed: int
    length_ms: int
    cost: float
    waste: float = 0.0
    node_hours: float = 0.0
    nodes_launched: int = 0
    nodes_most: int = 0
    pods: int = 0
    unstarted: int = 0
    evicted: int = 0
    lost: int = 0
    interruptions: int = 0
    shortages: int = 0
    cpu_requested_hours: float = 0.0
    cpu_hours: float = 0.0
    memory_requested_hours: float = 0.0
    memory_hours: float = 0.0
    waits: Mapping[int, int] = {}
    series: tuple[Point, ...] = ()
    digest: str = ""

    @property
    def moves(self) -> int:
        """How many pods had to go before their time."""
        return self.evicted + self.lost


def wait_at(waits: Mapping[int, int], share: float) -> float:
    """Give how many seconds the given share of pods waited at most."""
    total = sum(waits.values())
    if not total:
        return 0.0
    seen = 0
    for tenths in sorted(waits):
        seen += waits[tenths]
        if seen >= share * total:
            return tenths * TENTH_MS / 1000
    return max(waits) * TENTH_MS / 1000


def values_of(one: Measured) -> dict[str, float]:
    """Give the numbers by which runs are compared, by name."""
    days = one.length_ms / (24 * HOUR_MS)
    return {
        "cost": one.cost,
        "waste": one.waste,
        "nodeHours": one.node_hours,
        "nodesMean": one.node_hours * HOUR_MS / one.length_ms if one.length_ms else 0.0,
        "nodesMost": float(one.nodes_most),
        "nodesLaunched": float(one.nodes_launched),
        "cpuRequestedShare": _share(one.cpu_requested_hours, one.cpu_hours),
        "memoryRequestedShare": _share(one.memory_requested_hours, one.memory_hours),
        "waitP50Seconds": wait_at(one.waits, 0.5),
        "waitP95Seconds": wait_at(one.waits, 0.95),
        "waitP99Seconds": wait_at(one.waits, 0.99),
        "pods": float(one.pods),
        "unstarted": float(one.unstarted),
        "moves": float(one.moves),
        # Whoever is moved comes back as another pod.
        "movesPerPod": one.moves / max(1, one.pods - one.moves),
        "movesPerDay": one.moves / days if days else 0.0,
        "interruptions": float(one.interruptions),
        "capacityErrors": float(one.shortages),
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
