"""Scenarios as files."""

import pytest

from nodewright.model.errors import UserError
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.accounts.scenario import Cluster, NodeGroup, Scenario, parse

READY_MADE = {
    "api-only", "cluster-autoscaler", "eksctl", "fresh", "hand-made", "hand-made-karpenter",
    "karpenter-v1", "no-node-group", "no-oidc", "private", "stale-role", "two-clusters",
}  # fmt: skip


def test_every_account_that_an_install_must_cope_with_is_ready_made():
    assert set(scenario.names()) == READY_MADE


@pytest.mark.parametrize("name", sorted(READY_MADE))
def test_a_ready_made_one_is_read_by_its_name(name):
    found = scenario.read(name)

    assert found.title
    assert found.clusters[0].name == "shop"


def test_a_file_is_read_by_its_path(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("title: Mine\nclusters: [{name: a, nodeGroups: [{name: b, count: 3}]}]")

    assert scenario.read(str(path)) == Scenario(
        title="Mine", clusters=(Cluster(name="a", node_groups=(NodeGroup("b", count=3),)),)
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "this is no YAML"),
        ("just words", "this is no scenario: Expected `object`"),
        ("title: x\nclusters: []", "at least one cluster"),
        ("title: x\nclusters: [{name: a}, {name: a}]", "two clusters have the same name"),
        ("title: x\nclusters: [{name: a, mode: API}]", "unknown field `mode`"),
        ("title: x\nclusters: [{name: a, authenticationMode: NONE}]", "Invalid enum value 'NONE'"),
        ("title: x\nclusters: [{name: a}]\nnetwork: {zoneCount: 9}", "zoneCount must be from 1"),
    ],
)
def test_a_mistake_in_it_is_one_sentence_with_its_place(text, said):
    with pytest.raises(UserError, match=said) as caught:
        parse(text, "mine.yaml")

    assert caught.value.where == "mine.yaml"
    assert caught.value.code == "NW-9113"


def test_an_unknown_name_lists_those_that_are_there(tmp_path):
    with pytest.raises(UserError, match="there is no scenario 'frehs'") as caught:
        scenario.read("frehs")

    assert "fresh, hand-made" in caught.value.advice
