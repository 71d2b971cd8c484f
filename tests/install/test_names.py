import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.install.names import Names, check_cluster, check_role, fit
from nodewright.model.errors import UserError

CLUSTERS = st.from_regex(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", fullmatch=True)


@given(CLUSTERS)
def test_every_name_of_a_cluster_stays_within_the_limits_of_aws(cluster):
    names = Names("123456789012", "us-west-2", cluster)

    assert max(map(len, (names.node_role, names.controller_role, names.fargate_role))) <= 64
    assert len(names.queue) <= 80
    assert len(names.policy("ResourceDiscovery")) <= 128
    assert len(names.rule("CapacityReservationInterruption")) <= 64


def test_two_long_names_never_become_one():
    start = "a" * 60

    assert fit("Role-", f"{start}-one", 64) != fit("Role-", f"{start}-two", 64)


def test_a_name_that_fits_is_left_as_it_is():
    names = Names("123456789012", "cn-north-1", "shop")

    assert names.node_role == "NodewrightNodeRole-shop"
    assert names.policy("Interruption") == "NodewrightControllerInterruption-shop"
    assert names.rule("Rebalance") == "NodewrightRebalance-shop"
    assert (
        names.managed("AmazonEKS_CNI_Policy") == "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy"
    )
    assert names.here("sqs", "shop") == "arn:aws-cn:sqs:cn-north-1:123456789012:shop"


@pytest.mark.parametrize("name", ["", "-shop", "shop!", "a" * 101])
def test_what_cannot_be_a_cluster_is_refused(name):
    with pytest.raises(UserError, match="cannot be the name of an EKS cluster"):
        check_cluster(name)


@pytest.mark.parametrize("name", ["", "a" * 65, "path/role"])
def test_what_cannot_be_a_role_is_refused(name):
    with pytest.raises(UserError, match="cannot be the name of a role"):
        check_role(name)
