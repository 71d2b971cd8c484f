"""`nodewright diff`: what a change does before it is applied."""

import json

import pytest
import yaml

from builders.fleet import a_fleet_node, a_guard, fleet_world, on
from nodewright.cli.main import run
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.state.writing import SnapshotMetadata, write_snapshot

POOL = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "default"},
    "spec": {
        "template": {
            "spec": {
                "nodeClassRef": {
                    "group": "karpenter.k8s.aws",
                    "kind": "EC2NodeClass",
                    "name": "default",
                },
                "requirements": [],
            }
        },
        "disruption": {"consolidateAfter": "0s", "budgets": [{"nodes": "1"}]},
    },
}


@pytest.fixture
def compare(tmp_path, capsys):
    """Compare a pool with a cluster of three nodes, one of which is guarded."""
    nodes = [a_fleet_node(f"n{i}") for i in range(3)]
    pods = [on(nodes[0], "2", app="web"), on(nodes[1], "3500m"), on(nodes[2], "3500m")]
    world = fleet_world(*nodes, *pods, a_guard("web", 0))
    snapshot = tmp_path / "cluster.json"
    snapshot.write_bytes(write_snapshot(world, SnapshotMetadata(name="fleet")))

    def run_diff(change, *options):
        manifest = tmp_path / "pool.yaml"
        pool = json.loads(json.dumps(POOL))
        change(pool["spec"])
        manifest.write_text(yaml.safe_dump(pool), encoding="utf-8")
        status = run(["diff", str(manifest), "--snapshot", str(snapshot), *options])
        return status, capsys.readouterr().out

    return run_diff


def test_a_new_label_drifts_every_node_and_says_who_blocks(compare):
    def relabel(spec):
        spec["template"]["metadata"] = {"labels": {"team": "blue"}}

    status, shown = compare(relabel, "-o", "json")
    answer = json.loads(shown)

    assert status == 1
    assert answer["drifts"] == dict.fromkeys(("n0", "n1", "n2"), "NodePoolDrifted")
    assert answer["blocked"]["n0"]["code"] == "NW-4009"
    assert answer["hours"] == pytest.approx(0.2)
    assert "spec.template.metadata.labels.team" in answer["changes"][0]["fields"]
    assert answer["pricePerHour"]["rolling"] == pytest.approx(0.8)


def test_the_table_says_how_many_of_how_many_and_why(compare):
    def relabel(spec):
        spec["template"]["metadata"] = {"labels": {"team": "blue"}}

    status, shown = compare(relabel)

    assert status == 1
    assert "default: 3 of 3 nodes" in shown
    assert "3 x NodePoolDrifted" in shown
    assert "✗ n0: PodDisruptionBudget default/web" in shown


def test_a_node_that_nobody_may_touch_drifts_too_and_is_blocked(tmp_path, capsys):
    node = a_fleet_node("mine", annotations={DO_NOT_DISRUPT: "true"})
    snapshot = tmp_path / "cluster.json"
    snapshot.write_bytes(write_snapshot(fleet_world(node), SnapshotMetadata(name="fleet")))
    pool = json.loads(json.dumps(POOL))
    pool["spec"]["template"]["metadata"] = {"labels": {"team": "blue"}}
    manifest = tmp_path / "pool.yaml"
    manifest.write_text(yaml.safe_dump(pool), encoding="utf-8")
    run(["diff", str(manifest), "--snapshot", str(snapshot), "-o", "json"])
    answer = json.loads(capsys.readouterr().out)

    assert answer["drifts"] == {"mine": "NodePoolDrifted"}
    assert answer["blocked"]["mine"]["code"] == "NW-4007"


def test_a_change_of_budgets_drifts_nothing(compare):
    status, shown = compare(lambda spec: spec.update(weight=3))

    assert status == 0
    assert "0 nodes would drift" in shown


def test_a_requirement_that_a_node_does_not_meet_drifts_it(compare):
    def narrow(spec):
        spec["template"]["spec"]["requirements"] = [
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-b"]}
        ]

    status, shown = compare(narrow)

    assert status == 1
    assert "3 nodes would drift" in shown
    assert "takes about 12m at present budgets" in shown


def test_a_closed_budget_is_never_done(compare):
    def close(spec):
        spec["template"]["metadata"] = {"labels": {"team": "blue"}}
        spec["disruption"]["budgets"] = [{"nodes": "0"}]

    status, shown = compare(close, "--lang", "ko")

    assert status == 1
    assert "두 주 안에 끝나지 않습니다" in shown


def test_a_manifest_that_cannot_be_read_is_one_sentence(tmp_path, capsys):
    bad = tmp_path / "bad.yaml"
    bad.write_text(yaml.safe_dump({**POOL, "spec": {"weight": "heavy"}}), encoding="utf-8")
    world = tmp_path / "cluster.json"
    world.write_bytes(write_snapshot(fleet_world(a_fleet_node("n")), SnapshotMetadata()))

    assert run(["diff", str(bad), "--snapshot", str(world)]) == 2
    assert "NodePool default cannot be read" in capsys.readouterr().err
