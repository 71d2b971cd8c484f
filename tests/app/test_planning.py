"""The published form of a plan: what `plan -o json` prints, and nothing that changes by chance."""

import gc
import json

import pytest

from builders import a_node, a_pod, a_type, a_world, pods
from builders.snapshots import read
from nodewright.app.planning import Planned, money, plan_document, plan_world, with_bound
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.instance import NANO, NanoUSD
from nodewright.model.plan import Plan
from problems import generate
from referee import judge, read_plan

WORLD = a_world(
    pods(3, cpu=3), a_pod("small", cpu=1), a_pod("huge", cpu=99), a_node(cpu=1), a_type(price=0.25)
)


def test_the_document_has_the_published_fields():
    document = plan_document(plan_world(WORLD))
    assert list(document) == [
        "newNodes",
        "existingNodes",
        "unschedulable",
        "pricePerHour",
        "lowerBoundPerHour",
        "solveSeconds",
    ]
    assert document["pricePerHour"] == 0.75
    assert document["existingNodes"] == [{"name": "node", "pods": ["default/small"]}]
    assert document["lowerBoundPerHour"] is None


def test_a_new_node_is_written_with_all_that_a_launch_needs():
    node = plan_document(plan_world(WORLD))["newNodes"][0]
    assert node["nodePool"] == "default"
    assert node["instanceTypes"] == ["m"]
    assert node["offering"] == {
        "instanceType": "m",
        "zone": "zone-a",
        "capacityType": "on-demand",
        "price": 0.25,
    }
    assert node["requests"] == {"cpu": "3", "pods": "1"}
    assert {one["key"] for one in node["requirements"]} >= {"karpenter.sh/nodepool"}


def test_a_pod_left_behind_is_written_with_its_reasons():
    one = plan_document(plan_world(WORLD))["unschedulable"]["default/huge"]
    assert one["code"].startswith("NW-12")
    assert one["summary"]
    assert one["deferred"] is False
    assert [pool["name"] for pool in one["nodePools"]] == ["default"]


@pytest.mark.parametrize("seed", range(8))
def test_what_is_printed_can_be_read_and_judged(seed):
    world = read(generate(seed)).world
    printed = json.dumps(plan_document(plan_world(world, Effort.FAST)))
    assert judge(world, read_plan(printed)) == []


def test_the_time_is_of_deciding_and_the_collector_is_left_as_it_was():
    assert gc.isenabled()
    planned = plan_world(WORLD)
    assert gc.isenabled()
    assert 0 < planned.seconds < 60


def test_effort_is_passed_on():
    assert plan_world(WORLD, Effort.BEST).plan == solve(WORLD, Effort.BEST)


@pytest.mark.parametrize("seed", range(10))
def test_no_plan_is_cheaper_than_its_lower_bound(seed):
    world = read(generate(seed)).world
    planned = with_bound(world, plan_world(world))
    assert planned.plan.lower_bound is not None
    assert 0 <= planned.plan.lower_bound <= planned.plan.price
    assert plan_document(planned)["lowerBoundPerHour"] == planned.plan.lower_bound / NANO


def test_an_answer_that_was_cut_short_says_so():
    assert plan_document(Planned(Plan(cut=True), 0.0))["cut"] is True


def test_money_is_written_in_units_of_the_currency():
    assert money(NanoUSD(428_400_000)) == 0.4284
