"""The model of Karpenter that forecasts use, held to Karpenter's own code on the same problems.

Plans: how many nodes, how dear and how many pods are left out, ours of the model and the peer's, of whose runs the
nearest counts, since it draws among equals. Consolidation: its next command on clusters after a scale-down, without
waits and budgets: how many nodes go, whether one comes for them, and what that saves. Status 1 where the model is off by
more than it may be.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from consolidation import PEER, _ask, _command, _marked
from fragmented import fragmented

import problems
from nodewright.forecast.policies.karpenter_plan import plan_as_karpenter
from nodewright.forecast.policies.karpenter_rules import decide_as_karpenter
from nodewright.model.disruption import Memory, Settings
from nodewright.model.instance import NANO
from nodewright.model.world import World
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata, write_snapshot

PLANS: tuple[tuple[str, Any], ...] = (
    ("diverse-100", lambda: problems.diverse(100)),
    ("diverse-500", lambda: problems.diverse(500)),
    ("services-300", lambda: problems.REALISTIC["services"](300)),
    ("batch-300", lambda: problems.REALISTIC["batch"](300)),
    ("gpus-200", lambda: problems.REALISTIC["gpus"](200)),
)
CLUSTERS: tuple[tuple[int, dict[str, Any]], ...] = (
    (6, {"seed": 1}),
    (10, {"seed": 2}),
    (10, {"seed": 4, "guarded": 0.4}),
    (15, {"seed": 3, "spot": 0.5}),
)
PRICE_OFF_MAX = 0.1  # Where pods spread over domains, Karpenter draws among those that are alike.
SAVING_OFF_MAX = 0.15


def compare_plans(name: str, document: dict[str, Any], folder: Path) -> bool:
    """Plan for the same pods with both, and tell whether they come to the same."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document))
    line = [str(PEER), "-workers", "1", "-runs", "3", str(path)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    peers = [json.loads(one) for one in done.stdout.splitlines()]
    plan = plan_as_karpenter(read_snapshot(path.read_bytes(), name).world)
    price, left = plan.price / NANO, len(plan.unschedulable)
    near = min(peers, key=lambda one: abs(one["pricePerHour"] - price))
    theirs = near["pricePerHour"]
    off = price / theirs - 1 if theirs else 0.0
    print(
        f"plan {name}: model ${price:.3f}/h on {len(plan.new_nodes)} nodes, {left} left; "
        f"karpenter ${theirs:.3f}/h on {len(near['newNodes'])}, {len(near['unschedulable'])} left; "
        f"off by {off:+.1%}",
        flush=True,
    )
    return abs(off) <= PRICE_OFF_MAX and left == len(near["unschedulable"])


def compare_commands(size: int, traits: dict[str, Any], folder: Path) -> bool:
    """Ask both for the next command on the same cluster, and tell whether they save the same."""
    document = json.dumps(fragmented(size, **traits)).encode()
    world: World = _marked(read_snapshot(document, "fragmented").world)
    path = folder / "cluster.json"
    path.write_bytes(write_snapshot(world, SnapshotMetadata(name="fragmented")))
    said = _ask(path)["commands"]
    theirs = [_command(world, one) for one in said]
    ours = decide_as_karpenter(world, world.now_ms, Settings(to_end=True), Memory()).commands
    saved = [sum(one.savings for one in commands) / NANO for commands in (ours, theirs)]
    goes = [{node.node for one in commands for node in one.nodes} for commands in (ours, theirs)]
    made = [sum(len(one.replacements) for one in commands) for commands in (ours, theirs)]
    off = saved[0] / saved[1] - 1 if saved[1] else float(bool(saved[0]))
    print(
        f"consolidation of {size} nodes {traits}: model lets {len(goes[0])} go for {made[0]}, "
        f"karpenter {len(goes[1])} for {made[1]}, {len(goes[0] & goes[1])} the same; "
        f"saves ${saved[0]:.3f}/h, ${saved[1]:.3f}/h, off by {off:+.1%}",
        flush=True,
    )
    return abs(off) <= SAVING_OFF_MAX


def main() -> int:
    """Compare on every sample, and say how many agree."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0]).parse_args()
    if not PEER.exists():
        print("karpenter-peer is being built (minutes, the first time)", file=sys.stderr)
        subprocess.run(["make", "-C", PEER.parents[1]], check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kept = [compare_plans(title, make(), folder) for title, make in PLANS]
        kept += [compare_commands(size, traits, folder) for size, traits in CLUSTERS]
    print(f"{sum(kept)} of {len(kept)} samples agree")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
