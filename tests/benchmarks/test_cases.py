"""The problems we measure with: readable, planned without a rule broken, the same from the same seed."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

from nodewright.core.scheduling.bound import lower_bound
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.state.snapshot import read_snapshot
from referee import judge

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def load(name):
    """Load a script of the benchmarks; `problems` is also the name of a package of the tests."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MADE = load("problems")
KINDS = {
    "diverse": MADE.diverse,
    "preferences": MADE.preferences,
    **{kind: make for kind, make in MADE.REALISTIC.items() if kind != "crowded"},
    "crowded": lambda count: MADE.crowded(count, nodes=12),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_problem_is_planned_by_the_rules_and_not_below_its_bound(kind):
    snapshot = read_snapshot(json.dumps(KINDS[kind](60)).encode(), kind)
    plan = solve(snapshot.world, Effort.FAST)

    assert judge(snapshot.world, plan) == []
    assert not plan.unschedulable
    assert lower_bound(snapshot.world, plan) <= plan.price


@pytest.mark.parametrize("kind", ["diverse", *MADE.REALISTIC])
def test_a_problem_is_the_same_from_the_same_seed_and_another_from_another(kind):
    make = MADE.diverse if kind == "diverse" else MADE.REALISTIC[kind]

    first, again, other = (json.dumps(make(20, seed)) for seed in (1, 1, 2))

    assert first == again
    assert first != other
