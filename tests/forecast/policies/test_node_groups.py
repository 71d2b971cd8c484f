import pytest

from forecast.small import a_setup
from nodewright.forecast.policies.cluster_autoscaler_rules import Option, choose
from nodewright.forecast.policies.node_groups import Group, draw_groups, read_groups
from nodewright.forecast.setup import read_pools, types_on_sale
from nodewright.model.errors import UserError

TYPES = types_on_sale(a_setup())


def test_groups_are_drawn_for_every_category_of_a_pool():
    groups = draw_groups(read_pools(a_setup()), TYPES).groups

    assert [one.name for one in groups] == ["default-c", "default-m", "default-r"]
    assert all(one.instance_type.endswith(".2xlarge") for one in groups)
    assert {one.capacity_type for one in groups} == {"spot"}


def test_groups_are_read_with_the_settings_of_cluster_autoscaler():
    document = {
        "expander": "price",
        "scaleDownUnneededTime": 300,
        "groups": [{"name": "a", "instanceType": "m6i.large", "min": 1, "max": 9}],
    }

    found = read_groups(document, "groups.yaml", TYPES)

    assert (found.expander, found.scale_down_unneeded_time) == ("price", 300)
    assert found.scale_down_utilization_threshold == 0.5


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"groups": []}, "has no group"),
        ({"groups": [{"name": "a", "instanceType": "m6i.huge"}]}, "no m6i.huge is on sale"),
        (
            {"groups": [{"name": "a", "instanceType": "m6i.large", "min": 3, "max": 2}]},
            "are no range",
        ),
        (
            {"groups": [{"name": "a", "instanceType": "m6i.large"}], "expander": "best"},
            "is no expander",
        ),
        ([], "holds no node groups"),
    ],
)
def test_groups_that_cannot_be_are_one_sentence(document, sentence):
    with pytest.raises(UserError) as told:
        read_groups(document, "groups.yaml", TYPES)

    assert sentence in told.value.message


@pytest.mark.parametrize(
    ("expander", "chosen"),
    [("least-waste", "b"), ("most-pods", "a"), ("price", "c"), ("random", "c")],
)
def test_an_expander_takes_the_group_that_it_is_named_after(expander, chosen):
    def option(name, pods, waste, price):
        return Option(Group(name, "m6i.large"), 1, pods, waste, price)

    options = [option("a", 9, 0.4, 90), option("b", 5, 0.1, 60), option("c", 5, 0.3, 40)]

    assert choose(options, expander, 0.9).group.name == chosen
