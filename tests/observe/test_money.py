"""The bill on the page is what is there; what a command saved is told when its last node is gone."""

import pytest
from msgspec.structs import replace

from builders import a_node, a_node_claim, a_pool, a_type, a_world, an_offering
from builders.lives import with_meta
from builders.scrape import samples
from nodewright.model.command import COMMAND, Record
from nodewright.model.decision import Release
from nodewright.model.disruption import Method
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.observe.metrics import Metrics
from nodewright.observe.money import narrow
from nodewright.ports.kube import Answer, Outcome

DEAR = a_type("dear", cpu="4", memory="16Gi", offerings=[an_offering(price=0.4)])
CHEAP = a_type("cheap", cpu="4", memory="16Gi", offerings=[an_offering(price=0.1)])
POOL = a_pool("general")


def place(kind):
    return {INSTANCE_TYPE: kind, ZONE: "zone-a", CAPACITY_TYPE: "on-demand", NODEPOOL: "general"}


def a_machine(name, kind, **annotations):
    claim = a_node_claim(name, pool="general", labels=place(kind))
    launched = replace(claim, status=replace(claim.status, provider_id=f"x://{name}"))
    return with_meta(launched, annotations=annotations)


def leaving(name, *, made=(), kind="dear"):
    record = Record("C-1", "Underutilized", Method.SINGLE, 0, tuple(made))
    return a_machine(name, kind, **{COMMAND: record.write()})


def gone(claim):
    return Release(subject=refer(NODE_CLAIMS, claim), reason="Finalized", thing=claim)


def after(*steps):
    """Give the metrics after claims went one by one, each from among these."""
    metrics = Metrics()
    for claim, *others in steps:
        metrics.decided("lifecycle", a_world(DEAR, CHEAP, POOL, claim, *others), (), 1)
        metrics.came_of("lifecycle", gone(claim), Answer(Outcome.DONE), 1)
    return metrics


def test_the_page_has_the_bill_of_the_world():
    metrics = Metrics()
    node = a_node("n", labels=place("dear"), cpu="4", memory="16Gi")
    metrics.decided("disruption", a_world(DEAR, POOL, node), (), 1)

    pool = (("nodepool", "general"),)
    assert samples(metrics, "karpenter_nodepools_cost_total") == {pool: 0.4}
    assert samples(metrics, "nodewright_idle_cost_per_hour") == {pool: 0.4}
    assert samples(metrics, "nodewright_cost_per_hour") == {(): 0.4}


def test_no_prices_give_no_costs_rather_than_nothing_to_pay():
    metrics = Metrics()
    metrics.decided("disruption", replace(a_world(POOL, DEAR), instance_types={}), (), 1)

    assert samples(metrics, "nodewright_cost_per_hour") == {}


def test_a_machine_without_a_price_is_counted():
    metrics = Metrics()
    metrics.decided("disruption", a_world(DEAR, POOL, a_machine("c", "odd")), (), 1)

    assert samples(metrics, "nodewright_nodes_without_price") == {(("nodepool", "general"),): 1}


def test_a_command_has_saved_when_its_last_node_is_gone():
    made = a_machine("new", "cheap")
    one, two = leaving("a", made=["new"]), leaving("b", made=["new"])
    row = (("nodepool", "general"), ("reason", "underutilized"))

    assert samples(after((one, two, made)), "nodewright_savings_per_hour_total") == {}
    both = after((one, two, made), (two, made))
    assert samples(both, "nodewright_savings_per_hour_total") == {row: pytest.approx(0.7)}


def test_what_became_dearer_is_told_apart():
    old, made = leaving("a", made=["new"], kind="cheap"), a_machine("new", "dear")
    row = (("nodepool", "general"), ("reason", "underutilized"))

    found = samples(after((old, made)), "nodewright_surcharges_per_hour_total")
    assert found == {row: pytest.approx(0.3)}


def test_a_claim_of_no_command_saves_nothing():
    assert samples(after((a_machine("a", "dear"),)), "nodewright_savings_per_hour_total") == {}


def test_the_cheapest_namespaces_beyond_the_limit_are_one_row():
    assert narrow({"a": 5, "b": 3, "c": 1}, most=1) == {"a": 5, "other": 4}
