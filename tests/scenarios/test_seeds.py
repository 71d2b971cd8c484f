"""Seeds: through every kind of trouble with all checkers watching, and what a failing one tells."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from nodewright.app.run import autoscale as ours
from nodewright.app.simulate import OURS, Order, simulate
from nodewright.sim.run import run_scenario
from nodewright.sim.scenario import read_scenario
from scenarios.stub import autoscale as small

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RUSH = HERE / "rush.yaml"
SPELL = HERE / "spell.yaml"
WANE = HERE / "wane.yaml"
STUB = "scenarios.stub:autoscale"
CHUNK = 10
SEEDS = 200
SOAK_CHUNK = 50
SOAK_SEEDS = 10_000


def tell(path, seed, entry):
    """Run a seed again as a user would, and give what it takes to see and understand it."""
    outcome = simulate(Order(path.relative_to(ROOT), seed, entry))
    broken = [f"{one.checker} at {one.at}: {one.sentence}" for one in outcome.violations]
    needed = ", ".join(outcome.needed_faults) or "none"
    replay = f"PYTHONPATH=tests {outcome.replay}"
    return "\n".join([*broken, f"faults that it takes: {needed}", *outcome.story, replay])


def check(path, seeds, autoscaler, entry):
    scenario = read_scenario(path)
    failed = [seed for seed in seeds if not run_scenario(scenario, seed, autoscaler).is_fine]

    assert not failed, f"seeds {failed}\n{tell(path, failed[0], entry)}"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_every_promise_is_kept_through_a_spell_of_trouble(first):
    check(SPELL, range(first, first + CHUNK), ours, OURS)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(SEEDS, SEEDS + SOAK_SEEDS, SOAK_CHUNK))
def test_every_promise_is_kept_through_very_many_spells(first):
    check(SPELL, range(first, first + SOAK_CHUNK), ours, OURS)


@pytest.mark.parametrize("first", range(0, 20, CHUNK))
def test_nodes_go_within_every_promise_through_trouble(first):
    check(WANE, range(first, first + CHUNK), ours, OURS)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(100, 2_100, SOAK_CHUNK))
def test_nodes_go_within_every_promise_through_very_much_trouble(first):
    check(WANE, range(first, first + SOAK_CHUNK), ours, OURS)


@pytest.mark.parametrize("seed", range(8))
def test_the_small_autoscaler_keeps_every_promise_too(seed):
    check(RUSH, [seed], small, STUB)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_the_small_autoscaler_keeps_every_promise_through_much_trouble(seed):
    check(RUSH, [seed], small, STUB)


def test_a_failing_seed_tells_its_smallest_cause_and_how_to_see_it_again():
    told = tell(SPELL, 7, "scenarios.mutants:never_gives_up").splitlines()
    needed = next(line for line in told if line.startswith("faults that it takes: "))
    command = shlex.split(told[-1].removeprefix("PYTHONPATH=tests nodewright "))
    again = elsewhere("0", *command)

    assert told[0].startswith("settled at ")
    assert needed == "faults that it takes: node.unregistered"
    assert again.returncode == 1
    assert told[0].removeprefix("settled at ") in again.stdout.decode()


def elsewhere(hash_seed, *arguments):
    """Run the program in another process."""
    return subprocess.run(
        [sys.executable, "-m", "nodewright", *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        check=False,
    )


def history(hash_seed, seed, entry):
    """Run a seed in another process, and give all that it prints."""
    order = ("simulate", "--scenario", str(SPELL), "--seed", str(seed), "--autoscaler", entry)
    answer = elsewhere(hash_seed, *order, "-o", "json")
    assert answer.returncode == 0, answer.stderr.decode()
    return answer.stdout


@pytest.mark.parametrize("entry", [OURS, STUB])
def test_the_same_seed_is_the_same_history_in_every_process(entry):
    first = history("0", 3, entry)

    assert history("4242", 3, entry) == first
    assert history("0", 4, entry) != first
