from hypothesis import given
from hypothesis import strategies as st

from builders import a_type, an_offering
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.sim.chance import Chance
from nodewright.sim.cloud.fleet import ICE, FleetRequest, Override, choose_override
from nodewright.sim.cloud.market import Market, MarketSettings

ZONES = ("zone-a", "zone-b")
PRICES = {"small": 1.0, "large": 2.0}
TYPES = tuple(
    a_type(
        name,
        offerings=[
            an_offering(zone, kind, price * (0.5 if kind == SPOT else 1))
            for zone in ZONES
            for kind in (ON_DEMAND, SPOT)
        ],
    )
    for name, price in PRICES.items()
)


def a_market(depths=None, **options):
    settings = MarketSettings(depths=depths or {}, **options)
    return Market(TYPES, settings, Chance(1), 0)


def a_request(strategy, capacity_type=ON_DEMAND, priorities=None):
    overrides = tuple(
        Override(name, zone, (priorities or {}).get(name, 0)) for name in PRICES for zone in ZONES
    )
    return FleetRequest("token", capacity_type, strategy, overrides)


def test_the_lowest_price_is_taken():
    key, errors = choose_override(a_request("lowest-price"), a_market(), 0)

    assert (key, errors) == (("small", "zone-a", ON_DEMAND), [])


def test_what_is_sold_out_is_an_error_and_the_next_is_taken():
    market = a_market({"small/*/on-demand": 0})
    key, errors = choose_override(a_request("lowest-price"), market, 0)

    assert key == ("large", "zone-a", ON_DEMAND)
    assert [(e.code, e.instance_type, e.zone) for e in errors] == [
        (ICE, "small", "zone-a"),
        (ICE, "small", "zone-b"),
    ]


def test_nothing_left_gives_no_machine():
    key, errors = choose_override(a_request("lowest-price"), a_market(depth=0), 0)

    assert key is None
    assert len(errors) == 4


def test_depth_comes_before_price_where_capacity_is_minded():
    market = a_market({"small/*/spot": 2})
    request = a_request("price-capacity-optimized", SPOT)

    assert choose_override(request, market, 0)[0] == ("large", "zone-a", SPOT)


def test_priorities_decide_where_they_are_asked_for():
    request = a_request("prioritized", priorities={"small": 2, "large": 1})

    assert choose_override(request, a_market(), 0)[0][0] == "large"


@given(
    depths=st.dictionaries(st.sampled_from(["small", "large"]), st.integers(0, 100)),
    strategy=st.sampled_from(
        ["lowest-price", "price-capacity-optimized", "capacity-optimized", "prioritized"]
    ),
)
def test_whatever_the_strategy_what_is_taken_is_there(depths, strategy):
    market = a_market({f"{name}/*/*": depth for name, depth in depths.items()})
    key, errors = choose_override(a_request(strategy), market, 0)

    if key is None:
        assert errors
    else:
        assert market.depth(key) > 0
