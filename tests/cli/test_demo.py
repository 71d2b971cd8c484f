"""The demo is the real planner on a bundled cluster."""

import json
from importlib.resources import files

import pytest

from nodewright.cli.main import run
from nodewright.state.snapshot import read_snapshot

EXAMPLES = sorted(
    path.name for path in files("nodewright.examples").iterdir() if path.name.endswith(".json")
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_bundled_example_can_be_read(name):
    snapshot = read_snapshot((files("nodewright.examples") / name).read_bytes(), name)

    assert snapshot.world.pods


def test_the_demo_shows_the_plan_and_says_what_to_try_next(capsys):
    assert run(["demo"]) == 0

    shown = capsys.readouterr()
    assert "nodes to make" in shown.out
    assert "data/report-1" in shown.out
    assert "next: nodewright plan SNAPSHOT" in shown.err


def test_the_demo_shows_what_the_planner_answers(capsys):
    example = files("nodewright.examples") / "first-cluster.json"

    assert run(["plan", str(example), "-o", "json"]) == 1

    plan = json.loads(capsys.readouterr().out)
    assert list(plan["unschedulable"]) == ["data/report-1"]
    assert {node["nodePool"] for node in plan["newNodes"]} == {"general", "batch"}
    placed = [pod for node in (*plan["newNodes"], *plan["existingNodes"]) for pod in node["pods"]]
    assert len(placed) == len(set(placed)) == 32
