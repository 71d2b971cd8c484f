"""What the next node takes of a subnet follows the network plugin's settings and the class's machines."""

import pytest

from nodewright.doctor.next_node import need_of_next

PREFIXES = {"ENABLE_PREFIX_DELEGATION": "true"}


@pytest.mark.parametrize(
    ("types", "plugin", "count"),
    [
        ((), {}, 20),
        (("m5.8xlarge", "m5.large"), {}, 60),
        (("m5.16xlarge",), {}, 100),
        (("of-tomorrow.large",), {}, 20),
        ((), {"WARM_ENI_TARGET": "0"}, 10),
        ((), {"WARM_IP_TARGET": "5", "MINIMUM_IP_TARGET": "12"}, 13),
        ((), PREFIXES, 33),
        ((), {**PREFIXES, "WARM_IP_TARGET": "17"}, 33),
        ((), {**PREFIXES, "MINIMUM_IP_TARGET": "8"}, 17),
        ((), {"AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "true"}, 1),
        ((), None, 1),
    ],
)
def test_what_the_next_node_takes(types, plugin, count):
    assert need_of_next(types, plugin).count == count
