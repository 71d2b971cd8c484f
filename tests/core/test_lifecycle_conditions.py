"""Conditions: times are kept, Ready follows, and stands last."""

from builders import NOW_MS
from builders.lives import MINUTE_MS, a_claim, ago, with_conditions
from nodewright.core.lifecycle_conditions import (
    CLAIM_PARTS,
    FALSE,
    LAUNCHED,
    MESSAGE_MAX,
    REGISTERED,
    UNKNOWN,
    Finding,
    conditions_after,
    says,
)
from nodewright.model.instant import print_instant


def after(claim, *findings):
    return {one["type"]: one for one in conditions_after(claim, findings, CLAIM_PARTS, NOW_MS)}


def test_missing_parts_are_unknown_since_the_object_was_made():
    written = after(a_claim(age_ms=MINUTE_MS), Finding(LAUNCHED))

    assert written["Registered"]["status"] == UNKNOWN
    assert written["Registered"]["reason"] == "AwaitingReconciliation"
    assert written["Registered"]["lastTransitionTime"] == ago(MINUTE_MS)
    assert written["Launched"]["lastTransitionTime"] == print_instant(NOW_MS)


def test_a_status_that_stays_keeps_its_time():
    claim = with_conditions(a_claim(), since=ago(5 * MINUTE_MS), Registered="Unknown")

    written = after(claim, Finding(REGISTERED, UNKNOWN, "NodeNotFound"))

    assert written["Registered"]["lastTransitionTime"] == ago(5 * MINUTE_MS)
    assert written["Registered"]["reason"] == "NodeNotFound"


def test_ready_follows_its_parts():
    claim = a_claim(true=("Launched", "Registered"))

    assert after(claim)["Ready"]["status"] == UNKNOWN
    assert after(claim, Finding("Initialized"))["Ready"]["status"] == "True"
    broken = after(claim, Finding(REGISTERED, FALSE, "MultipleNodesFound"))["Ready"]
    assert (broken["status"], broken["reason"]) == (FALSE, "UnhealthyDependents")


def test_ready_stands_last_and_every_field_is_written():
    written = conditions_after(a_claim(), [Finding(LAUNCHED)], CLAIM_PARTS, NOW_MS)

    assert written[-1]["type"] == "Ready"
    assert all(one["observedGeneration"] == 1 and "message" in one for one in written)


def test_a_long_message_is_cut_and_still_counts_as_said():
    long = Finding(LAUNCHED, UNKNOWN, "LaunchFailed", "x" * 1000)
    message = after(a_claim(), long)["Launched"]["message"]

    assert len(message) == MESSAGE_MAX + 3
    assert message.endswith("...")
    assert not says(a_claim(), long)
