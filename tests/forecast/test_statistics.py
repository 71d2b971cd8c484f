import pytest

from nodewright.forecast.statistics import compare, estimate


def test_an_interval_is_students():
    found = estimate([1.0, 2.0, 3.0, 4.0, 5.0])

    assert found.mean == 3.0
    assert found.half == pytest.approx(1.963, abs=0.001)


def test_one_run_says_nothing_about_chance():
    assert estimate([7.0]).half is None


def test_policies_are_compared_seed_by_seed():
    found = compare([11.0, 21.0, 31.0], [10.0, 20.0, 30.0])

    assert (found.mean, found.half) == (1.0, 0.0)
