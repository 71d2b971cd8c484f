"""What driving pods out costs."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from builders import NOW_MS, a_pod
from builders.lives import MINUTE_MS, a_claim, with_spec
from nodewright.core.moving_cost import (
    DELETION_COST,
    eviction_cost,
    lifetime_left,
    moves,
    moving_cost,
)


def costing(text, priority=0):
    return with_spec(a_pod(annotations={DELETION_COST: text}), priority=priority)


def test_an_ordinary_pod_costs_one():
    assert eviction_cost(a_pod()) == 1


def test_priority_and_its_own_word_make_a_pod_dearer_or_cheaper():
    assert eviction_cost(costing(str(1 << 27))) == 2
    assert eviction_cost(costing("0", 1 << 25)) == 2
    assert eviction_cost(costing(str(-(1 << 27)))) == 0
    assert eviction_cost(costing("0", 2_000_000_000)) == 10


def test_a_word_that_is_no_number_counts_for_nothing():
    for text in ("much", "nan", "inf", ""):
        assert eviction_cost(costing(text)) == 1


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**31), 2**31 - 1))
def test_a_cost_never_leaves_its_bounds(word, priority):
    assert -10 <= eviction_cost(costing(repr(word), priority)) <= 10


def test_a_node_that_expires_soon_is_cheap_to_empty():
    claim = with_spec(a_claim(age_ms=45 * MINUTE_MS), expire_after="1h")

    assert lifetime_left(claim, NOW_MS) == Fraction(1, 4)
    assert moving_cost(claim, [a_pod("a"), a_pod("b")], NOW_MS) == Fraction(1, 2)


def test_what_never_expires_has_all_its_life_and_what_is_over_none():
    assert lifetime_left(with_spec(a_claim(), expire_after="Never"), NOW_MS) == 1
    assert lifetime_left(with_spec(a_claim(), expire_after="30s"), NOW_MS) == 0


def test_daemons_and_finished_pods_need_no_other_node():
    assert moves(a_pod())
    assert not moves(a_pod(owner=("DaemonSet", "agent")))
    assert not moves(a_pod(owner=("Node", "n")))
    assert not moves(a_pod(phase="Succeeded"))
