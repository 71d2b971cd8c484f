"""What an answer of the cloud to a launch does to the claim."""

import msgspec

from builders import NOW_MS, a_type, an_offering, want
from builders.lives import a_claim, kinds_of, with_meta, with_status
from nodewright.core.lifecycle_launch import (
    LaunchedMachine,
    choose_types,
    give_up_launch,
    label_claim,
    note_launch,
    retry_launch,
)
from nodewright.model.labels import ZONE
from nodewright.model.metadata import Condition
from nodewright.model.requirements import Requirements


def test_labels_of_the_machine_fill_in_and_never_replace():
    claim = with_meta(a_claim(), labels={"zone": "mine"})
    change = label_claim(claim, LaunchedMachine("id", labels={"zone": "theirs", "type": "m"}))

    assert change.change == {"metadata": {"labels": {"type": "m"}}}


def test_a_machine_without_new_labels_changes_no_label():
    assert label_claim(a_claim(), LaunchedMachine("id")) is None


def test_a_launch_writes_down_the_machine_and_what_it_has():
    machine = LaunchedMachine("id", "image", {}, {"cpu": 4000}, {"cpu": 3900})
    status = note_launch(a_claim(), machine, NOW_MS).change["status"]

    assert (status["providerID"], status["imageID"]) == ("id", "image")
    assert (status["capacity"], status["allocatable"]) == ({"cpu": "4"}, {"cpu": "3900m"})


def test_no_capacity_is_told_and_the_claim_goes_at_once():
    steps = list(give_up_launch(a_claim("c"), "insufficient_capacity", "sold out"))

    assert kinds_of(steps) == [("Tell", "c"), ("Delete", "c")]
    assert steps[0].reason == "InsufficientCapacityError"


def test_a_class_that_is_not_ready_ends_the_claim_without_an_event():
    steps = list(give_up_launch(a_claim("c"), "nodeclass_not_ready", "no subnets"))

    assert kinds_of(steps) == [("Delete", "c")]


def test_a_launch_that_is_tried_again_says_why_once():
    claim = a_claim()
    (step,) = retry_launch(claim, "RequestLimitExceeded", "slow down", NOW_MS)
    said = msgspec.convert(step.change["status"]["conditions"], tuple[Condition, ...])
    told = with_status(claim, conditions=said)

    launched = next(one for one in said if one.type == "Launched")
    assert (launched.status, launched.reason) == ("Unknown", "RequestLimitExceeded")
    assert list(retry_launch(told, "RequestLimitExceeded", "slow down", NOW_MS)) == []


def test_a_claim_that_names_no_types_may_be_any_on_sale_that_meets_it():
    small, large = a_type("small", cpu=2, zones=("zone-a",)), a_type("large", cpu=8)
    gone = a_type("gone", cpu=2, offerings=[an_offering(available=False)])
    zone = Requirements.from_expressions([want(ZONE, "In", "zone-b")])

    assert choose_types(Requirements(), (small, large, gone)) == ("large", "small")
    assert choose_types(zone, (small, large, gone)) == ("large",)
