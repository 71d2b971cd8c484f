"""Plans as they are printed."""

import json

from nodewright.model.labels import ZONE
from referee import read_plan


def test_a_printed_plan_is_read_back():
    printed = {
        "newNodes": [
            {
                "nodePool": "default",
                "pods": ["default/pod"],
                "instanceTypes": ["m"],
                "offering": {
                    "instanceType": "m",
                    "zone": "zone-a",
                    "capacityType": "spot",
                    "price": 0.125,
                },
                "requirements": [{"key": ZONE, "operator": "In", "values": ["zone-a"]}],
                "requests": {"cpu": "1500m", "pods": "1"},
            }
        ],
        "existingNodes": [{"name": "node", "pods": ["default/other"]}],
        "unschedulable": {"default/third": {"summary": "no room", "code": "NW-1001"}},
        "pricePerHour": 0.125,
    }
    plan = read_plan(json.dumps(printed))
    assert plan.price == 125_000_000
    assert plan.new_nodes[0].requests == {"cpu": 1500, "pods": 1000}
    assert plan.new_nodes[0].requirements.labels() == {ZONE: "zone-a"}
    assert plan.existing_nodes[0].pods == ("default/other",)
    assert plan.unschedulable["default/third"].code == "NW-1001"


def test_an_empty_answer_is_an_empty_plan():
    assert read_plan("{}").new_nodes == ()
