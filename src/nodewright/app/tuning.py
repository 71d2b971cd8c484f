"""Tuning: settings are tried one knob after the other on a workload, and the cheapest that keeps the limits is told."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from nodewright.app.forecast_policies import Job, Policy
from nodewright.app.forecasting import Told, run_jobs
from nodewright.app.workloads import Source
from nodewright.forecast.measured import Measured, values_of
from nodewright.forecast.setup import Setup
from nodewright.forecast.statistics import Estimate, compare
from nodewright.forecast.tuning import Limits, Tried, choose, diff_pools, judge, turn_all

_OURS = Policy("nodewright", "nodewright")


class Wanted(msgspec.Struct, frozen=True):
    """What is to be tuned, on what, within which limits."""

    workload: Source
    setup: Setup
    limits: Limits
    seeds: tuple[int, ...]
    processes: int | None = None
    keep: Path | None = None


class Tuned(msgspec.Struct, frozen=True, rename="camel"):
    """What came of it: every trial, the pools that it comes to, and what they save in the time that was run."""

    workload: str
    days: float
    limits: Limits
    tried: tuple[Tried, ...]
    saving: Estimate
    saving_share: float
    keeps_limits: bool
    diff: str
    objects: tuple[Mapping[str, Any], ...]


def tune(wanted: Wanted, told: Told = lambda _done, _all: None) -> Tuned:
    """Turn one knob after the other, and keep what is surely cheaper."""
    search = _Search(wanted, told)
    first = search.run(wanted.setup)
    base = judge(("now", "as it is"), first, first, wanted.limits)
    tried, best, setup = [base], first, wanted.setup
    standing = base
    for knob, settings in turn_all():
        trials: list[tuple[Tried, Setup, list[Measured]]] = []
        for value, change in settings.items():
            other = replace(setup, objects=change(setup.objects))
            if other.objects != setup.objects:
                runs = search.run(other)
                trials.append((judge((knob, value), runs, best, wanted.limits), other, runs))
        taken = choose([one for one, _, _ in trials], standing)
        for one, other, runs in trials:
            tried.append(replace(one, is_taken=one is taken))
            if one is taken:
                setup, best, standing = other, runs, one
    costs = [[values_of(one)["cost"] for one in runs] for runs in (first, best)]
    saving = compare(costs[0], costs[1])
    mean = sum(costs[0]) / len(costs[0])
    return Tuned(
        workload=wanted.workload.name,
        days=first[0].length_ms / 86_400_000,
        limits=wanted.limits,
        tried=tuple(tried),
        saving=saving,
        saving_share=saving.mean / mean if mean else 0.0,
        keeps_limits=standing.keeps_limits,
        diff=diff_pools(wanted.setup.objects, setup.objects),
        objects=setup.objects,
    )


class _Search:
    """Runs setups with every seed."""

    def __init__(self, wanted: Wanted, told: Told) -> None:
        self._wanted = wanted
        self._told = told

    def run(self, setup: Setup) -> list[Measured]:
        """Give the runs of a setup, one for each seed."""
        wanted = self._wanted
        jobs = [Job(_OURS, replace(wanted.workload, seed=seed), setup) for seed in wanted.seeds]
        return run_jobs(jobs, wanted.processes, wanted.keep, self._told)
