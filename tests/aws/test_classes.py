"""What AWS has for an EC2NodeClass, and the status that follows from it."""

import msgspec
import pytest

from builders.awsaccounts import a_class, make_account
from builders.awsclients import a_gateway
from builders.awsdrafts import a_cluster
from nodewright.aws.classes import ClassOptions, open_classes
from nodewright.core.ec2nodeclass import judge_ec2_class
from nodewright.model.classfacts import Trouble
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def keys(standin):
    return make_account(standin)[1]


@pytest.fixture
def finder(standin, keys):
    gateway = a_gateway(standin, keys)
    yield open_classes(gateway, gateway._clock, a_cluster())
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


async def test_user_data_that_is_almost_too_long_is_told_once(finder, caplog):
    written = f"#!/bin/bash\n# {'x' * 14_400}\n"
    for _ in range(2):
        found = await finder.find(a_class("long", userData=written))

    assert found.user_data is None
    (said,) = [one.getMessage() for one in caplog.records if "EC2 takes 16384" in one.getMessage()]
    assert said.startswith("long: user data has 15")


@pytest.mark.parametrize(
    ("gate", "text", "reason"),
    [
        (False, "vcpus * 20", "KubeletExpressionsDisabled"),
        (True, "vcpus *", "KubeletExpressionInvalid"),
        (True, "vcpus - 100", "KubeletExpressionEvaluationFailed"),
        (True, "vcpus * 20", "ValidationSucceeded"),
    ],
)
async def test_expressions_of_kubelets_are_judged_by_gate_and_by_every_type(
    standin, keys, gate, text, reason
):
    gateway = a_gateway(standin, keys)
    options = ClassOptions(allows_expressions=gate)
    node_class = a_class("sized", kubelet={"maxPods": text})
    found = await open_classes(gateway, gateway._clock, a_cluster(), options).find(node_class)
    gateway.close()
    conditions = judge_ec2_class(node_class, found, 0).change["status"]["conditions"]

    assert {one["type"]: one["reason"] for one in conditions}["ValidationSucceeded"] == reason


async def test_images_subnets_and_groups_are_asked_for_as_often_as_each_is_set(standin, keys):
    gateway = a_gateway(standin, keys)
    options = ClassOptions(images_ms=180_000, subnets_ms=60_000)
    finder = open_classes(gateway, gateway._clock, a_cluster(), options)
    asked = []
    for _ in range(6):
        standin.account.calls.clear()
        await finder.find(a_class("paced"))
        asked.append({one.name for one in standin.account.calls.named()})
        await gateway._clock.sleep_ms(60_000)
    gateway.close()

    def rounds(name):
        return [number for number, names in enumerate(asked) if f"ec2.{name}" in names]

    assert rounds("DescribeImages") == [0, 3]
    assert rounds("DescribeSubnets") == [0, 1, 2, 3, 4, 5]
    assert rounds("DescribeSecurityGroups") == [0, 5]


async def test_an_edited_class_and_one_that_found_nothing_are_asked_about_at_once(standin, keys):
    gateway = a_gateway(standin, keys)
    finder = open_classes(gateway, gateway._clock, a_cluster(), ClassOptions(images_ms=600_000))
    lost = a_class("lost", subnetSelectorTerms=[{"tags": {"nobody": "has"}}])
    edited = msgspec.structs.replace(
        a_class("lost"), metadata=msgspec.structs.replace(lost.metadata, generation=2)
    )

    assert (await finder.find(lost)).subnets == ()
    assert len((await finder.find(edited)).subnets) == 3
    gateway.close()


async def test_a_class_leaves_no_profile_behind(standin, finder):
    node_class = a_class("leaving")
    name = (await finder.find(node_class)).instance_profile
    profiles = standin.client("iam").list_instance_profiles

    assert name in str(profiles())
    assert await finder.release(node_class) is None
    assert name not in str(profiles())


async def test_a_class_leaves_no_template_behind(standin, finder):
    node_class, other = a_class("trying"), a_class("staying")
    await finder.find(node_class)
    await finder.find(other)

    def templates():
        found = standin.client("ec2").describe_launch_templates()["LaunchTemplates"]
        return {
            tag["Value"]
            for one in found
            for tag in one["Tags"]
            if tag["Key"] == "karpenter.k8s.aws/ec2nodeclass"
        }

    assert {"trying", "staying"} <= templates()
    assert await finder.release(node_class) is None
    assert "trying" not in templates()
    assert "staying" in templates()


async def test_a_class_is_tried_once_everything_was_found(standin, finder):
    standin.account.faults.set("ec2.RunInstances", Switch("deny"))
    found = await finder.find(a_class("refused"))

    assert found.rehearsal.reason == "RunInstancesAuthCheckFailed"
    assert ready(a_class("refused"), found) == "False"
    standin.account.faults.set("ec2.DescribeSubnets", Switch("deny"))
    assert (await finder.find(a_class("blind"))).rehearsal is None


async def test_who_does_not_want_to_be_tried_is_not(standin, keys):
    gateway = a_gateway(standin, keys)
    options = ClassOptions(rehearses=False, uses_reservations=False)
    standin.account.calls.clear()
    terms = [{"id": "cr-0123456789abcdef0"}]
    plain = open_classes(gateway, gateway._clock, a_cluster(), options)
    found = await plain.find(a_class("plain", capacityReservationSelectorTerms=terms))
    gateway.close()
    asked = {one.name for one in standin.account.calls.named()}

    assert ready(a_class("plain"), found) == "True"
    assert not {"ec2.RunInstances", "ec2.DescribeCapacityReservations"} & asked


async def test_without_the_range_of_services_no_node_of_al2023_could_start(standin, keys):
    gateway = a_gateway(standin, keys)
    cluster = msgspec.structs.replace(a_cluster(), service_range="")
    found = await open_classes(gateway, gateway._clock, cluster).find(a_class("range"))
    gateway.close()

    assert found.user_data.reason == "ClusterCIDRResolutionFailed"


async def test_a_placement_group_is_found_by_name_and_by_id(standin, finder):
    made = standin.client("ec2").create_placement_group(GroupName="near", Strategy="cluster")
    group = made["PlacementGroup"]["GroupId"]

    async def found(of, **selector):
        return (await finder.find(a_class(of, placementGroupSelector=selector))).placement_group

    assert await found("by-name", name="near") == group
    assert await found("by-id", id=group) == group
    assert (await found("by-none", name="far")).reason == "PlacementGroupNotFound"
    standin.account.faults.set("ec2.DescribePlacementGroups", Switch("deny"))
    assert (await found("denied", name="off")).reason == "PlacementGroupResolutionFailed"


async def test_a_profile_that_cannot_be_deleted_is_told(standin, finder):
    standin.account.faults.set("iam.*", Switch("throttle"))

    assert (await finder.release(a_class("stuck"))).is_passing
