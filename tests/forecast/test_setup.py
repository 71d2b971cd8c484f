import pytest
from msgspec.structs import replace

from forecast.small import MINUTE_MS, QUIET, a_setup
from nodewright.forecast.setup import Setup, Shortages, settings_of, types_on_sale, zones_of
from nodewright.model.errors import UserError
from nodewright.sim.simulation import Simulation


def test_only_types_that_a_pool_could_use_are_on_sale():
    names = {one.name for one in types_on_sale(a_setup())}

    assert "m6i.large" in names
    assert not any(name.startswith("g5") or name.endswith("metal") for name in names)


def test_a_ground_without_pools_is_refused():
    with pytest.raises(UserError, match="there is no NodePool"):
        types_on_sale(Setup(()))


def test_about_the_share_that_was_asked_for_is_sold_out():
    setup = a_setup(cloud=replace(QUIET, sold_out_share=0.1))
    sim = Simulation(settings_of(setup, types_on_sale(setup), 1))
    keys = sorted(sim.market._pools)
    Shortages(sim, setup.cloud.sold_out_share)

    shares = []
    for _ in range(20):
        sim.run_for(30 * MINUTE_MS)
        shares.append(sum(sim.market.depth(key) == 0 for key in keys) / len(keys))

    assert 0.06 < sum(shares) / len(shares) < 0.14


def test_spot_costs_its_share_where_nobody_knows_the_price():
    (one,) = [one for one in types_on_sale(a_setup()) if one.name == "m6i.large"]
    prices = {offer.capacity_type: offer.price for offer in one.offerings}

    assert prices["spot"] == round(prices["on-demand"] * 0.4)


def test_a_region_has_the_zones_that_its_machines_are_in():
    assert zones_of("us-east-1") == ("us-east-1a", "us-east-1b", "us-east-1c")
    assert types_on_sale(a_setup(region="eu-north-1", zones=zones_of("eu-north-1")))
