"""Shadow prices: exactly what the cheapest cover of a demand says, by another solver's word."""

import highspy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.core.scheduling.duals import shadow_prices

SIZES = st.sampled_from([0.0, 1.0, 2.0, 4.0, 7.5, 16.0, 64.0])
PRICES = st.sampled_from([0.5, 1.0, 1.7, 3.0, 8.0])
DEMANDS = st.sampled_from([0.0, 1.0, 5.0, 100.0, 12345.0])


@st.composite
def covers(draw):
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 9))
    machines = [[draw(SIZES) for _ in range(columns)] for _ in range(rows)]
    prices = [draw(PRICES) for _ in range(columns)]
    demand = [draw(DEMANDS) for _ in range(rows)]
    return np.array(demand), np.array(machines), np.array(prices)


def cheapest_cover(demand, machines, prices):
    """The price of the cheapest fractional cover, by HiGHS."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    amounts = [model.addVariable(lb=0.0, obj=float(price)) for price in prices]
    for row, wanted in zip(machines, demand, strict=True):
        if wanted > 0 and row.max() > 0:
            covered = sum(float(size) * one for size, one in zip(row, amounts, strict=True))
            model.addConstr(covered >= float(wanted))
    model.run()
    return model.getInfo().objective_function_value


@given(covers())
def test_the_worth_of_a_demand_is_the_price_of_its_cheapest_cover(cover):
    demand, machines, prices = cover
    worth = shadow_prices(demand, machines, prices)
    reachable = (demand > 0) & (machines.max(axis=1) > 0)
    assert float(worth[reachable] @ demand[reachable]) == pytest.approx(
        cheapest_cover(demand, machines, prices), rel=1e-6, abs=1e-9
    )


@given(covers())
def test_no_machine_is_worth_more_than_its_price(cover):
    demand, machines, prices = cover
    worth = shadow_prices(demand, machines, prices)
    assert (worth >= 0).all()
    assert (worth @ machines <= prices * (1 + 1e-6) + 1e-9).all()


def test_a_resource_that_nothing_asks_for_or_nothing_has_is_worth_nothing():
    worth = shadow_prices(
        np.array([8.0, 0.0, 3.0]), np.array([[4.0], [16.0], [0.0]]), np.array([2.0])
    )
    assert worth.tolist() == [0.5, 0.0, 0.0]


def test_without_any_resource_there_is_nothing_to_price():
    assert shadow_prices(np.zeros(0), np.zeros((0, 2)), np.ones(2)).tolist() == []


def test_without_any_machine_nothing_has_a_price():
    assert shadow_prices(np.ones(2), np.zeros((2, 0)), np.zeros(0)).tolist() == [0.0, 0.0]
