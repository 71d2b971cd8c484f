"""Machines that end before they are nodes."""

import msgspec
import pytest

from builders import NOW_MS, a_world
from builders.lives import a_claim, a_registered_pair, kinds_of, with_meta, with_spec
from nodewright.core.lifecycle import ENDED_MS, decide_lives
from nodewright.core.lifecycle_conditions import LAUNCHED, REGISTERED
from nodewright.core.perished import LOOK_AFTER_MS, is_launched_only, judge_perished
from nodewright.model.beside import Beside
from nodewright.model.cloudview import EndedMachine
from nodewright.model.instant import print_instant
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.metadata import Condition
from nodewright.model.nodeclaim import NodeClaimStatus
from nodewright.model.nodepool import NodeClassRef

MACHINE = "aws:///us-west-2a/i-1"
WHY = "Client.InvalidKMSKey.InvalidState: the key is disabled"


def a_condition(kind, status, age_ms, reason="", message=""):
    return Condition(
        type=kind,
        status=status,
        reason=reason or kind,
        message=message,
        last_transition_time=print_instant(NOW_MS - age_ms),
    )


def a_launched_claim(age_ms=LOOK_AFTER_MS, *more):
    reference = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")
    own = with_spec(a_claim("c"), node_class_ref=reference)
    claim = with_meta(own, finalizers=(TERMINATION_FINALIZER,))
    conditions = (a_condition(LAUNCHED, "True", age_ms), *more)
    status = NodeClaimStatus(provider_id=MACHINE, conditions=conditions)
    return msgspec.structs.replace(claim, status=status)


def judged(claim, *ended):
    beside = Beside(ended=ended or (EndedMachine(MACHINE, WHY),))
    return list(judge_perished(msgspec.structs.replace(a_world(claim), beside=beside)))


def test_the_claim_says_that_its_machine_ended_and_why():
    told, written = judged(a_launched_claim())
    conditions = {one["type"]: one for one in written.change["status"]["conditions"]}

    assert kinds_of([told, written]) == [("Tell", "c"), ("Change", "c")]
    assert told.is_warning
    assert conditions[REGISTERED]["status"] == "False"
    assert conditions[REGISTERED]["reason"] == told.reason == "InstanceTerminated"
    assert conditions[REGISTERED]["message"] == told.note
    assert told.note == f"the machine i-1 ended before it became a node: {WHY}"


def test_a_cloud_that_gives_no_reason_is_quoted_as_such():
    told, _ = judged(a_launched_claim(), EndedMachine(MACHINE))

    assert "does not say why" in told.note


@pytest.mark.parametrize(
    "claim",
    [
        a_launched_claim(LOOK_AFTER_MS - 1),
        a_registered_pair("n")[1],
        a_claim("unlaunched"),
        with_meta(a_launched_claim(), deletion_timestamp=print_instant(NOW_MS)),
    ],
)
def test_claims_that_do_not_wait_for_their_node_are_left_alone(claim):
    assert judged(claim, EndedMachine(claim.status.provider_id, WHY)) == []


def test_other_machines_are_not_mixed_up():
    assert judged(a_launched_claim(), EndedMachine("aws:///us-west-2a/i-2", WHY)) == []


@pytest.mark.parametrize(("age_ms", "goes"), [(ENDED_MS - 1, False), (ENDED_MS, True)])
def test_the_claim_stays_for_a_moment_and_then_goes(age_ms, goes):
    ended = a_condition(REGISTERED, "False", age_ms, "InstanceTerminated", WHY)
    claim = a_launched_claim(ENDED_MS, ended)
    steps = list(decide_lives(a_world(claim)))

    assert not is_launched_only(claim)
    assert kinds_of(steps) == ([("Tell", "c"), ("Delete", "c")] if goes else [])
    assert all(WHY in one.note for one in steps)
