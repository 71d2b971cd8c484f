from builders import a_type, an_offering
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.sim.chance import Chance
from nodewright.sim.cloud.market import Market, MarketSettings

HOUR_MS = 3_600_000
SOLD = ("m", "zone-a", SPOT)
TYPES = (
    a_type(
        "m", offerings=[an_offering("zone-a", SPOT, 0.4), an_offering("zone-a", ON_DEMAND, 1.0)]
    ),
)


def a_market(seed=1, **settings):
    return Market(TYPES, MarketSettings(**settings), Chance(seed), 0)


def test_spot_prices_move_and_never_pass_on_demand():
    market = a_market()
    prices = [market.price(SOLD, hour * HOUR_MS) for hour in range(500)]

    assert len(set(prices)) > 100
    assert max(prices) <= market.price(("m", "zone-a", ON_DEMAND), 0)


def test_looking_more_often_does_not_change_the_price():
    seldom, often = a_market(), a_market()
    for minute in range(0, 24 * 60, 7):
        often.price(SOLD, minute * 60_000)

    assert seldom.price(SOLD, 24 * HOUR_MS) == often.price(SOLD, 24 * HOUR_MS)


def test_prices_can_be_held_still():
    market = a_market(spot_moves=False)

    assert {market.price(SOLD, hour * HOUR_MS) for hour in range(50)} == {400_000_000}
    assert market.instance_types(HOUR_MS) == TYPES


def test_the_types_carry_the_price_of_the_moment():
    market = a_market()
    (shown,) = market.instance_types(48 * HOUR_MS)

    assert shown.offerings[0].price == market.price(SOLD, 48 * HOUR_MS)


def test_single_offerings_can_be_shallow():
    market = a_market(depths={"m/*/spot": 1}, depth=7)
    market.take(SOLD)

    assert (market.depth(SOLD), market.depth(("m", "zone-a", ON_DEMAND))) == (0, 7)
    assert market.depth(("m", "nowhere", SPOT)) == 0
