from functools import partial

import pytest

from forecast.small import a_setup, a_trace
from nodewright.app.run import CONTROLLERS, autoscale
from nodewright.forecast.measured import values_of
from nodewright.forecast.policies import cluster_autoscaler, fixed, karpenter
from nodewright.forecast.policies.bound import bound_cost
from nodewright.forecast.policies.node_groups import Group, draw_groups
from nodewright.forecast.run import run_policy
from nodewright.forecast.setup import read_pools, types_on_sale


def policies():
    setup = a_setup()
    groups = draw_groups(read_pools(setup), types_on_sale(setup))
    return {
        "nodewright": autoscale,
        "karpenter": partial(karpenter.autoscale, controllers=CONTROLLERS),
        "cluster-autoscaler": partial(cluster_autoscaler.autoscale, settings=groups),
        "fixed": partial(fixed.keep, groups=(Group("all", "m6i.4xlarge", min=1),)),
    }


@pytest.mark.parametrize("name", ["nodewright", "karpenter", "cluster-autoscaler", "fixed"])
def test_every_policy_serves_the_workload_and_costs_more_than_the_bound(name):
    run = partial(run_policy, (name, policies()[name]), a_setup())
    measured = run(a_trace(), 1)
    values = values_of(measured)

    assert measured.unstarted == 0
    # Four replicas, six builds and one that stays; whoever is moved comes again.
    assert measured.pods == 11 + measured.moves
    assert 0 < values["waitP50Seconds"] < 200
    assert 0 < values["cpuRequestedShare"] < 1
    assert measured.cost > bound_cost(a_setup(), a_trace(), 1).cost > 0
    assert 0 < measured.waste < measured.cost
    assert measured.length_ms == 30 * 60_000


def test_the_same_seed_is_the_same_run_and_another_one_is_another():
    def run(seed):
        return run_policy(("nodewright", autoscale), a_setup(), a_trace(8 * 60_000), seed)

    assert run(1) == run(1)
    assert run(1).digest != run(2).digest


def test_a_fleet_that_never_changes_costs_its_price():
    measured = run_policy(("fixed", policies()["fixed"]), a_setup(), a_trace(), 1)
    (price,) = {
        offer.price
        for one in types_on_sale(a_setup())
        if one.name == "m6i.4xlarge"
        for offer in one.offerings
        if offer.capacity_type == "on-demand"
    }

    assert (measured.nodes_launched, measured.nodes_most) == (0, 1)
    assert measured.cost == pytest.approx(price / 1e9 / 2, rel=0.02)
    assert measured.moves == 0
