"""Judges plans, in a process of its own: `verdict.py SNAPSHOT PLAN...`.

Prints one JSON line per plan: how often the referee of the tests finds a rule broken, the first such
sentence, and the price below which no plan for the same pods can go.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from nodewright.app.sources import open_snapshot
from nodewright.core.scheduling.bound import lower_bound
from nodewright.model.instance import NANO
from referee import judge, read_plan


def main(snapshot: str, *plans: str) -> None:
    """Judge every plan of one snapshot."""
    world = open_snapshot(snapshot).world
    bounds: dict[frozenset[str], float] = {}
    for path in plans:
        plan = read_plan(Path(path).read_bytes())
        left_out = frozenset(plan.unschedulable)
        if left_out not in bounds:
            bounds[left_out] = lower_bound(world, plan) / NANO
        broken = judge(world, plan)
        told = {
            "violations": len(broken),
            "first": str(broken[0]) if broken else "",
            "boundPerHour": bounds[left_out],
        }
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
