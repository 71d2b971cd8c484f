"""Forecasts: every policy with every seed, on all cores, and what they come to beside each other.

A run depends on nothing but its job, so it does not matter where or in which order runs are done: the same
question has the same answer on one core and on sixteen. What was done is kept in a folder, where one is given, and not done again.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from importlib.metadata import version
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Final

import msgspec

from nodewright.app.forecast_policies import Job, Policy, run_job
from nodewright.app.workloads import Source, is_random
from nodewright.app.writing import write_whole
from nodewright.forecast.measured import Measured
from nodewright.forecast.report import Forecast, Ground, summarize
from nodewright.forecast.setup import Setup
from nodewright.model.errors import UserError

_CHUNK: Final = 1 << 20


class Order(msgspec.Struct, frozen=True):
    """What is to be foreseen."""

    workload: Source
    setup: Setup
    policies: tuple[Policy, ...]
    seeds: tuple[int, ...]
    processes: int | None = None
    keep: Path | None = None


type Told = Callable[[int, int], None]
"""How many runs are done, of how many."""


def forecast(order: Order, told: Told = lambda _done, _all: None) -> Forecast:
    """Run everything, and lay it side by side; the first policy is what others are compared with."""
    runs = run_jobs(list(_jobs(order)), order.processes, order.keep, told)
    ground = Ground(
        workload=order.workload.name,
        region=order.setup.region,
        seeds=order.seeds,
        cloud=order.setup.cloud,
    )
    return summarize(ground, [one.name for one in order.policies], runs)


def run_jobs(
    jobs: Sequence[Job], processes: int | None, keep: Path | None, told: Told
) -> list[Measured]:
    """Do all runs that were not done before; what they came to is in the order of the jobs."""
    runs: list[Measured | None] = [_recall(keep, job) for job in jobs]
    missing = [index for index, one in enumerate(runs) if one is None]
    told(len(jobs) - len(missing), len(jobs))
    for done, (index, measured) in enumerate(_run_all(jobs, missing, processes), 1):
        runs[index] = measured
        _remember(keep, jobs[index], measured)
        told(len(jobs) - len(missing) + done, len(jobs))
    return [one for one in runs if one is not None]


def _jobs(order: Order) -> Iterator[Job]:
    names = [one.name for one in order.policies]
    for name in names:
        if names.count(name) > 1:
            advice = "give one of them another name, as in other=nodewright"
            raise UserError(f"two policies are called {name}", code="NW-9405", advice=advice)
    for policy in order.policies:
        for seed in order.seeds:
            workload = msgspec.structs.replace(order.workload, seed=seed)
            yield Job(policy, workload, order.setup)


def _run_all(
    jobs: Sequence[Job], missing: Sequence[int], processes: int | None
) -> Iterator[tuple[int, Measured]]:
    """Give the runs as they are done; the longest are begun first."""
    count = min(processes or cpu_count() or 1, len(missing))
    if count <= 1:
        for index in missing:
            yield index, run_job(jobs[index])
        return
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        begun: dict[Future[Measured], int] = {}
        for index in missing:
            begun[pool.submit(run_job, jobs[index])] = index
        try:
            for done in as_completed(begun):
                yield begun[done], done.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _recall(folder: Path | None, job: Job) -> Measured | None:
    """Give what a run came to, where it was done before."""
    if folder is None:
        return None
    path = folder / f"{_key(job)}.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Measured)
    except FileNotFoundError:
        return None
    except msgspec.MsgspecError:
        # It was written by another version, or by somebody else: done again it is right.
        return None


def _remember(folder: Path | None, job: Job, measured: Measured) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{_key(job)}.json", msgspec.json.encode(measured))


def _key(job: Job) -> str:
    """Give a name that changes with everything that a run depends on, the program among it."""
    digest = hashlib.sha256(version("nodewright").encode())
    digest.update(msgspec.json.encode(job, order="sorted"))
    for name in (job.policy.file, "" if is_random(job.workload.name) else job.workload.name):
        if name:
            with Path(name).open("rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
    return digest.hexdigest()[:32]
