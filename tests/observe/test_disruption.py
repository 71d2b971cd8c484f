"""Metrics of disruption: each command once, what was dropped, and what budgets leave."""

from builders.fleet import a_fleet_node, a_fleet_pool, fleet_world
from builders.scrape import samples
from core.test_chronicle import a_command
from nodewright.core.disrupting import PROPOSED
from nodewright.core.orchestration import LOST
from nodewright.model.command import COMMAND
from nodewright.model.decision import Change, Keep
from nodewright.model.nodepool import Budget
from nodewright.model.resource import NODE_CLAIMS, NODES, Ref
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
    assert samples(metrics, f"{PREFIX}_eligible_nodes") == {(("reason", "empty"),): 2}
    metrics.decided("disruption", world, [proposed("two")], 1)

    assert count(metrics, f"{PREFIX}_failed_validations_total") == 1


def test_a_replacement_that_did_not_come_is_counted_when_the_record_goes():
    metrics = Metrics()
    for change in ({"status": {}}, {"metadata": {"annotations": {COMMAND: None}}}):
        undone = Change(subject=Ref(NODE_CLAIMS, "c"), reason=LOST, change=change)
        metrics.came_of("orchestration", undone, DONE, 1)

    assert count(metrics, f"{PREFIX}_queue_failures_total") == 1


def test_what_budgets_leave_is_there_for_each_reason():
    nodes = [a_fleet_node(f"n{number}") for number in range(19)]
    world = fleet_world(a_fleet_pool(budgets=[Budget(nodes="20%")]), *nodes)
    allowed = samples(Metrics(lambda: world), "karpenter_nodepools_allowed_disruptions")

    assert set(allowed.values()) == {4}
    assert len(allowed) == 3
