"""`nodewright consolidate`: actions, who stays and why, and exit statuses for scripts."""

import json

import pytest
import yaml

from builders.fleet import a_fleet_node, a_fleet_pool, a_guard, a_policy, fleet_world, on
from nodewright.cli.main import run
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.nodepolicy import PolicyBudget, Rate
from nodewright.model.nodepool import Budget
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


def test_what_holds_back_the_most_money_comes_first_with_the_budget_that_does(saved, capsys):
    cheap, dear, other = a_fleet_node("cheap", 1), a_fleet_node("dear", 16), a_fleet_node("other")
    pods = (on(cheap, "100m"), on(dear, "1", app="web"), on(other, "1", app="web"))
    path = saved(fleet_world(cheap, dear, other, *pods, a_guard("web", 0)))
    assert run(["consolidate", path]) in (0, 1)
    out = capsys.readouterr().out

    assert "2 x a PodDisruptionBudget lets a pod not go" in out
    assert "default/web holds 2 nodes, $24.00 a day" in out


def test_nodes_that_go_by_force_stand_in_the_same_table(saved, capsys):
    old = a_fleet_node("old", expire_after="1h")
    assert run(["consolidate", saved(fleet_world(old, on(old, "3900m")))]) == 1
    assert "Expired  old (expireAfter 1h)  -" in capsys.readouterr().out


def test_every_rule_and_reason_is_listed_for_a_node(saved, capsys):
    held = a_fleet_node("held", annotations={DO_NOT_DISRUPT: "true"})
    path = saved(fleet_world(held, on(held, "1", app="web"), a_guard("web", 0)))
    assert run(["explain", "node/held", path]) == 0
    out = capsys.readouterr().out

    assert "costs $4.8000 a day" in out
    assert "✓ a NodeClaim stands for it" in out
    assert "✗ the node is annotated karpenter.sh/do-not-disrupt  NW-4007" in out
    assert "✗ PodDisruptionBudget default/web does not let pod default/web-held-0 go" in out
    assert run(["explain", "node/held", path, "-o", "json"]) == 0
    checks = json.loads(capsys.readouterr().out)["disruption"]["checks"]
    assert [one["rule"] for one in checks if not one["ok"]] == ["unmarked", "guards"]


def test_a_node_that_comes_after_others_is_told_so_under_its_reason(saved, capsys):
    nodes = [a_fleet_node(name) for name in ("a", "b", "c")]
    pool = a_fleet_pool(budgets=[Budget(nodes="1")])
    path = saved(fleet_world(pool, *nodes, *(on(node, "500m") for node in nodes)))
    assert run(["explain", "node/c", path]) == 0
    out = capsys.readouterr().out

    assert "Drifted        - it matches its NodePool and NodeClass" in out
    assert "1 of 3 nodes may go at once, 0 are going, and others come first" in out


def test_budgets_are_written_out_above_their_calendar(saved, capsys):
    pool = a_fleet_pool(budgets=[Budget(nodes="0", schedule="0 9 * * *", duration="8h")])
    slow = PolicyBudget(rate=Rate(nodes="2", per="1h"), reasons=("Drifted",))
    path = saved(fleet_world(pool, a_fleet_node("n"), a_policy(budgets=(slow,))))
    assert run(["explain", "budgets", path]) == 0
    out = capsys.readouterr().out

    assert "default  1 node" in out
    assert "nodes 0 · 0 9 * * * (UTC), 8h" in out
    assert "NodePolicy: nodes 2 per 1h for Drifted" in out
