"""Candidates: who is not asked, and what pods say against their node's going."""

import pytest
from msgspec.structs import replace

from builders import NOW_MS, a_node, a_pod
from builders.fleet import HOUR_MS, a_fleet_node, a_guard, decided, gone, on
from nodewright.model.disruption import Memory
from nodewright.model.instant import print_instant
from nodewright.model.labels import DO_NOT_DISRUPT
from nodewright.model.metadata import OwnerReference

PROTECTED = {DO_NOT_DISRUPT: "true"}


def code(answer, name="n"):
    return answer.kept[name].code if name in answer.kept else None


def started(pod, age_ms):
    return replace(pod, status=replace(pod.status, start_time=print_instant(NOW_MS - age_ms)))


@pytest.mark.parametrize(
    ("node", "wanted"),
    [
        (a_node("n"), "NW-4001"),
        (a_fleet_node("n", initialized=False), "NW-4003"),
        (a_fleet_node("n", deleted="2026-09-21T00:00:00Z"), "NW-4004"),
        (a_fleet_node("n", annotations=PROTECTED), "NW-4007"),
        (a_fleet_node("n", annotations={DO_NOT_DISRUPT: "30m"}), None),
        (a_fleet_node("n", pool="other"), "NW-4010"),
    ],
)
def test_the_first_check_that_fails_is_the_answer(node, wanted):
    assert code(decided(node)) == wanted


def test_a_nominated_node_is_left_alone_until_the_promise_is_over():
    memory = Memory(nominated={"n": NOW_MS + 20_000})
    kept = decided(a_fleet_node("n"), memory=memory).kept["n"]

    assert (kept.code, kept.until_ms) == ("NW-4006", NOW_MS + 20_000)


@pytest.mark.parametrize("owner", [("DaemonSet", "agent"), ("ReplicaSet", "web")])
def test_a_protected_pod_keeps_its_node_even_a_daemon(owner):
    node = a_fleet_node("n")
    answer = decided(node, a_pod("p", node="n", annotations=PROTECTED, owner=owner))

    assert code(answer) == "NW-4008"
    assert answer.kept["n"].blockers == ("default/p",)


@pytest.mark.parametrize(
    ("age_ms", "wanted"), [(30 * 60_000 - 1000, "NW-4008"), (30 * 60_000, None)]
)
def test_a_duration_protects_until_it_is_over(age_ms, wanted):
    daemon = a_pod("p", node="n", annotations={DO_NOT_DISRUPT: "30m"}, owner=("DaemonSet", "agent"))

    assert code(decided(a_fleet_node("n"), started(daemon, age_ms))) == wanted


@pytest.mark.parametrize("text", ["1d", "false", "-5m", ""])
def test_what_is_no_duration_protects_nothing(text):
    daemon = a_pod("p", node="n", annotations={DO_NOT_DISRUPT: text}, owner=("DaemonSet", "agent"))

    assert code(decided(a_fleet_node("n"), daemon)) is None


def test_pods_that_end_or_have_ended_block_nothing():
    over = a_pod("a", node="n", annotations=PROTECTED, phase="Succeeded")
    going = a_pod("b", node="n", annotations=PROTECTED, deleted="2026-09-21T00:00:00Z")

    assert gone(decided(a_fleet_node("n"), over, going)) == {"n"}


def test_a_budget_without_disruptions_left_keeps_the_node_and_is_named():
    node, other = a_fleet_node("n"), a_fleet_node("o")
    answer = decided(node, other, on(node, "100m", app="web"), a_guard("web", 0))

    assert code(answer) == "NW-4009"
    assert answer.kept["n"].blockers == ("default/web-n-0", "pdb/default/web")


def test_two_budgets_for_one_pod_block_always():
    node, other = a_fleet_node("n"), a_fleet_node("o", 8)
    things = (node, other, on(node, "100m", app="web"), on(other, "4", app="x"))

    assert code(decided(*things, a_guard("one", 3), a_guard("two", 3))) == "NW-4009"
    assert gone(decided(*things, a_guard("one", 3))) == {"n"}


def test_a_terminating_pod_counts_only_where_a_stateful_set_waits_for_it():
    node = a_fleet_node("n")
    pod = a_pod("p", node="n", cpu="1", deleted="2026-09-21T00:00:00Z")
    owned = OwnerReference(kind="StatefulSet", name="db")
    stateful = replace(pod, metadata=replace(pod.metadata, owner_references=(owned,)))

    assert decided(node, pod).commands[0].reason == "Empty"
    assert "Empty" not in {one.reason for one in decided(node, stateful).commands}


def test_quiet_is_counted_from_the_last_pod_event():
    from builders.fleet import a_fleet_pool

    pool = a_fleet_pool(after="5m")
    busy = a_fleet_node("busy", quiet_ms=4 * 60_000)
    calm = a_fleet_node("calm", quiet_ms=HOUR_MS)
    answer = decided(pool, busy, calm)

    assert gone(answer) == {"calm"}
    assert answer.kept["busy"].until_ms == NOW_MS + 60_000
