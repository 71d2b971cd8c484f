"""`nodewright top --once`: a cluster in one printout, for people and for scripts."""

import csv
import json

import pytest

from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world, on
from builders.views import small_world
from nodewright.cli.main import run
from nodewright.state.writing import SnapshotMetadata, write_snapshot


@pytest.fixture
def saved(tmp_path):
    """Save a World as a snapshot and give its path."""

    def save(world):
        path = tmp_path / "cluster.json"
        path.write_bytes(write_snapshot(world, SnapshotMetadata(name="fleet", region="eu-west-1")))
        return str(path)

    return save


def test_a_pipe_gets_every_node_and_the_sums_once(saved, capsys):
    assert run(["top", saved(small_world())]) == 1
    said = capsys.readouterr().out

    assert said.splitlines()[0].split()[:3] == ["NODE", "POOL", "TYPE"]
    assert "go: empty NW-4301" in said
    assert "no known price, and not in the cost: 1 node" in said
    assert "3 pods, no instance type is large enough NW-1204" in said
    assert "pool general: 4 nodes, 1 of 2 left, spent by ip-10-0-0-4" in said


def test_json_has_everything_with_units_that_others_read(saved, capsys):
    node = a_fleet_node("n")
    assert run(["top", saved(fleet_world(a_fleet_pool(), node, on(node, "2"))), "-o", "json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert said["origin"]["name"] == "fleet"
    assert said["head"]["cpu"] == {"requested": "2", "allocatable": "4", "used": None}
    (row,) = said["nodes"]
    assert row["next"]["code"].startswith("NW-4")
    assert 0 < row["idlePerHour"] < row["pricePerHour"]
    assert said["isComplete"] is True


def test_csv_has_a_row_for_each_node(saved, capsys):
    run(["top", saved(small_world()), "--once", "-o", "csv"])
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))

    assert len(rows) == 6
    assert {row["state"] for row in rows if row["node"] == "stranger"} == {"Ready"}


def test_a_scenario_is_shown_at_its_end(capsys):
    assert run(["top", "--scenario", "demo", "-o", "json"]) == 0
    said = json.loads(capsys.readouterr().out)

    assert said["origin"]["kind"] == "simulation"
    assert said["decisions"]
    assert said["money"]["savedToday"] > 0
    assert said["head"]["podsPending"] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere.json"], "the snapshot cannot be read"),
        (["nowhere.json", "--scenario", "demo"], "only one of SNAPSHOT and --scenario"),
        (["--scenario", "nowhere.yaml"], "nowhere.yaml"),
        (["--kubeconfig", "nowhere.yaml", "--once"], "nowhere.yaml"),
        (["--scenario", "demo", "--stay"], "--stay has no end to print"),
        (["--bogus"], "--bogus"),
    ],
)
def test_a_mistake_is_one_sentence(words, sentence, capsys):
    assert run(["top", *words]) == 2
    said = capsys.readouterr()

    assert said.out == ""
    assert sentence in said.err
    assert "Traceback" not in said.err
