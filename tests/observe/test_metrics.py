"""Metrics: what was done is counted once, and the page is one that Prometheus reads."""

import pytest
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from builders import NOW_MS, a_daemon_pod, a_node, a_pod, a_pool, a_type, a_world
from builders.lives import MINUTE_MS, ago, with_conditions, with_meta, with_spec
from builders.nodes import a_node_claim
from builders.scrape import samples
from nodewright.core.provisioning import provision
from nodewright.model.decision import Change, Delete, Evict, Launch, Refuse, Release
from nodewright.model.labels import CAPACITY_TYPE, ZONE
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS, Ref, refer
from nodewright.model.world import BadPod, World
from nodewright.observe.families import COUNTERS, GAUGES, HISTOGRAMS, SUMMARIES
from nodewright.observe.metrics import FAMILIES, LEADING, Metrics
from nodewright.ports.kube import Answer, Outcome

DONE = Answer(Outcome.DONE)
PREFIXES = ("karpenter_", "nodewright_", "operator_", "controller_runtime_", "leader_election_")
CLAIM = a_node_claim("c", pool="general", labels={CAPACITY_TYPE: "spot", ZONE: "zone-a"})


def one_of(metrics, name):
    (value,) = samples(metrics, name).values()
    return value


def a_launch(claim=CLAIM):
    return Launch(subject=Ref(NODE_CLAIMS, claim.metadata.name), reason="Provisioned", claim=claim)


def a_delete(reason, claim=CLAIM):
    return Delete(subject=refer(NODE_CLAIMS, claim), reason=reason)


def a_refuse(pod, code="NW-1204"):
    return Refuse(subject=refer(PODS, pod), reason="FailedScheduling", code=code)


def done(*decisions, world=None, answer=DONE):
    metrics = Metrics()
    metrics.decided("test", world or a_world(CLAIM, a_type()), (), 1)
    for one in decisions:
        metrics.came_of("test", one, answer, 5)
    return metrics


def test_requests_to_aws_are_counted_by_operation_and_error():
    metrics = Metrics()
    metrics.asked("ec2", "CreateFleet", "", 20)
    metrics.asked("ec2", "CreateFleet", "RequestLimitExceeded", 5)
    for number in range(300):
        metrics.asked("ec2", "DescribeSubnets", f"Odd{number}", 1)
    found = samples(metrics, "nodewright_aws_requests_total")

    assert sum(found.values()) == 302
    assert len(found) <= 202


def test_a_claim_that_was_written_is_counted_by_why_and_for_whom():
    metrics = done(a_launch())

    assert samples(metrics, "karpenter_nodeclaims_created_total") == {
        (("min_values_relaxed", "false"), ("nodepool", "general"), ("reason", "provisioned")): 1
    }


@pytest.mark.parametrize("outcome", [Outcome.EXISTS, Outcome.CONFLICT, Outcome.UNREACHABLE])
def test_what_was_not_done_counts_as_an_act_only(outcome):
    metrics = done(a_launch(), answer=Answer(outcome))

    assert samples(metrics, "karpenter_nodeclaims_created_total") == {}
    assert samples(metrics, "nodewright_acts_total") == {
        (("controller", "test"), ("kind", "Launch"), ("outcome", outcome.value)): 1
    }


@pytest.mark.parametrize(
    ("outcome", "count"), [(Outcome.FORBIDDEN, 1), (Outcome.CONFLICT, 0), (Outcome.DONE, 0)]
)
def test_an_act_that_fails_is_an_error_of_its_controller(outcome, count):
    metrics = done(a_launch(), answer=Answer(outcome))

    assert one_of(metrics, "controller_runtime_reconcile_errors_total") == count


@pytest.mark.parametrize("is_leading", [True, False])
def test_who_holds_the_lease_is_told_under_its_name(is_leading):
    metrics = Metrics()
    metrics.gauges[LEADING] = lambda: is_leading
    assert samples(metrics, "leader_election_master_status") == {}
    metrics.lease = "the-lease"

    assert samples(metrics, "leader_election_master_status") == {
        (("name", "the-lease"),): int(is_leading)
    }


