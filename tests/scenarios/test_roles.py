"""Static pools, buffers and older objects side by side, whatever goes wrong."""

from pathlib import Path

import msgspec
import pytest

from nodewright.app.run import autoscale
from nodewright.sim.run import run_scenario
from nodewright.sim.scenario import read_scenario

HERE = Path(__file__).parent
ROLES = read_scenario(HERE / "roles.yaml")
RUSH = read_scenario(HERE / "rush.yaml")


def check(seed, faults=()):
    report = run_scenario(msgspec.structs.replace(ROLES, faults=faults), seed, autoscale)
    story = "\n".join((*(one.sentence for one in report.result.violations), *report.story))

    assert report.is_fine, f"seed {seed}\n{story}"
    return report


def trouble():
    """Every kind of trouble that the rush has, over well before the end."""
    return tuple(msgspec.structs.replace(one, until="30m") for one in RUSH.faults)


def test_they_do_not_get_in_each_others_way():
    counts = check(0).counts

    assert counts.get("podsPending", 0) == 0
    assert counts["nodeClaims"] == counts["nodes"]


@pytest.mark.parametrize("seed", range(2))
def test_every_promise_is_kept_through_trouble(seed):
    check(seed, trouble())


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2_000, 2_300))
def test_every_promise_is_kept_through_much_trouble(seed):
    check(seed, trouble())
