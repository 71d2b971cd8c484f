"""What AWS has for an EC2NodeClass, and the status that follows from it."""

import pytest

from builders.awsaccounts import a_class, make_account
from builders.awsclients import a_gateway
from builders.awsdrafts import a_cluster
from nodewright.aws.classes import ClassFinder
from nodewright.core.ec2nodeclass import judge_ec2_class
from nodewright.model.classfacts import Trouble
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def keys(standin):
    return make_account(standin)[1]


@pytest.fixture
def finder(standin, keys):
    gateway = a_gateway(standin, keys)
    yield ClassFinder(gateway, gateway._clock, a_cluster())
    gateway.close()


def ready(node_class, facts):
    return judge_ec2_class(node_class, facts, 0).change["status"]["conditions"][-1]["status"]


async def test_the_generated_policy_is_enough_to_resolve_a_class(finder):
    found = await finder.find(a_class())

    assert len(found.subnets) == 3
    assert [one.name for one in found.security_groups] == ["net"]
    assert len(found.amis) == 5
    assert found.instance_profile.startswith("demo_")
    assert found.user_data is None
    assert found.kubernetes_minor == 34
    assert ready(a_class(), found) == "True"


async def test_each_selector_fails_on_its_own(standin, finder):
    standin.account.faults.set("ec2.DescribeSubnets", Switch("deny"))
    found = await finder.find(a_class("denied"))

    assert found.subnets.reason == "Unauthorized"
    assert not found.subnets.is_passing
    assert len(found.amis) == 5
    assert ready(a_class("denied"), found) == "False"


async def test_trouble_that_passes_is_told_as_such(standin, finder):
    standin.account.faults.set("iam.GetInstanceProfile", Switch("throttle"))
    found = await finder.find(a_class("slow"))

    assert isinstance(found.instance_profile, Trouble)
    assert found.instance_profile.is_passing


@pytest.mark.parametrize(
    ("written", "reason"),
    [("[settings", "InvalidUserData"), (f'a = "{"x" * 17_000}"', "UserDataSizeLimitExceeded")],
)
async def test_user_data_is_tried_before_a_launch(finder, written, reason):
    spec = {"amiSelectorTerms": [{"alias": "bottlerocket@latest"}], "userData": written}
    found = await finder.find(a_class("data", **spec))

    assert found.user_data.reason == reason


async def test_a_class_leaves_no_profile_behind(standin, finder):
    node_class = a_class("leaving")
    name = (await finder.find(node_class)).instance_profile
    profiles = standin.client("iam").list_instance_profiles

    assert name in str(profiles())
    assert await finder.release(node_class) is None
    assert name not in str(profiles())


async def test_a_profile_that_cannot_be_deleted_is_told(standin, finder):
    standin.account.faults.set("iam.*", Switch("throttle"))

    assert (await finder.release(a_class("stuck"))).is_passing
