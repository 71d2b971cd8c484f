"""Metrics of disruption: each command once, what was dropped, and what budgets leave."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS
from builders.fleet import HOUR_MS, a_fleet_node, a_fleet_pool, fleet_world, on
from builders.scrape import samples
from core.test_chronicle import a_command
from nodewright.core.disrupting import PROPOSED
from nodewright.core.disrupting_words import tell_kept
from nodewright.core.orchestration import LOST
from nodewright.model.beside import Beside
from nodewright.model.command import COMMAND, Record
from nodewright.model.decision import Change, Delete, Keep
from nodewright.model.disruption import AWS_RULES, Kept, Method, Score
from nodewright.model.instant import print_instant
from nodewright.model.keeping import Keeping
from nodewright.model.metadata import Condition
from nodewright.model.nodepool import Budget
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref, refer
from nodewright.observe.metrics import Metrics
from nodewright.ports.kube import Answer, Outcome

DONE = Answer(Outcome.DONE)
PREFIX = "karpenter_voluntary_disruption"


def proposed(name):
    return Keep(subject=Ref(NODES, name), reason=PROPOSED, note="Empty: it goes", look_again_ms=1)


def count(metrics, name):
    return sum(samples(metrics, name).values())


def test_a_command_is_counted_once_it_was_begun():
    metrics = Metrics()
    metrics.came_of("disruption", a_command(), Answer(Outcome.CONFLICT), 1)
    metrics.came_of("disruption", a_command(), DONE, 1)
    (row,) = samples(metrics, f"{PREFIX}_decisions_total")

    assert dict(row) == {
        "decision": "replace",
        "reason": "underutilized",
        "consolidation_type": "single",
    }
    assert count(metrics, f"{PREFIX}_decisions_total") == 1
    assert count(metrics, f"{PREFIX}_decisions_by_nodepool_total") == 1
    assert count(metrics, "karpenter_nodeclaims_created_total") == 1


def test_a_node_that_was_proposed_and_is_not_any_more_failed_its_validation():
    metrics, world = Metrics(), fleet_world(a_fleet_pool())
    metrics.decided("disruption", world, [proposed("one"), proposed("two")], 1)
    assert samples(metrics, f"{PREFIX}_eligible_nodes") == {
        (("reason", "drifted"),): 0,
        (("reason", "empty"),): 2,
        (("reason", "underutilized"),): 0,
    }
    metrics.decided("disruption", world, [proposed("two")], 1)

    assert count(metrics, f"{PREFIX}_failed_validations_total") == 1


def test_a_replacement_that_did_not_come_is_counted_when_the_record_goes():
    node, claim = a_fleet_node("n")
    record = Record("D-1", "Drifted", Method.DRIFT, 1, ("new",))
    marked = replace(claim, metadata=replace(claim.metadata, annotations={COMMAND: record.write()}))
    metrics = Metrics()
    metrics.decided("orchestration", fleet_world((node, marked)), [], 1)
    for change in ({"status": {}}, {"metadata": {"annotations": {COMMAND: None}}}):
        undone = Change(subject=refer(NODE_CLAIMS, claim), reason=LOST, change=change)
        metrics.came_of("orchestration", undone, DONE, 1)
    (row,) = samples(metrics, f"{PREFIX}_queue_failures_total")

    assert dict(row) == {"decision": "replace", "reason": "drifted"}
    assert count(metrics, f"{PREFIX}_queue_failures_total") == 1


@pytest.mark.parametrize(
    ("reason", "grace", "policy", "mode"),
    [
        ("underutilized", None, {"consolidation_policy": "Balanced"}, "graceful"),
        ("drifted", "1h", {}, "eventual"),
        ("expired", "0s", {}, "forceful"),
    ],
)
def test_a_claim_that_is_deleted_counts_once_with_its_pods_and_how_they_are_drained(
    reason, grace, policy, mode
):
    node = a_fleet_node("n", grace=grace)
    metrics = Metrics()
    world = fleet_world(a_fleet_pool(policy="Balanced"), node, on(node, "1", "1"))
    metrics.decided("orchestration", world, [], 1)
    gone = Delete(subject=refer(NODE_CLAIMS, node[1]), reason=reason)
    metrics.came_of("orchestration", gone, Answer(Outcome.UNREACHABLE), 1)
    metrics.came_of("orchestration", gone, DONE, 1)
    (row,) = samples(metrics, "karpenter_nodeclaims_disrupted_total")

    assert dict(row) == policy | {
        "reason": reason,
        "nodepool": "default",
        "capacity_type": "on-demand",
        "termination_mode": mode,
    }
    assert samples(metrics, "karpenter_pods_disruption_initiated_total") == {row: 2}


def test_a_broken_node_counts_under_the_condition_that_was_due_first():
    made, claim = a_fleet_node("n")
    since = print_instant(NOW_MS - HOUR_MS)
    bad = (
        Condition("Ready", "False", last_transition_time=since),
        Condition("AcceleratedHardwareReady", "False", last_transition_time=since),
    )
    node = replace(made, status=replace(made.status, conditions=bad))
    world = replace(fleet_world((node, claim)), beside=Beside(repair_rules=AWS_RULES))
    gone = Delete(subject=refer(NODE_CLAIMS, claim), reason="unhealthy")
    metrics = Metrics()
    metrics.decided("repair", world, [gone], 1)
    metrics.came_of("repair", gone, DONE, 1)
    (row,) = samples(metrics, "karpenter_nodeclaims_unhealthy_disrupted_total")

    assert dict(row)["condition"] == "AcceleratedHardwareReady"


def test_scores_and_moves_count_what_was_made_and_what_was_newly_refused():
    metrics, world = Metrics(), fleet_world(a_fleet_pool(policy="Balanced"))
    kept = Kept("n", Keeping.SCORE_TOO_LOW, {"pool": "default", "score": "0.42"})
    told = list(tell_kept(kept, (Ref(NODES, "n"), Ref(NODE_CLAIMS, "c"))))
    for _ in range(3):
        metrics.decided("disruption", world, told, 1)
    score = Score("default", 700, 100, 140, is_enough=True)
    metrics.came_of("disruption", replace(a_command(), scores=(score,)), DONE, 1)
    moves = samples(metrics, "karpenter_consolidation_moves_total")

    assert {dict(row)["decision"]: value for row, value in moves.items()} == {
        "approved": 1,
        "rejected": 1,
    }
    assert {dict(row)["policy"] for row in moves} == {"Balanced"}
    sums = samples(metrics, "karpenter_consolidation_score_sum")
    assert sorted(sums.values()) == [0.42, 0.7]


def test_a_search_that_ended_early_counts_as_a_timeout():
    metrics, world = Metrics(), fleet_world(a_fleet_pool())
    kept = Kept("n", Keeping.NOT_REACHED, {"tries": 4000})
    metrics.decided("disruption", world, list(tell_kept(kept, (Ref(NODES, "n"),))), 1)

    assert count(metrics, f"{PREFIX}_consolidation_timeouts_total") == 1


def test_what_budgets_leave_is_there_for_each_reason():
    nodes = [a_fleet_node(f"n{number}") for number in range(19)]
    world = fleet_world(a_fleet_pool(budgets=[Budget(nodes="20%")]), *nodes)
    allowed = samples(Metrics(lambda: world), "karpenter_nodepools_allowed_disruptions")

    assert set(allowed.values()) == {4}
    assert len(allowed) == 3
