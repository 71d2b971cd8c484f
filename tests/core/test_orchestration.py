"""Commands that were begun: the next step follows from what stands on the cluster."""

import msgspec
import pytest

from builders import a_pod, a_world
from builders.lives import (
    MINUTE_MS,
    a_claim,
    a_registered_pair,
    ago,
    kinds_of,
    with_conditions,
    with_meta,
    with_spec,
    with_status,
)
from builders.world import NOW_MS
from nodewright.core.orchestration import (
    CROWDED,
    LOST,
    ORPHANED,
    TOO_LATE,
    UNBEGUN,
    drive,
    find_underway,
    running_of,
)
from nodewright.core.scheduling.hosts import join
from nodewright.core.termination import DISRUPTED
from nodewright.model.beside import Beside
from nodewright.model.command import COMMAND, Record, read_record
from nodewright.model.disruption import DRIFTED, EMPTY, UNDERUTILIZED, Memory, Method, Running

WORKS = ("Launched", "Registered", "Initialized")


def a_record(reason=DRIFTED, replacements=("new",), age_ms=MINUTE_MS):
    return Record("D-1", reason, Method.DRIFT, NOW_MS - age_ms, tuple(replacements))


def a_pair(record, *, name="node", is_marked=True):
    """A node that is part of a command, with all marks or with none but the record."""
    node, claim = a_registered_pair(name, true=WORKS)
    claim = with_meta(claim, annotations={COMMAND: record.write()})
    if is_marked:
        node = with_spec(node, taints=(DISRUPTED,))
        claim = with_conditions(claim, DisruptionReason="True")
    return node, claim


def steps(*things, begun=(), **world):
    made = a_world(*things, **world)
    memory = Memory(running=tuple(Running(one, "", ()) for one in begun))
    return list(drive(msgspec.structs.replace(made, beside=Beside(disruption=memory))))


def test_a_node_is_marked_before_anything_else():
    decisions = steps(*a_pair(a_record(), is_marked=False), a_claim("new"))

    assert kinds_of(decisions) == [("Change", "node"), ("Change", "claim-of-node")]
    assert decisions[0].change["spec"]["taints"][0]["key"] == DISRUPTED.key


def test_what_replaces_a_node_is_awaited():
    decisions = steps(*a_pair(a_record()), a_claim("new", true=("Launched",)))

    assert [one.reason for one in decisions] == ["DisruptionWaitingReadiness", "Awaited"]


def test_a_node_goes_once_its_replacement_works():
    decisions = steps(*a_pair(a_record()), a_claim("new", true=WORKS))

    assert kinds_of(decisions)[0] == ("Delete", "claim-of-node")
    assert decisions[0].reason == "drifted"
    assert [one.reason for one in decisions[1:]] == ["DisruptionTerminating"] * 2


@pytest.mark.parametrize(
    ("others", "age_ms", "reason"),
    [
        ((), MINUTE_MS, LOST),
        ((with_meta(a_claim("new"), deletion_timestamp=ago(0)),), MINUTE_MS, LOST),
        ((a_claim("new"),), 11 * MINUTE_MS, TOO_LATE),
    ],
)
def test_without_its_replacement_a_node_stays(others, age_ms, reason):
    decisions = steps(*a_pair(a_record(age_ms=age_ms)), *others)

    assert kinds_of(decisions) == [("Change", "node")]
    assert decisions[0].reason == reason
    assert decisions[0].change == {"spec": {"taints": []}}


def test_a_node_is_undone_step_by_step_and_its_record_goes_last():
    record = a_record()
    node, claim = a_pair(record, is_marked=False)
    (cleared,) = steps(node, with_conditions(claim, DisruptionReason="True"))
    (last,) = steps(node, claim)

    kinds = [one["type"] for one in cleared.change["status"]["conditions"]]
    assert "DisruptionReason" not in kinds
    assert "Initialized" in kinds
    assert last.change == {"metadata": {"annotations": {COMMAND: None}}}


def test_a_command_that_is_being_begun_is_left_alone():
    assert steps(*a_pair(a_record()), begun=("D-1",)) == []


def test_a_command_that_could_not_be_begun_is_undone_at_once():
    made = a_world(*a_pair(a_record()), a_claim("new", true=WORKS))
    memory = Memory(running=(Running("D-1", UNBEGUN, ()),))
    (decision,) = drive(msgspec.structs.replace(made, beside=Beside(disruption=memory)))

    assert (decision.reason, decision.subject.name) == (UNBEGUN, "node")


@pytest.mark.parametrize("reason", [EMPTY, UNDERUTILIZED])
def test_pods_that_came_after_it_was_decided_keep_their_node(reason):
    late = with_status(a_pod("late", node="node"), start_time=ago(1_000))
    (decision,) = steps(*a_pair(a_record(reason, ())), late)

    assert decision.reason == CROWDED


def test_a_node_with_marks_and_no_command_gets_rid_of_them():
    node, claim = a_pair(a_record())
    (decision,) = steps(node, with_meta(claim, annotations={}))

    assert (decision.reason, decision.subject.name) == (ORPHANED, "node")


def test_nodes_that_go_already_need_nothing():
    node, claim = a_pair(a_record())

    assert steps(node, with_meta(claim, deletion_timestamp=ago(0))) == []


def test_a_command_is_read_off_its_claims():
    record = a_record()
    world = a_world(*a_pair(record), *a_pair(record, name="other"))
    underway = find_underway(join(world))

    assert underway["D-1"].running == record.running(("node", "other"))
    unseen = Running("D-2", EMPTY, ("third",))
    assert [one.id for one in running_of(join(world), (unseen,))] == ["D-1", "D-2"]


def test_a_record_that_nobody_can_read_is_none():
    claim = with_meta(a_claim("c"), annotations={COMMAND: "{]"})

    assert read_record(claim) is None
