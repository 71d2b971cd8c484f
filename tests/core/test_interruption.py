"""What is done about what the cloud says of machines."""

import pytest

from builders import a_world
from builders.lives import a_registered_pair, ago, kinds_of, with_meta
from nodewright.core.interruption import heed, is_settled
from nodewright.model.cloudview import CloudNotice

_, CLAIM = a_registered_pair("n")


def a_notice(kind="spot_interrupted", machines=("fake:///n",), **detail):
    return CloudNotice("receipt", kind, machines, detail)


def done(notice, *claims):
    return kinds_of(heed(a_world(*claims), [notice]))


@pytest.mark.parametrize(
    "notice",
    [
        a_notice(),
        a_notice("scheduled_change", ("foreign", "fake:///n")),
        a_notice("instance_state", state="shutting-down"),
        a_notice("instance_state", state="STOPPING"),
    ],
)
def test_a_machine_that_will_not_stay_takes_its_claim_along(notice):
    assert done(notice, CLAIM) == [("Tell", "claim-of-n"), ("Delete", "claim-of-n")]
    assert not is_settled(a_world(CLAIM), notice)


@pytest.mark.parametrize(
    "notice",
    [a_notice("instance_state", state="running"), a_notice("news"), a_notice(machines=("other",))],
)
def test_what_does_not_concern_us_is_settled_at_once(notice):
    assert done(notice, CLAIM) == []
    assert is_settled(a_world(CLAIM), notice)


def test_a_rebalance_recommendation_is_only_told():
    notice = a_notice("rebalance_recommendation")

    assert done(notice, CLAIM) == [("Tell", "claim-of-n")]
    assert is_settled(a_world(CLAIM), notice)


def test_a_claim_that_goes_already_settles_the_notice():
    going = with_meta(CLAIM, deletion_timestamp=ago(0))

    assert done(a_notice(), going) == []
    assert is_settled(a_world(going), a_notice())
