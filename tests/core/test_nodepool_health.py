"""Registration health: the last four launches of a pool as it is now."""

import pytest

from builders import a_pool
from builders.lives import with_meta, with_status
from nodewright.core.nodepool_health import HEALTHY, judge_health, outcomes_of
from nodewright.model.beside import Outcomes
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.metadata import Condition, ObjectMeta

POOL = with_meta(a_pool(), uid="u", generation=3)


def after(*launches):
    outcomes = Outcomes("u", 3)
    for registered in launches:
        outcomes = outcomes.add(registered=registered)
    return judge_health(outcomes).status


@pytest.mark.parametrize(
    ("launches", "status"),
    [
        ((), "Unknown"),
        ((True,), "True"),
        ((False,), "True"),
        ((False, False), "False"),
        ((False, False, True, True), "False"),
        ((False, False, True, True, True), "True"),
    ],
)
def test_two_failures_of_the_last_four_are_unhealthy(launches, status):
    assert after(*launches) == status


def stored(status, generation=3):
    condition = Condition(type=HEALTHY, status=status, observed_generation=generation)
    return with_status(POOL, conditions=(condition,))


def test_after_a_restart_the_stored_condition_stands_for_the_past():
    assert outcomes_of(stored("True"), None).latest == (True,)
    assert outcomes_of(stored("False"), None).latest == (False, False)
    assert outcomes_of(stored("Unknown"), None).latest == ()
    assert outcomes_of(stored("False", generation=2), None).latest == ()


def test_a_changed_pool_begins_anew():
    known = Outcomes("u", 2, (False, False))

    assert outcomes_of(stored("False"), known) == Outcomes("u", 3)
    assert outcomes_of(POOL, Outcomes("other", 3, (False,))).latest == ()


def test_a_changed_class_begins_anew():
    node_class = EC2NodeClass(metadata=ObjectMeta(name="default", generation=2))
    bad = Outcomes("u", 3, (False, False), class_generation=1)

    assert outcomes_of(POOL, bad, node_class).latest == ()
    assert outcomes_of(stored("False"), None, node_class).latest == ()
    seen = with_status(stored("False"), node_class_observed_generation=2)
    assert outcomes_of(seen, None, node_class).latest == (False, False)


def test_what_is_remembered_is_kept_while_the_pool_stays_the_same():
    known = Outcomes("u", 3, (True, False))

    assert outcomes_of(POOL, known) is known