def test_a_disruption_is_counted_by_reason_and_by_what_the_claim_was():
    metrics = done(a_delete("expired"), a_delete("spot_interrupted"), a_delete("NodeDeleted"))

    labels = (("capacity_type", "spot"), ("nodepool", "general"))
    assert samples(metrics, "karpenter_nodeclaims_disrupted_total") == {
        (*labels, ("reason", "expired"), ("termination_mode", "graceful")): 1,
        (*labels, ("reason", "spot_interrupted"), ("termination_mode", "graceful")): 1,
    }


def test_a_claim_of_which_nothing_is_left_is_counted_with_how_long_it_took():
    going = with_meta(CLAIM, deletion_timestamp=ago(MINUTE_MS))
    gone = Release(subject=refer(NODE_CLAIMS, going), reason="Finalized", thing=going)
    metrics = done(gone)

    assert one_of(metrics, "karpenter_nodeclaims_terminated_total") == 1
    assert one_of(metrics, "karpenter_nodeclaims_termination_duration_seconds_sum") == 60


def test_a_node_is_counted_when_it_joins_and_when_it_goes():
    node = with_spec(a_node("n"), provider_id=CLAIM.status.provider_id)
    node = with_meta(node, creation_timestamp=ago(60 * MINUTE_MS), deletion_timestamp=ago(5_000))
    joins = Change(subject=refer(NODES, node), reason="Registration", change={})
    drained = Change(subject=refer(NODE_CLAIMS, CLAIM), reason="Drained", change={})
    goes = Release(subject=refer(NODES, node), reason="Finalized", thing=node)
    metrics = done(joins, drained, goes, world=a_world(CLAIM, node, a_type()))

    assert samples(metrics, "karpenter_nodes_created_total") == {
        (("nodepool", "general"), ("zone", "zone-a")): 1
    }
    assert samples(metrics, "karpenter_nodes_drained_total") == {(("nodepool", "general"),): 1}
    assert one_of(metrics, "karpenter_nodes_terminated_total") == 1
    assert one_of(metrics, "karpenter_nodes_lifetime_duration_seconds_sum") == 3600
    assert one_of(metrics, "karpenter_nodes_termination_duration_seconds_sum") == 5


@pytest.mark.parametrize("controller", ["nominations", "podevents", "transitions", "checkup"])
def test_a_controller_that_looks_at_little_takes_nothing_out_of_sight(controller):
    metrics, world = Metrics(), a_world(CLAIM, a_pod("p", created=ago(MINUTE_MS)), a_type())
    bound = with_conditions(
        with_spec(world.pods[0], node_name="n"), ago(30_000), PodScheduled="True"
    )
    later = a_world(CLAIM, bound, a_type())
    metrics.decided("disruption", world, (), 1)
    metrics.decided(controller, World(NOW_MS + 2_000), (), 1)
    metrics.came_of("expiration", a_delete("expired"), DONE, 5)
    metrics.decided("disruption", replace(later, now_ms=NOW_MS + 4_000), (), 1)

    (row,) = samples(metrics, "karpenter_nodeclaims_disrupted_total")
    assert (dict(row)["nodepool"], dict(row)["reason"]) == ("general", "expired")
    assert one_of(metrics, "karpenter_pods_bound_duration_seconds_sum") == 30


def test_evictions_are_counted_by_the_answers_code():
    node = a_node("n")
    evict = Evict(subject=refer(PODS, a_pod()), reason="Drain", node=refer(NODES, node))
    metrics = done(evict)
    metrics.came_of("test", evict, Answer(Outcome.BLOCKED), 5)

    assert samples(metrics, "karpenter_pods_eviction_requests_total") == {
        (("code", "201"),): 1,
        (("code", "429"),): 1,
    }
    assert samples(metrics, "karpenter_pods_drained_total") == {(("reason", "Drain"),): 1}


