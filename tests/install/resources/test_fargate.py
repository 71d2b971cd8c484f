import pytest

from builders.found import a_cluster, a_found, steps_of
from nodewright.install.found import FargateProfile, Subnet
from nodewright.model.errors import UserError

BARE = a_cluster(node_groups=())


def test_a_profile_takes_private_subnets_only():
    subnets = (Subnet("subnet-a", is_public=True), Subnet("subnet-b"))
    steps = steps_of(a_found(BARE, subnets=subnets), is_fargate=True)

    assert steps["fargate profile nodewright"].deeds[0].params["subnets"] == ["subnet-b"]
    assert steps["iam role NodewrightFargateRole-shop"].sign == "+"
    assert (
        steps["deployment nodewright"].detail == "2 replicas on Fargate, never on nodes of its own"
    )


def test_without_a_private_subnet_it_is_refused():
    subnets = (Subnet("subnet-a", is_public=True), Subnet("subnet-b", is_public=True))

    with pytest.raises(UserError, match="no private subnet"):
        steps_of(a_found(BARE, subnets=subnets), is_fargate=True)


def test_a_profile_of_ours_goes_with_us():
    profile = FargateProfile("nodewright", tags={"nodewright.dev/cluster": "shop"})

    assert steps_of(a_found(BARE, fargate=profile), "uninstall")["fargate profile nodewright"]
