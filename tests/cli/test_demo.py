"""The demo is the real controllers on a simulated cluster."""

import json
from importlib.resources import files

import pytest
from rich.console import Console

from nodewright.app.demo import Frame, NodeRow
from nodewright.cli.demo_view import screen_of
from nodewright.cli.main import run
from nodewright.state.snapshot import read_snapshot

EXAMPLES = sorted(
    path.name for path in files("nodewright.examples").iterdir() if path.name.endswith(".json")
)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_bundled_example_can_be_read(name):
    snapshot = read_snapshot((files("nodewright.examples") / name).read_bytes(), name)

    assert snapshot.world.pods


def test_the_bundled_example_has_a_plan_for_all_but_one_pod(capsys):
    example = files("nodewright.examples") / "first-cluster.json"

    assert run(["plan", str(example), "-o", "json"]) == 1

    plan = json.loads(capsys.readouterr().out)
    assert list(plan["unschedulable"]) == ["data/report-1"]
    assert {node["nodePool"] for node in plan["newNodes"]} == {"general", "batch"}
    placed = [pod for node in (*plan["newNodes"], *plan["existingNodes"]) for pod in node["pods"]]
    assert len(placed) == len(set(placed)) == 32


def test_without_a_screen_the_demo_prints_its_summary_and_keeps_its_promises(capsys):
    assert run(["demo", "--headless", "--seed", "3", "-o", "json"]) == 0

    summary = json.loads(capsys.readouterr().out)
    assert summary["promisesBroken"] == []
    assert summary["machinesLaunched"] > summary["machinesInterrupted"] > 0
    assert summary["podsStarted"] > 60
    assert summary["nodesGivenBack"] > 2
    assert summary["priceAtTheEnd"] < summary["priceHighest"] / 2


def test_a_speed_of_nothing_is_refused(capsys):
    assert run(["demo", "--speed", "0"]) == 2
    assert "speed" in capsys.readouterr().err


def test_a_moment_fits_the_screen_and_says_how_many_nodes_are_hidden():
    node = NodeRow("node", "ready", "m6i.large", "zone-a", "spot", 3, 0.5, 40_000_000)
    frame = Frame(61_000, 120_000, 40, 2, (node,) * 30, 1_200_000_000, ("01:00  news",) * 20)
    console = Console(width=120, height=30, record=True, file=None, force_terminal=False)
    with console.capture() as capture:
        console.print(screen_of(frame, 30))

    shown = capture.get()
    assert len(shown.splitlines()) <= 30
    assert "01:01" in shown
    assert "40 pods run" in shown
    assert "more nodes" in shown
