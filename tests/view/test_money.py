"""Workloads are named as people name them, and the price list is read once while it stays the same."""

from msgspec.structs import replace

from builders import a_managed_node, a_pod, a_pool, a_type, a_world, an_offering
from builders.lives import with_meta
from nodewright.core.scheduling.hosts import Joined
from nodewright.model.metadata import ObjectMeta, OwnerReference
from nodewright.model.pod import Workload
from nodewright.view.money import WORKLOADS_MAX, Ledger, Market
from nodewright.view.nodes import read_part
from nodewright.view.usage import Used

OWNED = with_meta(
    Workload(ObjectMeta(name="web-1", namespace="shop")),
    owner_references=(OwnerReference(kind="Deployment", name="web"),),
)
NODE = a_managed_node("n")


def part(*names, cpu="1"):
    pods = [
        a_pod(f"p{i}", namespace="shop", cpu=cpu, owner=("ReplicaSet", name), node="n")
        for i, name in enumerate(names)
    ]
    return read_part(Joined(*NODE), pods)


def test_replica_sets_of_a_deployment_are_one_workload():
    ledger = Ledger([OWNED])
    idle = ledger.enter(part("web-1", "lonely", "web-1"), 800)
    rows = {one.name: (one.price_nanousd_hour, one.pods) for one in ledger.by_workload()}

    assert rows == {"shop/Deployment/web": (200, 2), "shop/ReplicaSet/lonely": (100, 1)}
    assert idle == 500
    assert [(one.name, one.pods) for one in ledger.by_namespace()] == [("shop", 3)]


def test_of_very_many_workloads_the_rest_is_one_row():
    ledger = Ledger([])
    for index in range(WORKLOADS_MAX + 3):
        ledger.enter(part(f"w{index}"), 800)

    assert ledger.by_workload()[-1].name == "3 others"
    assert ledger.by_workload()[-1].pods == 3


def test_what_is_asked_for_and_not_used_is_idle_of_workloads():
    ledger = Ledger([])
    ledger.enter_use(part("w", cpu="2"), 800, Used(1000, 0))

    assert ledger.idle_of_workloads == 100


def test_the_list_is_read_again_only_when_it_is_another_one():
    market = Market()
    world = a_world(a_pool(), a_type("m", offerings=[an_offering(price=0.4)]))
    market.learn(world)
    prices = market.prices
    market.learn(replace(world, now_ms=1))
    assert market.prices is prices
    market.learn(replace(world, instance_types={}))
    assert market.prices is prices
    market.learn(a_world(a_pool(), a_type("m", offerings=[an_offering(price=0.5)])))
    assert market.prices is not prices


def test_an_estimate_is_told_from_a_price():
    guess = replace(an_offering(price=0.4), price_is_estimate=True)
    market = Market()
    market.learn(a_world(a_pool(), a_type("m", offerings=[guess]), a_type("n")))
    labels = {
        "karpenter.sh/nodepool": "default",
        "topology.kubernetes.io/zone": "zone-a",
        "karpenter.sh/capacity-type": "on-demand",
    }

    assert market.is_estimate({**labels, "node.kubernetes.io/instance-type": "m"})
    assert not market.is_estimate({**labels, "node.kubernetes.io/instance-type": "n"})
    assert not market.is_estimate({})
