"""What is done about what the cloud says of machines."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import NOW_MS, a_world
from builders.lives import a_claim, a_registered_pair, ago, kinds_of, with_meta
from nodewright.core.interruption import (
    IMPAIRED_MS,
    MEANINGS,
    decide_interruptions,
    heed,
    kind_of,
    unsettled,
)
from nodewright.core.termination_drain import DEADLINE
from nodewright.model.beside import Beside
from nodewright.model.cloudview import CloudNotice
from nodewright.model.decision import Change, Delete
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodepolicy import NodePolicy, NodePoolSelector, Pause

NODE, CLAIM = a_registered_pair("n")
TOLD = [("Tell", "claim-of-n"), ("Tell", "claim-of-n"), ("Delete", "claim-of-n")]


def a_notice(kind="spot_interrupted", machines=("n",), claims=(), **detail):
    return CloudNotice("receipt", kind, machines, detail, claims)


def a_failing_check(since_ms, kind="instance_status"):
    return a_notice(kind, since=str(NOW_MS - since_ms), asked=str(NOW_MS))


def a_policy(rebalance, name="p", **spec):
    found = NodePolicy(ObjectMeta(name=name))
    return msgspec.structs.replace(
        found, spec=msgspec.structs.replace(found.spec, rebalance=rebalance, **spec)
    )


def done(notice, *things):
    return kinds_of(heed(a_world(*things), [notice]))


def is_settled(notice, *things):
    return unsettled(a_world(*things), [notice]) == ()


@pytest.mark.parametrize(
    "notice",
    [
        a_notice(),
        a_notice("capacity_reservation_interrupted"),
        a_notice("scheduled_change", ("foreign", "n")),
        a_notice("event_status", code="instance-retirement"),
        a_notice("instance_state", state="shutting-down"),
        a_notice("instance_state", state="terminated"),
        a_notice("instance_state", state="STOPPING"),
        a_notice("instance_state", state="stopped"),
    ],
)
def test_a_machine_that_will_not_stay_takes_its_claim_along(notice):
    assert done(notice, CLAIM) == TOLD
    assert not is_settled(notice, CLAIM)


@pytest.mark.parametrize(
    "notice",
    [
        a_notice("instance_state", state="running"),
        a_notice("instance_state", state="pending"),
        a_notice("instance_state"),
        a_notice("news"),
        a_notice(""),
        a_notice(machines=("other",)),
        a_notice(machines=()),
    ],
)
def test_what_does_not_concern_us_is_settled_at_once(notice):
    assert done(notice, CLAIM) == []
    assert is_settled(notice, CLAIM)


def test_a_node_is_told_what_its_claim_is():
    found = list(heed(a_world(CLAIM, NODE), [a_notice()]))

    assert [(one.subject.resource.kind, one.reason) for one in found] == [
        ("NodeClaim", "SpotInterrupted"),
        ("Node", "SpotInterrupted"),
        ("NodeClaim", "TerminatingOnInterruption"),
        ("Node", "TerminatingOnInterruption"),
        ("NodeClaim", "spot_interrupted"),
    ]


def test_a_claim_whose_machine_is_not_written_down_yet_is_found_by_its_name():
    young = a_claim("young")
    notice = a_notice(machines=("i-1",), claims=("young",))

    assert done(notice, young)[-1] == ("Delete", "young")
    assert not is_settled(notice, young)


def test_the_name_of_a_claim_with_another_machine_counts_for_nothing():
    assert done(a_notice(machines=("i-1",), claims=("claim-of-n",)), CLAIM) == []


def test_a_claim_that_goes_already_settles_the_notice():
    going = with_meta(CLAIM, deletion_timestamp=ago(0))

    assert done(a_notice(), going) == []
    assert is_settled(a_notice(), going)


def test_a_rebalance_recommendation_is_only_told():
    notice = a_notice("rebalance_recommendation")

    assert done(notice, CLAIM) == [("Tell", "claim-of-n")]
    assert is_settled(notice, CLAIM)


@pytest.mark.parametrize(
    ("policies", "acts"),
    [
        ([a_policy("Replace")], True),
        ([a_policy("Ignore")], False),
        ([a_policy(None)], False),
        ([a_policy("Replace"), a_policy("Ignore", "q")], False),
        ([a_policy("Replace"), a_policy(None, "q")], True),
        ([a_policy("Replace", node_pools=NodePoolSelector(names=("others",)))], False),
        ([a_policy("Replace", pause=Pause(until=ago(-60_000), reason="no"))], False),
        ([a_policy("Replace", pause=Pause(until=ago(60_000), reason="over"))], True),
    ],
)
def test_a_node_at_risk_is_replaced_only_where_a_policy_says_so(policies, acts):
    notice = a_notice("rebalance_recommendation")

    assert done(notice, CLAIM, *policies) == (TOLD if acts else TOLD[:1])
    assert is_settled(notice, CLAIM, *policies) is not acts


@pytest.mark.parametrize("kind", ["instance_status", "system_status"])
def test_a_machine_that_fails_its_checks_is_not_waited_for(kind):
    notice = a_failing_check(IMPAIRED_MS, kind)
    [*_, first] = heed(a_world(CLAIM), [notice])
    hurried = with_meta(CLAIM, annotations={DEADLINE: ago(0)})
    [*_, second] = heed(a_world(hurried), [notice])

    assert isinstance(first, Change)
    assert first.change == {"metadata": {"annotations": {DEADLINE: ago(0)}}}
    assert isinstance(second, Delete)
    assert second.reason == kind


def test_a_check_that_fails_for_a_moment_changes_nothing():
    notice = a_failing_check(IMPAIRED_MS - 1)

    assert done(notice, CLAIM) == []
    assert is_settled(notice, CLAIM)


def test_time_that_passes_after_the_cloud_was_asked_makes_nothing_worse():
    notice = a_notice("instance_status", since=str(NOW_MS - IMPAIRED_MS), asked=str(NOW_MS - 1))

    assert done(notice, CLAIM) == []


NOTICES = st.builds(
    a_notice,
    st.sampled_from([*MEANINGS, "instance_state", "", "news"]),
    st.lists(st.sampled_from(["a", "b", "foreign"]), max_size=3).map(tuple),
    state=st.sampled_from(["running", "stopping", "Terminated", ""]),
    since=st.sampled_from([str(NOW_MS), str(NOW_MS - IMPAIRED_MS), "soon"]),
    asked=st.just(str(NOW_MS)),
)


@given(st.lists(NOTICES, max_size=6), st.data())
def test_order_and_repetition_change_nothing(notices, data):
    pairs = [a_registered_pair(name)[1] for name in "ab"]
    world = a_world(*pairs)
    again = data.draw(st.permutations([*notices, *notices]))

    assert list(heed(world, notices)) == list(heed(world, again))


@given(st.lists(NOTICES, max_size=6))
def test_a_notice_is_unsettled_exactly_while_it_ends_a_claim(notices):
    pairs = [a_registered_pair(name)[1] for name in "ab"]
    world = a_world(*pairs)
    ended = {one.subject.name for one in heed(world, notices) if isinstance(one, Delete | Change)}
    left = unsettled(world, notices)
    named = {f"claim-of-{name}" for one in left for name in one.machines if name != "foreign"}

    assert ended == named


@pytest.mark.parametrize(
    ("state", "kind"), [("Stopped", "instance_stopped"), ("running", ""), ("", "")]
)
def test_a_change_of_state_counts_by_the_state(state, kind):
    assert kind_of(a_notice("instance_state", state=state)) == kind


def test_what_is_decided_follows_from_the_world_alone():
    world = msgspec.structs.replace(a_world(CLAIM), beside=Beside(notices=(a_notice(),)))

    assert kinds_of(decide_interruptions(world)) == TOLD
