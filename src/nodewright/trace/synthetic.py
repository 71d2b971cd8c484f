"""Workloads that nobody has recorded: five shapes that clusters are made of, drawn from a seed.

Each is a stream of entries that is made as it is read. Sizes and hours are round numbers that stand for
a kind of workload, not for anybody's cluster; `scale` multiplies how many there are.
"""

import heapq
import math
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import msgspec

from nodewright.model.errors import UserError
from nodewright.trace.entry import CODE, GPU, Arrival, Entry, Scaling, Size, Thing, Trace

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
SCALE_MAX: Final = 1_000.0
_STEP_MS: Final = 10 * MINUTE_MS
_WEEKEND: Final = (5, 6)
_KEEP: Final = {"karpenter.sh/do-not-disrupt": "true"}


class Wish(msgspec.Struct, frozen=True):
    """How long and how large a workload is to be, and from which seed it is drawn."""

    days: float = 1.0
    scale: float = 1.0
    seed: int = 0

    @property
    def length_ms(self) -> int:
        """How long it is."""
        return round(self.days * DAY_MS)


class _Service(msgspec.Struct, frozen=True):
    """A service whose replicas follow the day."""

    name: str
    cpu: str
    memory: str
    low: int
    high: int
    peak: float = 14.0
    kind: str = "Deployment"


_AGENT: Final = Scaling(
    0, "kube-system/agent", 0, Size({"cpu": "100m", "memory": "128Mi"}), kind="DaemonSet"
)
_WEB: Final = (
    _Service("api", "500m", "1Gi", 8, 40),
    _Service("web", "250m", "512Mi", 12, 64),
    _Service("search", "2", "8Gi", 3, 12, 15.0),
    _Service("worker", "1", "2Gi", 4, 20, 16.0),
    _Service("cache", "1", "8Gi", 3, 3, kind="StatefulSet"),
)
_FEW: Final = (
    _Service("api", "500m", "1Gi", 6, 12),
    _Service("store", "1", "4Gi", 3, 3, kind="StatefulSet"),
)


def name_synthetic() -> tuple[str, ...]:
    """Give the names of all of them."""
    return tuple(_MADE)


def make_synthetic(name: str, wish: Wish) -> Trace:
    """Make a workload by its name."""
    make = _MADE.get(name)
    if make is None:
        known = ", ".join(_MADE)
        raise UserError(f"there is no workload {name!r}", code=CODE, advice=f"known are {known}")
    if not 0 < wish.scale <= SCALE_MAX:
        raise UserError(f"the scale {wish.scale:g} is not between 0 and 1000", code=CODE)
    chance = Random(f"{wish.seed}/{name}")  # noqa: S311 - it must repeat itself
    return Trace(name, _together(_AGENT_ONLY, *make(wish, chance)), wish.length_ms)


_AGENT_ONLY: Final = (_AGENT,)


def _together(head: tuple[Entry, ...], *streams: Iterator[Entry]) -> Iterator[Entry]:
    yield from heapq.merge(iter(head), *streams, key=lambda one: one.at_ms)


def _web(wish: Wish, chance: Random) -> Iterator[Iterator[Entry]]:
    """Have services that breathe with the day, and rest at weekends."""
    for one in _WEB:
        yield _service(one, wish, _branch(chance))


def _batch(wish: Wish, chance: Random) -> Iterator[Iterator[Entry]]:
    """Have a few services, and every night two waves of work, the second of larger pods."""
    for one in _FEW:
        yield _service(one, wish, _branch(chance))
    first = Size({"cpu": "2", "memory": "4Gi"})
    second = Size({"cpu": "4", "memory": "24Gi"})
    yield _nightly(("batch/extract", first, 90), (1.0, 20, 70), wish, _branch(chance))
    yield _nightly(("batch/join", second, 30), (2.5, 30, 90), wish, _branch(chance))


def _ci(wish: Wish, chance: Random) -> Iterator[Iterator[Entry]]:
    """Have pushes in working hours, each with a handful of builds that nobody wants interrupted."""
    for one in _FEW:
        yield _service(one, wish, _branch(chance))
    yield _pushes(wish, _branch(chance))


def _training(wish: Wish, chance: Random) -> Iterator[Iterator[Entry]]:
    """Have training runs of some GPUs for some hours, and notebooks by day."""
    for one in _FEW:
        yield _service(one, wish, _branch(chance))
    yield _runs(wish, _branch(chance))
    notebook = _Service("notebook", "2", "16Gi", 1, 8, 13.0)
    yield _service(notebook, wish, _branch(chance))


def _cron(wish: Wish, chance: Random) -> Iterator[Iterator[Entry]]:
    """Have small jobs by the clock: some each quarter of an hour, many on the hour, most at midnight."""
    for one in _FEW:
        yield _service(one, wish, _branch(chance))
    small = Size({"cpu": "250m", "memory": "256Mi"})
    yield _storm(("cron/quarter", small, 30), (15 * MINUTE_MS, 60, 180), wish, _branch(chance))
    yield _storm(("cron/hourly", small, 120), (HOUR_MS, 60, 300), wish, _branch(chance))
    large = Size({"cpu": "1", "memory": "1Gi"})
    yield _storm(("cron/daily", large, 200), (DAY_MS, 300, 1200), wish, _branch(chance))


