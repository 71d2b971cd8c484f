"""The bill is the sum over the machines that are there, shared out without a rest."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from builders import a_node, a_node_claim, a_pod, a_pool, a_type, a_world, an_offering
from builders.lives import with_spec
from nodewright.core.disruption.cost import Prices
from nodewright.core.money import Spend, add_up
from nodewright.model.instance import NANO
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE

BIG = a_type("big", cpu="4", memory="16Gi", offerings=[an_offering(price=0.4)])
LABELS = {INSTANCE_TYPE: "big", ZONE: "zone-a", CAPACITY_TYPE: "on-demand"}


def a_machine(name="n", pool="general", **labels):
    return a_node(name, labels={**LABELS, NODEPOOL: pool, **labels}, cpu="4", memory="16Gi")


def bill_of(*things):
    world = a_world(*things)
    return add_up(world, Prices(world))


def on(node, name="p", namespace="default", cpu="1", memory="4Gi"):
    pod = a_pod(name, namespace=namespace, cpu=cpu, memory=memory)
    return with_spec(pod, node_name=node)


def test_what_pods_ask_for_is_theirs_and_the_rest_is_idle():
    bill = bill_of(BIG, a_pool("general"), a_machine(), on("n", namespace="shop"))

    assert bill.total == NANO * 4 // 10
    assert bill.namespaces == {"shop": NANO // 10}
    assert bill.pools["general"] == Spend(1, NANO * 4 // 10, NANO * 3 // 10, 0)


def test_a_type_that_no_price_list_has_is_counted_and_not_free():
    odd = a_machine("odd", **{INSTANCE_TYPE: "odd"})
    bill = bill_of(BIG, a_pool("general"), odd, a_machine())

    assert bill.unpriced == 1
    assert bill.pools["general"].nodes == 2
    assert bill.total == NANO * 4 // 10


def test_a_claim_costs_from_its_launch_on_and_together_with_its_node_once():
    claim = a_node_claim("c", pool="general", labels=LABELS)
    unlaunched = replace(claim, status=replace(claim.status, provider_id=""))
    launched = replace(claim, status=replace(claim.status, provider_id="x://1"))
    node = a_machine()
    same = replace(node, spec=replace(node.spec, provider_id="x://1"))

    assert bill_of(BIG, a_pool("general"), unlaunched).total == 0
    assert bill_of(BIG, a_pool("general"), launched).total == NANO * 4 // 10
    assert bill_of(BIG, a_pool("general"), launched, same).total == NANO * 4 // 10


def test_a_pool_without_machines_is_on_the_bill_with_nothing_and_a_foreign_node_is_not():
    bill = bill_of(BIG, a_pool("general"), a_node("foreign"))

    assert bill.pools == {"general": Spend()}
    assert bill.total == 0


amounts = st.tuples(st.integers(0, 9_000), st.integers(0, 40_000))


@given(st.lists(amounts, max_size=6))
def test_nobody_pays_more_than_there_is_and_nothing_is_below_zero(asked):
    pods = [
        on("n", f"p{index}", f"ns{index % 2}", f"{cpu}m", f"{memory}Mi")
        for index, (cpu, memory) in enumerate(asked)
    ]
    bill = bill_of(BIG, a_pool("general"), a_machine(), *pods)

    assert sum(bill.namespaces.values()) + bill.idle == bill.total
    assert bill.idle >= 0
    assert all(amount >= 0 for amount in bill.namespaces.values())
