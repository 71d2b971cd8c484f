from forecast.small import a_setup, a_trace
from nodewright.forecast.policies.node_groups import Group
from nodewright.forecast.policies.sizing import size_fleet
from nodewright.forecast.setup import types_on_sale


def test_a_fleet_is_large_enough_for_the_busiest_moment():
    types = {one.name: one for one in types_on_sale(a_setup())}

    (group,) = size_fleet(a_trace(), (Group("all", "m6i.xlarge"),), types)

    # Eleven pods of one cpu at the most, three on each machine of four.
    assert group.min == 4