_MADE: Final[dict[str, Callable[[Wish, Random], Iterator[Iterator[Entry]]]]] = {
    "diurnal-web": _web,
    "nightly-batch": _batch,
    "ci-bursts": _ci,
    "ml-training": _training,
    "cron-storms": _cron,
}


def _branch(chance: Random) -> Random:
    """Give a source of its own to a part, so that parts do not disturb each other."""
    return Random(chance.getrandbits(64))  # noqa: S311 - it must repeat itself


def _service(one: _Service, wish: Wish, chance: Random) -> Iterator[Entry]:
    name = f"shop/{one.name}"
    size = Size({"cpu": one.cpu, "memory": one.memory}, {"app": one.name})
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": one.name, "namespace": "shop"},
        "spec": {"maxUnavailable": "25%", "selector": {"matchLabels": {"app": one.name}}},
    }
    yield Thing(0, budget)
    before = None
    for at_ms in range(0, wish.length_ms, _STEP_MS):
        replicas = _replicas(one, at_ms, wish.scale, chance)
        if before is None:
            yield Scaling(at_ms, name, replicas, size, one.kind)
        elif replicas != before:
            yield Scaling(at_ms, name, replicas, kind=one.kind)
        before = replicas


def _replicas(one: _Service, at_ms: int, scale: float, chance: Random) -> int:
    if one.low == one.high:
        return max(1, round(one.low * scale))
    hour = (at_ms % DAY_MS) / HOUR_MS
    share = (1 + math.cos((hour - one.peak) / 24 * 2 * math.pi)) / 2
    if at_ms // DAY_MS % 7 in _WEEKEND:
        share *= 0.4
    size = (one.low + share * (one.high - one.low)) * scale
    return max(1, round(size * (1 + 0.04 * chance.gauss(0.0, 1.0))))


type _Kind = tuple[str, Size, int]
"""A name, the size of a pod, and how many come."""


def _nightly(
    kind: _Kind, hours: tuple[float, int, int], wish: Wish, chance: Random
) -> Iterator[Entry]:
    name, size, count = kind
    begins, least, most = hours
    for day in range(math.ceil(wish.days)):
        wave = []
        for number in range(max(1, round(count * wish.scale))):
            at_ms = round(day * DAY_MS + begins * HOUR_MS + chance.random() * 15 * MINUTE_MS)
            lasts_ms = round(chance.uniform(least, most) * MINUTE_MS)
            wave.append(Arrival(at_ms, f"{name}-{day}-{number}", size, lasts_ms))
        yield from _within(sorted(wave, key=lambda one: one.at_ms), wish)


def _pushes(wish: Wish, chance: Random) -> Iterator[Entry]:
    size = Size({"cpu": "2", "memory": "4Gi"}, annotations=_KEEP)
    at_ms, number = 0.0, 0
    while at_ms < wish.length_ms:
        hour = (at_ms % DAY_MS) / HOUR_MS
        busy = 8 <= hour < 19 and int(at_ms // DAY_MS % 7) not in _WEEKEND
        per_hour = (14.0 if busy else 1.0) * wish.scale
        at_ms += chance.expovariate(per_hour) * HOUR_MS
        number += 1
        for build in range(chance.randint(3, 20)):
            lasts_ms = round(min(chance.lognormvariate(math.log(6), 0.6), 45) * MINUTE_MS)
            one = Arrival(round(at_ms), f"ci/build-{number}-{build}", size, lasts_ms)
            yield from _within([one], wish)


def _runs(wish: Wish, chance: Random) -> Iterator[Entry]:
    size = Size({"cpu": "7", "memory": "48Gi", GPU: "1"}, annotations=_KEEP)
    at_ms, number = 0.0, 0
    while at_ms < wish.length_ms:
        at_ms += chance.expovariate(0.5 * wish.scale) * HOUR_MS
        number += 1
        lasts_ms = round(chance.uniform(2, 10) * HOUR_MS)
        for worker in range(chance.choice((1, 2, 4, 4, 8))):
            one = Arrival(round(at_ms), f"ml/train-{number}-{worker}", size, lasts_ms)
            yield from _within([one], wish)


def _storm(kind: _Kind, beat: tuple[int, int, int], wish: Wish, chance: Random) -> Iterator[Entry]:
    name, size, count = kind
    every_ms, least_s, most_s = beat
    for turn, at_ms in enumerate(range(0, wish.length_ms, every_ms)):
        for number in range(max(1, round(count * wish.scale))):
            lasts_ms = round(chance.uniform(least_s, most_s) * 1000)
            yield Arrival(at_ms, f"{name}-{turn}-{number}", size, lasts_ms)


def _within(entries: list[Arrival], wish: Wish) -> Iterator[Entry]:
    return (one for one in entries if one.at_ms < wish.length_ms)
