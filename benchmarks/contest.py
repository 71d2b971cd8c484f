"""One problem, both schedulers, the same file, one after the other under the same load.

Ours runs before and after the peer, so that a load that comes or goes meets both. The peer runs with one
worker and with five; its better setting is run until there are three runs of it, because its plans
differ from run to run.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
PEER = HERE / "karpenter" / "bin" / "karpenter-peer"
EFFORTS = ("fast", "normal")
WORKERS = (1, 5)
JUDGE_SECONDS_MAX = 1800

type Told = dict[str, Any]


def contest(snapshot: Path, runs: int, peer_runs: int) -> Told:
    """Measure both sides on one snapshot file; no peer runs leave the peer out."""
    before = os.getloadavg()[0]
    ours = {effort: run_ours(snapshot, effort, (runs + 1) // 2) for effort in EFFORTS}
    peer = run_peer(snapshot, peer_runs) if peer_runs else {}
    for effort in EFFORTS if runs > 1 else ():
        again = run_ours(snapshot, effort, runs // 2)
        ours[effort]["seconds"] += again["seconds"]
        ours[effort]["cpuSeconds"] += again["cpuSeconds"]
    load = [round(before, 1), round(os.getloadavg()[0], 1)]
    judged = judge_plans(snapshot, [plan_path(snapshot, effort) for effort in EFFORTS])
    for effort, verdict in zip(EFFORTS, judged, strict=True):
        ours[effort] |= verdict
    told: Told = {"problem": snapshot.stem, "load": load, "ours": ours, "peer": peer}
    return told | {"ratios": {effort: ratios(ours[effort], peer) for effort in EFFORTS}}


def run_ours(snapshot: Path, effort: str, runs: int) -> Told:
    """Run our solver in a fresh process."""
    plan = plan_path(snapshot, effort)
    line = [sys.executable, str(HERE / "ours.py"), str(snapshot), effort, str(runs), str(plan)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    told: Told = json.loads(done.stdout)
    return told


def run_peer(snapshot: Path, runs: int) -> Told:
    """Run Karpenter's scheduler with both settings, and its better one until the runs are full."""
    answers = {workers: _ask_peer(snapshot, workers, 1) for workers in WORKERS}
    better = min(WORKERS, key=lambda workers: answers[workers][0]["solveSeconds"])
    if runs > 1:
        answers[better] += _ask_peer(snapshot, better, runs - 1)
    everything = [answer for workers in WORKERS for answer in answers[workers]]
    prices = [answer["pricePerHour"] for answer in answers[better]]
    cheapest = min(answers[better], key=lambda answer: answer["pricePerHour"])
    plan_path(snapshot, "peer").write_text(json.dumps(cheapest))
    return {
        "better": better,
        "seconds": {
            str(workers): [answer["solveSeconds"] for answer in answers[workers]]
            for workers in WORKERS
        },
        "prices": prices,
        "nodes": len(cheapest["newNodes"]),
        "unplaced": [len(answer["unschedulable"]) for answer in everything],
    }


def _ask_peer(snapshot: Path, workers: int, runs: int) -> list[Told]:
    line = [str(PEER), "-workers", str(workers), "-runs", str(runs), str(snapshot)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    return [json.loads(answer) for answer in done.stdout.splitlines()]


def judge_plans(snapshot: Path, plans: Sequence[Path]) -> list[Told]:
    """Have plans judged by the referee, which was written apart from the solver."""
    line = [sys.executable, str(HERE / "verdict.py"), str(snapshot), *map(str, plans)]
    try:
        done = subprocess.run(
            line, check=True, capture_output=True, text=True, timeout=JUDGE_SECONDS_MAX
        )
    except subprocess.TimeoutExpired:
        return [{"violations": None, "boundPerHour": None} for _ in plans]
    return [json.loads(answer) for answer in done.stdout.splitlines()]


def ratios(ours: Mapping[str, Any], peer: Mapping[str, Any]) -> Told:
    """Hold one effort of ours against the peer's better setting and against the bound."""
    price, bound = ours["pricePerHour"], ours.get("boundPerHour")
    told: Told = {"gap": round(price / bound - 1, 4) if bound else None}
    if peer:
        theirs = peer["seconds"][str(peer["better"])]
        told["speed"] = round(min(theirs) / min(ours["seconds"]), 1)
        told["speedOfMedians"] = round(median(theirs) / median(ours["seconds"]), 1)
        for name, of_theirs in (("Dearest", max), ("Cheapest", min)):
            their_price = of_theirs(peer["prices"])
            told[f"priceTo{name}"] = round(price / their_price, 4) if their_price else None
    return told


def plan_path(snapshot: Path, who: str) -> Path:
    """Give where the plan of somebody for a snapshot is kept."""
    return snapshot.with_suffix(f".{who}.plan")