def test_pods_that_cannot_be_placed_are_counted_by_code_while_they_wait():
    behind, bound, invalid = a_pod("a"), a_pod("b"), a_pod("c")
    daemon = a_daemon_pod("n")
    world = a_world(behind, bound, invalid, daemon, BadPod("default/odd", "?"), a_type())
    refused = [
        a_refuse(behind),
        a_refuse(bound),
        a_refuse(invalid, "NW-1002"),
        a_refuse(daemon, "NW-1215"),
    ]
    later = a_world(
        behind, with_spec(bound, node_name="n"), invalid, daemon, BadPod("default/odd", "?")
    )
    metrics = Metrics(look=lambda: later)
    metrics.decided("provisioning", world, refused, 250)

    assert samples(metrics, "nodewright_pods_unplaced") == {
        (("code", "NW-1001"),): 1,
        (("code", "NW-1002"),): 1,
        (("code", "NW-1204"),): 1,
        (("code", "NW-1215"),): 1,
    }
    assert one_of(metrics, "karpenter_scheduler_unschedulable_pods_count") == 1
    assert one_of(metrics, "karpenter_scheduler_ignored_pods_count") == 2
    assert one_of(metrics, "karpenter_scheduler_queue_depth") == 4
    assert one_of(metrics, "karpenter_scheduler_scheduling_duration_seconds_sum") == 0.25


def test_a_verdict_that_is_confirmed_is_one_decision():
    pod = a_pod()
    metrics = Metrics()
    for _ in range(3):
        metrics.decided("provisioning", a_world(pod, a_type()), [a_refuse(pod)], 1)

    assert one_of(metrics, "nodewright_decisions_total") == 1


def test_reasons_beyond_the_bound_are_one_label():
    metrics = done(*(a_delete(f"reason-{number}") for number in range(300)))
    reasons = {
        dict(labels)["reason"]: value
        for labels, value in samples(metrics, "nodewright_decisions_total").items()
    }

    assert len(reasons) == 201
    assert reasons["other"] == 100


def test_a_real_decision_makes_a_page_that_prometheus_reads():
    waiting = [a_pod("a", cpu=1, created=ago(MINUTE_MS)), a_pod("b", cpu=99)]
    world = a_world(waiting, a_pool(limits={"cpu": 8}), a_type("small", cpu=4), a_node("n", cpu=0))
    metrics = Metrics(version="1.2")
    decisions = provision(world)
    metrics.decided("provisioning", world, decisions, 12)
    for one in decisions:
        if isinstance(one, Launch):
            metrics.came_of("provisioning", one, DONE, 3)

    # The parser leaves the ending off counters alone.
    known = {one.name for one in FAMILIES} | {one.name.removesuffix("_total") for one in COUNTERS}
    families = list(text_string_to_metric_families(metrics.page().decode()))
    assert {one.name for one in families} <= known
    assert all(one.documentation for one in families)
    assert samples(metrics, "nodewright_pods_unplaced") == {(("code", "NW-1204"),): 1}
    assert samples(metrics, "karpenter_nodepools_limit") == {
        (("nodepool", "default"), ("resource_type", "cpu")): 8
    }
    assert one_of(metrics, "karpenter_pods_scheduling_decision_duration_seconds_sum") == 60
    assert any(dict(one)["version"] == "1.2" for one in samples(metrics, "karpenter_build_info"))


def test_a_page_can_be_asked_for_before_anything_was_seen():
    assert b"karpenter_build_info" in Metrics().page()


def test_no_family_is_named_twice_and_all_have_a_prefix():
    names = [one.name for one in (*COUNTERS, *HISTOGRAMS, *SUMMARIES, *GAUGES)]

    assert len(set(names)) == len(names)
    assert all(name.startswith(PREFIXES) for name in names)
    assert all(one.name.endswith("_total") for one in COUNTERS)
