"""Filling one machine: the bounds hold, and whole pods stay within the room."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nodewright.core.scheduling.knapsack import Knapsack, greedy

ROWS = st.tuples(st.integers(1, 6), st.integers(0, 6), st.integers(1, 9), st.integers(0, 3))


def read(rows):
    table = np.array(rows, dtype=np.float64)
    return table[:, :2], table[:, 2], table[:, 3]


def best(amounts, worth, limits, room):
    """Find the most worth of whole pods that fit, trying every combination."""
    fillings = product(*(range(int(limit) + 1) for limit in limits))
    return max(
        float(np.array(filling) @ worth)
        for filling in fillings
        if (np.array(filling) @ amounts <= room).all()
    )


@settings(max_examples=60)
@given(rows=st.lists(ROWS, min_size=1, max_size=4), room=st.tuples(*[st.integers(0, 12)] * 2))
def test_no_filling_is_worth_more_than_the_bounds(rows, room):
    amounts, worth, limits = read(rows)
    space = np.array(room, dtype=np.float64)
    knapsack = Knapsack(amounts)
    most = best(amounts, worth, limits, space)

    relaxed, parts = knapsack.relaxed(worth, space, limits)
    whole, filling = knapsack.whole(worth, space, limits)
    rounded = greedy(parts, worth, amounts, space, limits)

    assert most <= relaxed
    assert abs(whole - most) < 1e-6
    assert (filling @ amounts <= space + 1e-6).all()
    assert (rounded @ amounts <= space).all()
    assert (rounded <= limits).all()


def test_one_knapsack_answers_for_one_room_after_the_other():
    knapsack = Knapsack(np.array([[2.0], [3.0]]))
    worth, limits = np.array([2.0, 4.0]), np.array([5.0, 5.0])

    values = [knapsack.whole(worth, np.array([room]), limits)[0] for room in (3.0, 6.0, 2.0)]

    assert np.allclose(values, [4, 8, 2])


def test_nothing_is_worth_nothing():
    bound, filling = Knapsack(np.array([[1.0]])).relaxed(np.zeros(1), np.ones(1), np.ones(1))

    assert bound == 0
    assert not filling.any()
