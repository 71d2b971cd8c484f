"""The life of a claim: one next step at each moment, and an end to waiting."""

import msgspec
import pytest

from builders import a_node, a_taint, a_world
from builders.lives import (
    MINUTE_MS,
    a_claim,
    a_new_node,
    a_registered_pair,
    ago,
    kinds_of,
    with_conditions,
    with_meta,
    with_spec,
    with_status,
)
from nodewright.core.lifecycle import decide_lives, initialization_timeouts
from nodewright.model.labels import REGISTERED, TERMINATION_FINALIZER
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.nodepolicy import NodePolicy, NodePolicySpec, NodePoolSelector


def steps(*things, policies=()):
    world = msgspec.structs.replace(a_world(*things), node_policies=tuple(policies))
    return list(decide_lives(world))


def a_policy(timeout="10m", **selector):
    spec = NodePolicySpec(initialization_timeout=timeout, node_pools=NodePoolSelector(**selector))
    return NodePolicy(metadata=ObjectMeta(name="policy"), spec=spec)


def condition_of(step, kind):
    return next(one for one in step.change["status"]["conditions"] if one["type"] == kind)


def test_the_finalizer_comes_before_anything_is_launched():
    (step,) = steps(with_meta(a_claim(), finalizers=("other",)))

    assert step.change == {"metadata": {"finalizers": ["other", TERMINATION_FINALIZER]}}


def test_a_new_claim_is_launched():
    assert kinds_of(steps(a_claim("c"))) == [("Start", "c")]


def test_a_claim_that_goes_away_or_works_is_left_alone():
    working = a_claim("w", true=("Launched", "Registered", "Initialized"))

    assert steps(a_claim(deleted="2026-01-01T00:00:00Z"), working) == []


@pytest.mark.parametrize(
    ("true", "age_ms", "reason"),
    [
        ((), 5 * MINUTE_MS, "launch_timeout"),
        (("Launched",), 15 * MINUTE_MS, "registration_timeout"),
    ],
)
def test_what_takes_too_long_is_given_up(true, age_ms, reason):
    told, step = steps(a_claim(true=true, age_ms=age_ms))
    (before,) = steps(a_claim(true=true, age_ms=age_ms - 1))

    assert (step.kind, step.reason) == ("Delete", reason)
    assert (told.kind, told.note, told.is_warning) == ("Tell", step.note, True)
    assert before.kind != "Delete"


def test_a_launched_claim_without_a_node_says_so_once():
    claim = a_claim(true=("Launched",))
    (step,) = steps(claim)
    said = msgspec.convert(step.change["status"]["conditions"], tuple[Condition, ...])

    assert condition_of(step, "Registered")["reason"] == "NodeNotFound"
    assert steps(with_status(claim, conditions=said)) == []


def test_two_nodes_with_one_machine_are_an_error():
    claim = a_claim(true=("Launched",))
    (step,) = steps(claim, a_new_node(claim, name="a"), a_new_node(claim, name="b"))

    assert condition_of(step, "Registered")["reason"] == "MultipleNodesFound"
    assert condition_of(step, "Ready")["status"] == "False"


def test_a_new_node_is_registered_at_the_version_that_was_looked_at():
    claim = a_claim(true=("Launched",))
    (step,) = steps(claim, a_new_node(claim, name="n"))

    assert (step.kind, step.subject.name, step.if_version) == ("Change", "n", "3")
    assert step.change["metadata"]["labels"][REGISTERED] == "true"


def test_a_node_without_the_unregistered_taint_is_registered_with_a_warning():
    claim = a_claim("c", true=("Launched",))
    node = with_spec(a_new_node(claim, name="n"), taints=())

    assert kinds_of(steps(claim, node)) == [("Tell", "c"), ("Change", "n")]


def test_a_node_that_is_going_away_is_not_registered():
    claim = a_claim(true=("Launched",))

    assert steps(claim, with_meta(a_new_node(claim), deletion_timestamp=ago(0))) == []


def test_a_registered_node_makes_the_claim_registered():
    node, claim = a_registered_pair("n", true=("Launched",))
    (step,) = steps(node, claim)

    assert step.change["status"]["nodeName"] == "n"
    assert condition_of(step, "Registered")["status"] == "True"


def test_a_ready_node_is_marked_before_the_claim_is():
    node, claim = a_registered_pair("n")

    assert kinds_of(steps(node, claim)) == [("Change", "n")]


def test_a_marked_node_makes_the_claim_initialized_and_ready():
    node, claim = a_registered_pair("n", true=("Launched", "Registered", "Initialized"))
    claim = with_conditions(claim, Initialized="Unknown")
    (step,) = steps(node, claim)

    assert condition_of(step, "Initialized")["status"] == "True"
    assert condition_of(step, "Ready")["status"] == "True"


def test_a_node_that_never_gets_ready_stays_unless_a_policy_says_otherwise():
    node, claim = a_registered_pair("n", taints=(a_taint("slow"),))
    claim = with_spec(
        with_conditions(claim, since=ago(20 * MINUTE_MS), Registered="True"),
        startup_taints=(a_taint("slow"),),
    )
    (waiting,) = steps(node, claim)
    told, given_up = steps(node, claim, policies=[a_policy("20m")])

    assert condition_of(waiting, "Initialized")["reason"] == "StartupTaintsExist"
    assert (given_up.kind, given_up.reason) == ("Delete", "initialization_timeout")
    assert "slow" in given_up.note
    assert (told.reason, told.note) == ("InitializationTimeout", given_up.note)


def test_a_launch_that_is_given_up_says_what_the_cloud_said_last():
    said = Condition(type="Launched", status="Unknown", reason="Denied", message="not for you")
    claim = with_status(a_claim(age_ms=5 * MINUTE_MS), conditions=(said,))
    _, given_up = steps(claim)

    assert given_up.note.endswith("within 5 minutes: not for you")


def test_the_shortest_time_out_of_the_policies_that_select_a_pool_counts():
    world = msgspec.structs.replace(
        a_world(a_node()),
        node_policies=(
            a_policy("20m"),
            a_policy("10m", names=("default",)),
            a_policy("1m", names=("other",)),
            a_policy("2m", match_labels={"team": "a"}),
        ),
    )

    assert initialization_timeouts(world) == {"default": 10 * MINUTE_MS}
