"""The report: what each policy came to over all seeds, and how far it is from the first one."""

from collections.abc import Mapping, Sequence

import msgspec

from nodewright.forecast.measured import Measured, Point, values_of
from nodewright.forecast.setup import CloudModel
from nodewright.forecast.statistics import Estimate, compare, estimate


class Ground(msgspec.Struct, frozen=True, rename="camel"):
    """What was asked: the workload, where, and with which seeds."""

    workload: str
    region: str
    seeds: tuple[int, ...]
    cloud: CloudModel
    currency: str = "USD"


class Standing(msgspec.Struct, frozen=True, rename="camel"):
    """One policy: its means, and how much more they are than those of the first policy."""

    policy: str
    values: Mapping[str, Estimate]
    against_first: Mapping[str, Estimate] = {}
    series: tuple[Point, ...] = ()
    digests: tuple[str, ...] = ()


class Forecast(msgspec.Struct, frozen=True, rename="camel"):
    """The whole answer."""

    ground: Ground
    days: float
    policies: tuple[Standing, ...]


def summarize(ground: Ground, names: Sequence[str], runs: Sequence[Measured]) -> Forecast:
    """Lay the runs of all policies side by side."""
    by_name = {
        name: sorted((one for one in runs if one.policy == name), key=lambda one: one.seed)
        for name in names
    }
    base = _columns(by_name[names[0]])
    standings = []
    for name in names:
        own = _columns(by_name[name])
        standings.append(
            Standing(
                name,
                {key: estimate(values) for key, values in own.items()},
                {}
                if name == names[0]
                else {key: compare(values, base[key]) for key, values in own.items()},
                # One seed is shown, since the mean of several would hide what a run is like.
                by_name[name][0].series,
                tuple(one.digest for one in by_name[name]),
            )
        )
    length_ms = max(one.length_ms for one in runs)
    return Forecast(ground, length_ms / 86_400_000, tuple(standings))


def _columns(runs: Sequence[Measured]) -> dict[str, list[float]]:
    rows = [values_of(one) for one in runs]
    return {key: [row[key] for row in rows] for key in rows[0]}
