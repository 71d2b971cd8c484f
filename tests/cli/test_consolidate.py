"""`nodewright consolidate`: actions, who stays and why, and exit statuses for scripts."""

import json

import pytest
import yaml

from builders.fleet import a_fleet_node, fleet_world, on
from nodewright.cli.main import run
from nodewright.state.writing import SnapshotMetadata, write_snapshot


@pytest.fixture
def saved(tmp_path):
    """Save a World as a snapshot and give its path."""

    def save(world):
        path = tmp_path / "cluster.json"
        path.write_bytes(write_snapshot(world, SnapshotMetadata(name="fleet")))
        return str(path)

    return save


@pytest.fixture
def half_empty(saved):
    low, high = a_fleet_node("low"), a_fleet_node("high")
    return saved(fleet_world(low, high, on(low, "500m"), on(high, "3500m")))


def test_actions_are_found(half_empty, capsys):
    assert run(["consolidate", half_empty, "-o", "json"]) == 1
    answer = json.loads(capsys.readouterr().out)

    (action,) = answer["actions"]
    assert action["reason"] == "Underutilized"
    assert action["nodes"] == ["low"]
    assert action["moves"] == {"default/pod-low-0": "high"}
    assert action["savingsPerHour"] == pytest.approx(0.2)
    assert answer["pricePerHour"] == {"before": 0.4, "after": 0.2}
    assert answer["kept"]["high"]["code"] == "NW-4006"
    assert answer["forceful"] == []
    assert answer["solveSeconds"] > 0


def test_to_the_end_leaves_nothing_to_gain(saved, capsys):
    nodes = [a_fleet_node(f"n{i}", 8) for i in range(4)]
    path = saved(fleet_world(*nodes, *(on(node, "500m", "500m") for node in nodes)))

    assert run(["consolidate", path, "--to-end", "-o", "yaml"]) == 1
    answer = yaml.safe_load(capsys.readouterr().out)
    assert answer["pricePerHour"]["after"] == pytest.approx(0.2)


def test_a_cluster_without_waste_is_fine(saved, capsys):
    node = a_fleet_node("n")

    assert run(["consolidate", saved(fleet_world(node, on(node, "3900m"))), "-o", "json"]) == 0
    kept = json.loads(capsys.readouterr().out)["kept"]["n"]
    assert kept["code"] == "NW-4202"


@pytest.mark.parametrize(("language", "said"), [("en", "1 node can go"), ("ko", "노드 1개가")])
def test_the_table_speaks_both_languages(half_empty, capsys, language, said):
    assert run(["consolidate", half_empty, "--lang", language]) == 1
    shown = capsys.readouterr().out

    assert said in shown
    assert "nodewright explain node/high" in shown


def test_why_a_node_stays_is_explained(half_empty, capsys):
    assert run(["explain", "node/low", half_empty, "-o", "json"]) == 0
    story = json.loads(capsys.readouterr().out)["disruption"]
    assert story["goes"] is True
    assert story["code"] == "NW-4303"
    assert story["pricePerDay"] == pytest.approx(4.8)
    assert run(["explain", "node/high", half_empty]) == 0
    assert "stays: pods are expected on the node" in capsys.readouterr().out


def test_budgets_are_a_calendar(half_empty, capsys):
    assert run(["explain", "budgets", half_empty, "-o", "json"]) == 0
    (pool,) = json.loads(capsys.readouterr().out)["nodePools"]
    assert pool["name"] == "default"
    assert pool["calendar"][0]["Empty"] == 2
    assert run(["explain", "budgets", half_empty]) == 0
    assert "nodes that may go at once" in capsys.readouterr().out
