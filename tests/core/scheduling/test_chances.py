"""Second chances: who lost a race is served first in the next one, and it ends."""

import pytest

from builders import a_pod, a_spread, a_term, a_type, pods
from builders.solving import plan_of, zones_of
from nodewright.core.scheduling.chances import find_losers, give_chances
from nodewright.model.labels import ZONE
from nodewright.model.plan import Plan, PoolRefusal, Unplaced
from nodewright.model.reason import Reason

WEB = {"app": "web"}


def left(*names, reason=Reason.LIMIT_REACHED):
    return Plan(unschedulable={name: Unplaced(reason.sentence, reason.code) for name in names})


@pytest.mark.parametrize(
    ("reason", "lost"),
    [
        (Reason.LIMIT_REACHED, True),
        (Reason.RESERVATION_TAKEN, True),
        (Reason.SPREAD, True),
        (Reason.AFFINITY, True),
        (Reason.ANTI_AFFINITY, True),
        (Reason.KEPT_AWAY, True),
        (Reason.NO_TYPE_FITS, False),
        (Reason.LABEL_UNDEFINED, False),
    ],
)
def test_a_pod_that_fits_nowhere_lost_no_race(reason, lost):
    assert find_losers(left("a", reason=reason)) == ({"a"} if lost else set())


def test_one_pool_that_would_have_done_makes_it_a_race():
    pool = PoolRefusal("second", Reason.LIMIT_REACHED.code, "full")
    one = Unplaced("too large", Reason.NO_TYPE_FITS.code, False, (pool,))
    assert find_losers(Plan(unschedulable={"a": one})) == {"a"}


def test_every_round_serves_all_losers_so_far_first():
    fronts = []
    answers = iter([[left("b"), left("b", "c")], [left()]])

    def fill(front):
        fronts.append(sorted(front))
        return next(answers)

    assert len(give_chances(left("a"), fill, 5)) == 3
    assert fronts == [["a"], ["a", "b"]]


def test_it_ends_when_nobody_new_complains_and_after_the_rounds_that_there_are():
    assert len(give_chances(left("a"), lambda _: [left("a")], 5)) == 1
    many = iter("bcdefgh")
    assert len(give_chances(left("a"), lambda _: [left(next(many))], 3)) == 3
    assert give_chances(left(), lambda _: [left()], 3) == []


def test_a_pod_that_the_field_places_is_not_given_up_for_more_others():
    # The large pod needs a zone to itself. With a zone less, the small ones cannot spread.
    lonely = a_pod("lonely", cpu=3, labels=WEB, apart=[a_term(ZONE)])
    others = pods(4, "web", cpu=1, labels=WEB, spread=[a_spread(min_domains=3)])
    plan = plan_of(lonely, *others, a_type(cpu=3))
    assert lonely.key not in plan.unschedulable


def test_a_pod_that_a_planned_node_keeps_waiting_is_placed_in_the_same_pass():
    friend = a_pod("web", cpu=3, labels=WEB)
    followers = pods(2, "db", cpu=1, labels={"app": "db"}, near=[a_term(ZONE)])
    plan = plan_of(friend, *followers, a_type(cpu=3))
    assert plan.unschedulable == {}
    assert len(set(zones_of(plan))) == 1
