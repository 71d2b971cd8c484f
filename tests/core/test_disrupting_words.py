"""The Events of disruption: Karpenter's names, what they say, and on what."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import (
    HOUR_MS,
    SIZES,
    a_fleet_node,
    a_fleet_pool,
    a_guard,
    a_policy,
    fleet_world,
    on,
)
from nodewright.core.disrupting import VALIDATION_MS, disrupt
from nodewright.core.disrupting_words import ON_NODE, ON_POOL, rejection_of
from nodewright.model.beside import Beside
from nodewright.model.decision import Tell
from nodewright.model.disruption import Backoff, Kept, Memory, Wave
from nodewright.model.hashing import hash_nodepool
from nodewright.model.instant import print_instant
from nodewright.model.keeping import Keeping
from nodewright.model.nodepolicy import Pause, Waves
from nodewright.model.nodepool import Budget


def told(*things, pool=None, memory=None):
    world = fleet_world(pool or a_fleet_pool(), *things)
    found = disrupt(replace(world, beside=Beside(disruption=memory or Memory())))
    return [one for one in found if isinstance(one, Tell)]


def events(tells, reason):
    return {
        (one.subject.resource.kind, one.subject.name): one.note
        for one in tells
        if one.reason == reason
    }


def test_a_replacement_is_a_candidate_with_what_it_saves():
    node = a_fleet_node("big", 8)
    found = events(told(node, on(node, "200m")), "ConsolidationCandidate")

    assert {kind for kind, _ in found} == {"Node", "NodeClaim"}
    assert set(found.values()) == {"Underutilized: big replaced by m.1, which saves 0.3500 an hour"}


def test_a_node_that_was_to_go_and_stays_is_rejected_with_karpenters_word():
    node = a_fleet_node("big", 8)
    things = (node, on(node, "200m", app="web"), a_guard("web", 0))
    memory = Memory(proposed={"big": NOW_MS - 1000})
    found = events(told(*things, memory=memory), "ConsolidationRejected")

    assert {kind for kind, _ in found} == {"Node", "NodeClaim"}
    assert all("stays (churn)" in note for note in found.values())
    assert events(told(*things), "ConsolidationRejected") == {}


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (Keeping.BUDGET_SPENT, "budget"),
        (Keeping.NOMINATED, "budget"),
        (Keeping.NO_ROOM, "scheduling"),
        (Keeping.POD_PROTECTED, "churn"),
    ],
)
def test_rejections_have_karpenters_three_kinds(reason, kind):
    assert rejection_of(Kept("n", reason)) == kind


def test_a_balanced_pool_says_what_a_move_scores():
    pool = a_fleet_pool(policy="Balanced")
    node, other = a_fleet_node("big", 8), a_fleet_node("full", 8)
    memory = Memory(proposed={"big": NOW_MS - VALIDATION_MS})
    things = (node, other, on(node, "200m"), on(other, "7950m"))
    found = events(told(*things, pool=pool, memory=memory), "ConsolidationApproved")

    assert {kind for kind, _ in found} == {"Node", "NodeClaim"}
    (note,) = set(found.values())
    assert note.startswith("the move scores 0.8")
    assert "asks for 0.50 (k = 2): it saves 43.7 % of the pool's price" in note
    assert "moves 50.0 % of what runs there" in note


def test_a_pool_is_told_once_what_holds_all_its_nodes():
    nodes = [a_fleet_node(name) for name in ("one", "two")]
    closed = a_fleet_pool(budgets=[Budget(nodes="0")])
    pause = a_policy(pause=Pause(until=print_instant(NOW_MS + HOUR_MS), reason="a feast"))

    assert len(events(told(*nodes, pool=closed), "DisruptionBlocked")) == 1
    paused = events(told(*nodes, pause), "DisruptionBlocked")
    assert paused == {("NodePool", "default"): "a NodePolicy has paused disruption: a feast"}


@pytest.mark.parametrize(
    ("memory", "words"),
    [
        ({"backoffs": {"default": Backoff(3, NOW_MS + 1000)}}, "failed 3 times in a row"),
        ({"waves": {"default": Wave("", 1, failed=1)}}, "are halted: 1 replacement failed"),
    ],
)
def test_a_pool_says_that_its_drift_is_held_up(memory, words):
    pool, node = a_fleet_pool(), a_fleet_node("old")
    waves = {
        name: replace(one, target=hash_nodepool(pool))
        for name, one in memory.get("waves", {}).items()
    }
    known = Memory(**{**memory, "waves": waves}, provider_drift={"old": "AMIDrift"})
    known = replace(known, provider_drift={node[1].metadata.name: "AMIDrift"})
    found = told(node, on(node, "3900m"), a_policy(waves=Waves()), pool=pool, memory=known)

    assert words in events(found, "DisruptionBlocked")["NodePool", "default"]


def test_a_drifted_node_whose_pods_find_no_place_is_blocked():
    node = a_fleet_node("old", 16)
    known = Memory(provider_drift={node[1].metadata.name: "AMIDrift"})
    found = told(node, on(node, "15"), SIZES[0], memory=known)

    assert "would find no place" in events(found, "DisruptionBlocked")["Node", "old"]
    assert events(found, "Unconsolidatable") == {}


def test_nothing_is_told_both_on_the_node_and_on_its_pool():
    assert not set(ON_NODE) & set(ON_POOL)
