"""Seeds: the small autoscaler through every kind of trouble, with all checkers watching."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nodewright.sim.run import run_scenario
from nodewright.sim.scenario import read_scenario
from scenarios.stub import autoscale

HERE = Path(__file__).parent
RUSH = HERE / "rush.yaml"
ENTRY = "scenarios.stub:autoscale"


def replay(scenario, seed):
    """Give the command that runs a seed again."""
    return (
        f"PYTHONPATH=tests nodewright simulate --scenario tests/scenarios/{scenario.name} "
        f"--seed {seed} --autoscaler {ENTRY}"
    )


def check(seed):
    report = run_scenario(read_scenario(RUSH), seed, autoscale)
    story = "\n".join((*(v.sentence for v in report.result.violations), *report.story))

    assert report.is_fine, f"{story}\n{replay(RUSH, seed)}"


@pytest.mark.parametrize("seed", range(8))
def test_every_promise_is_kept_through_trouble(seed):
    check(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_every_promise_is_kept_through_much_trouble(seed):
    check(seed)


def run_elsewhere(hash_seed, seed=3):
    """Run a seed in another process, and give the digest of its history."""
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "nodewright", "simulate", "--scenario", str(RUSH)),
            *("--seed", str(seed), "--autoscaler", ENTRY, "-o", "json"),
        ],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    return answer.stdout


def test_the_same_seed_is_the_same_history_in_every_process():
    first = run_elsewhere("0")

    assert run_elsewhere("4242") == first
    assert run_elsewhere("0", seed=4) != first
