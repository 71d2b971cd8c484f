"""The market: the cheapest machine for one pod, the best value for many."""

import numpy as np

from builders import a_pod, a_pool, a_type, an_offering
from builders.solving import a_board
from nodewright.core.scheduling.market import Market, Opening
from nodewright.model.reason import Reason


class Crowd:
    """Company that asks for a fixed amount of everything."""

    def __init__(self, cpu):
        self.cpu = cpu

    def demand(self, state):
        del state
        return np.array([self.cpu, 1000.0])


def market_of(*things, **options):
    board, (shape,) = a_board(*things, **options)
    market = Market(board)
    market.appraise(np.array(shape.amounts, dtype=np.float64))
    return market, shape, shape.ladder[0]


def named(opening):
    assert isinstance(opening, Opening)
    return opening.supply.types[opening.target].name


def test_a_pod_alone_gets_the_cheapest_machine_that_holds_it():
    market, shape, wish = market_of(
        a_pod(cpu=3),
        a_type("s", cpu=2, price=1),
        a_type("m", cpu=4, price=2),
        a_type("l", cpu=8, price=3),
    )
    assert named(market.cheapest(shape, wish)) == "m"


def test_with_company_the_machine_that_gives_most_for_its_price_is_opened():
    market, shape, wish = market_of(
        a_pod(cpu=3), a_type("m", cpu=4, price=2), a_type("l", cpu=8, price=3)
    )
    assert named(market.best_value(shape, wish, Crowd(8000.0))) == "l"
    assert named(market.best_value(shape, wish, Crowd(0.0))) == "m"


def test_a_heavier_pool_is_asked_first():
    market, shape, wish = market_of(
        a_pod(cpu=1),
        a_pool("heavy", weight=1),
        a_pool("light"),
        types={"heavy": [a_type("dear", price=9)], "light": [a_type("cheap")]},
    )
    assert named(market.cheapest(shape, wish)) == "dear"


def test_a_lighter_pool_serves_whom_the_heavier_cannot():
    market, shape, wish = market_of(
        a_pod(cpu=6),
        a_pool("heavy", weight=1),
        a_pool("light"),
        types={"heavy": [a_type("small")], "light": [a_type("large", cpu=8)]},
    )
    assert named(market.cheapest(shape, wish)) == "large"


def test_the_limit_of_a_pool_rules_machines_out():
    market, shape, wish = market_of(
        a_pod(cpu=3),
        a_pool(limits={"cpu": 4}),
        a_type("m", cpu=4, price=2),
        a_type("l", cpu=8, price=1),
    )
    assert named(market.cheapest(shape, wish)) == "m"


def test_why_nothing_can_be_opened_is_told():
    market, shape, wish = market_of(a_pod(cpu=99), a_type())
    assert market.cheapest(shape, wish) is Reason.NO_TYPE_FITS


def test_reserved_capacity_is_opened_whatever_it_is_worth():
    reserved = a_type("r", cpu=4, offerings=[an_offering(reservation="cr", left=1, price=9)])
    market, shape, wish = market_of(a_pod(cpu=1), reserved, a_type("l", cpu=64, price=0.1))
    assert named(market.best_value(shape, wish, Crowd(64000.0))) == "r"
