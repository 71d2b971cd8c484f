"""Ours and Karpenter's scheduler on the same problems in one run: `make bench`.

    python benchmarks/run.py [--quick] [--only NAME]... [--runs N] [--peer-runs K] [--trace FILE]
                             [--json FILE]

Prints a table as it goes and writes `benchmarks/results/bench.json`. Ratios are against the peer's
better setting; the load of the machine is stated, since both sides suffer from it but not alike.
Status 1 when the referee finds a rule broken in a plan of ours.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import NamedTuple

import heldout
from contest import EFFORTS, HERE, PEER, Told, contest

import problems
from problems import Object

RESULTS = HERE / "results"
QUICK_PODS_MAX = 1000
DIVERSE = (1, 50, 100, 500, 1000, 2000, 5000, 10_000, 20_000)
PLAIN = ("services", "batch", "gpus", "tangled")
MEMORY_MAX_MB = 600


class Case(NamedTuple):
    """A problem to be measured."""

    name: str
    pods: int
    make: Callable[[], Object]
    with_peer: bool = True


def cases(trace: Path) -> Iterator[Case]:
    """Give every problem, small ones first within their kind."""
    for count in DIVERSE:
        yield Case(f"diverse-{count}", count, partial(problems.diverse, count))
    yield Case("diverse-50000", 50_000, partial(problems.diverse, 50_000), with_peer=False)
    yield Case("preferences-4000", 4000, partial(problems.preferences, 4000))
    for kind in PLAIN:
        for count in (1000, 3000):
            yield Case(f"{kind}-{count}", count, partial(problems.REALISTIC[kind], count))
    yield Case("crowded-5000", 5000, partial(problems.crowded, 5000))
    if trace.is_file():
        yield Case("trace", 8152, partial(heldout.traced, trace))
    else:
        print(f"trace: left out, because there is no file {trace}", file=sys.stderr)
    seed = heldout.SEED
    for count in (1000, 2000, 10_000):
        yield Case(f"heldout-seed-{count}", count, partial(problems.diverse, count, seed))
        yield Case(f"heldout-diverse-{count}", count, partial(heldout.other_diverse, count))
    yield Case("heldout-preferences-1000", 1000, partial(problems.preferences, 1000, seed))
    for kind in PLAIN:
        yield Case(f"heldout-{kind}-1000", 1000, partial(heldout.realistic, kind, 1000))
    yield Case("memory-50000", 50_000, partial(heldout.many_types, 50_000), with_peer=False)


def main() -> int:
    """Measure, print and write down."""
    asked = arguments()
    if not PEER.exists():
        print("karpenter-peer is being built (minutes, the first time)", file=sys.stderr)
        subprocess.run(["make", "-C", HERE / "karpenter"], check=True)
    folder = RESULTS / "problems"
    folder.mkdir(parents=True, exist_ok=True)
    began = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "load": os.getloadavg()}
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
    print(HEADER, flush=True)
    found: list[Told] = []
    for case in cases(Path(asked.trace)):
        if not is_wanted(case, asked):
            continue
        snapshot = folder / f"{case.name}.json"
        snapshot.write_text(json.dumps(case.make()))
        told = contest(snapshot, asked.runs, asked.peer_runs if case.with_peer else 0)
        found.append(told | {"pods": case.pods})
        for line in lines(told):
            print(line, flush=True)
        document = {"began": began, "loadAfter": os.getloadavg(), "problems": found}
        Path(asked.json).write_text(json.dumps(document, indent=1))
    print(f"load after: {os.getloadavg()[0]:.1f}")
    for line in summary(found):
        print(line)
    return int(any(told["ours"][effort]["violations"] for told in found for effort in EFFORTS))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="problems of 1,000 pods at most")
    parser.add_argument(
        "--only", action="append", default=[], help="problems by name, or * for more"
    )
    parser.add_argument("--runs", type=int, default=6, help="runs of ours, half of them afterwards")
    parser.add_argument("--peer-runs", type=int, default=3, help="runs of the peer; 0 for none")
    parser.add_argument("--trace", default=str(heldout.TRACE), help="the list of pods of a trace")
    parser.add_argument("--json", default=str(RESULTS / "bench.json"), help="where to write it")
    return parser.parse_args()


def is_wanted(case: Case, asked: argparse.Namespace) -> bool:
    """Tell whether a problem was asked for."""
    if asked.only:
        return any(fnmatchcase(case.name, name) for name in asked.only)
    return not asked.quick or case.pods <= QUICK_PODS_MAX


COLUMNS = (
    ("problem", 25), ("effort", 7), ("best s", 9), ("median s", 9), ("cpu s", 8), ("MB", 5),
    ("$/h", 10), ("nodes", 6), ("left", 5), ("rules", 6), ("gap", 7), ("peer 1w", 9),
    ("peer 5w", 9), ("times", 7), ("price", 7), ("load", 9),
)  # fmt: skip
HEADER = " ".join(f"{name:>{width}}" for name, width in COLUMNS)


def lines(told: Told) -> Iterator[str]:
    """Write one problem as two lines of the table."""
    peer = told["peer"]
    for effort in EFFORTS:
        ours, ratio = told["ours"][effort], told["ratios"][effort]
        seconds = sorted(ours["seconds"])
        rules = {None: "?", 0: "kept"}.get(ours["violations"], str(ours["violations"]))
        cells = [
            told["problem"],
            effort,
            f"{seconds[0]:.4f}",
            f"{seconds[len(seconds) // 2]:.4f}",
            f"{min(ours['cpuSeconds']):.4f}",
            ours["peakMB"],
            f"{ours['pricePerHour']:.3f}",
            ours["nodes"],
            ours["unplaced"],
            rules,
            "" if ratio["gap"] is None else f"{ratio['gap']:.1%}",
            *(f"{min(peer['seconds'][one]):.3f}" if peer else "" for one in ("1", "5")),
            f"{ratio['speed']:.1f}" if peer else "",
            f"{ratio['priceToDearest']:.3f}" if peer and ratio["priceToDearest"] else "",
            "{}-{}".format(*told["load"]),
        ]
        yield " ".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, COLUMNS, strict=True))


def summary(found: list[Told]) -> Iterator[str]:
    """Say what the measurements come to."""
    for effort in EFFORTS:
        growth = [
            f"{told['pods']}: {min(told['ours'][effort]['cpuSeconds']) / per * 1e6:.2f}"
            for told in found
            if told["problem"].startswith("diverse-") and told["pods"] >= QUICK_PODS_MAX
            for per in (told["pods"] * math.log2(told["pods"]),)
        ]
        if growth:
            yield f"{effort}: microseconds of cpu per n log2 n: {', '.join(growth)}"
    for told in found:
        if told["problem"].startswith("memory-"):
            most = max(told["ours"][effort]["peakMB"] for effort in EFFORTS)
            yield f"memory: {most} MB at the most, {MEMORY_MAX_MB} MB are allowed"


if __name__ == "__main__":
    sys.exit(main())
