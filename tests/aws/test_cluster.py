"""Where a cluster is."""

import pytest

from builders.awsdrafts import a_cluster
from nodewright.aws.cluster import is_ipv6


@pytest.mark.parametrize(
    ("region", "partition"),
    [
        ("us-west-2", "aws"),
        ("ap-northeast-2", "aws"),
        ("cn-north-1", "aws-cn"),
        ("us-gov-west-1", "aws-us-gov"),
        ("us-iso-east-1", "aws-iso"),
        ("us-isob-east-1", "aws-iso-b"),
    ],
)
def test_the_partition_follows_from_the_region(region, partition):
    assert a_cluster(region=region).partition == partition


def test_the_sort_of_addresses_is_that_of_the_cluster_s_dns():
    assert a_cluster(dns_ip="fd30::a").is_ipv6
    assert not a_cluster().is_ipv6
    assert not is_ipv6("")
