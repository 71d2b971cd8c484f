"""Instance profiles of classes."""

import json

import pytest
from botocore.exceptions import ClientError

from builders.awsdrafts import a_cluster
from builders.awslaunches import a_spec
from builders.standin import a_network
from nodewright.aws.gateway import Fault
from nodewright.aws.profiles import (
    COLLECT_MS,
    READ_MS,
    UNUSED_MS,
    Profiles,
    older_profile_name,
    profile_name,
)
from nodewright.aws.tags import read_tags
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.metadata import ObjectMeta
from nodewright.sandbox.aws.faults import Switch

CLUSTER = a_cluster()
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


@pytest.fixture(scope="module", autouse=True)
def roles(standin):
    for name in ("nodes", "others"):
        document = json.dumps(TRUST)
        standin.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=document)


@pytest.fixture
def profiles(gateway):
    return Profiles(gateway, gateway._clock, CLUSTER)


def a_class(name="standard", **spec):
    return EC2NodeClass(ObjectMeta(name=name, uid=f"uid-{name}"), a_spec(**spec))


def run_with(standin, name):
    network = a_network(standin)
    standin.client("ec2").run_instances(
        MinCount=1,
        MaxCount=1,
        ImageId=standin.image(),
        InstanceType="m5.large",
        SubnetId=network.subnets[0],
        IamInstanceProfile={"Name": name},
    )


def look(standin, name):
    return standin.client("iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"]


async def test_a_given_profile_is_taken_as_it_is(standin, profiles):
    standin.account.calls.clear()
    assert await profiles.ensure(a_class(instanceProfile="mine")) == "mine"
    assert not [one for one in standin.account.calls.named() if one.name.startswith("iam.")]


async def test_a_role_gets_a_profile_with_our_tags(standin, profiles):
    node_class = a_class("tags", role="some/path/nodes", tags={"team": "x"})
    name = await profiles.ensure(node_class)
    made = look(standin, name)

    assert name == profile_name(CLUSTER, node_class)
    assert made["Path"] == "/karpenter/us-west-2/demo/uid-tags/"
    assert [one["RoleName"] for one in made["Roles"]] == ["nodes"]
    assert read_tags(made["Tags"]) == {
        "eks:eks-cluster-name": "demo",
        "karpenter.k8s.aws/ec2nodeclass": "tags",
        "kubernetes.io/cluster/demo": "owned",
        "nodewright.dev/cluster": "demo",
        "team": "x",
        "topology.kubernetes.io/region": "us-west-2",
    }


async def test_asking_again_changes_nothing(profiles):
    node_class = a_class("again", role="nodes")

    assert await profiles.ensure(node_class) == await profiles.ensure(node_class)


async def test_another_role_has_another_profile(profiles):
    first = await profiles.ensure(a_class("change", role="nodes"))
    second = await profiles.ensure(a_class("change", role="others"))

    assert first != second


async def test_a_profile_that_lost_its_role_gets_it_back(standin, gateway, profiles):
    node_class = a_class("lost", role="nodes")
    name = await profiles.ensure(node_class)
    iam = standin.client("iam")
    iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName="nodes")
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName="others")
    gateway._clock.now += READ_MS
    await profiles.ensure(node_class)

    assert [one["RoleName"] for one in look(standin, name)["Roles"]] == ["nodes"]


async def test_a_role_that_is_not_there_is_told(profiles):
    answer = await profiles.ensure(a_class("none", role="nobody"))

    assert isinstance(answer, Fault)
    assert answer.is_gone


async def test_profiles_of_a_class_are_deleted_with_their_roles_and_once_is_enough(
    standin, profiles
):
    names = [await profiles.ensure(a_class("gone", role=role)) for role in ("nodes", "others")]
    other = await profiles.ensure(a_class("stays", role="nodes"))

    assert await profiles.release(a_class("gone", role="nodes")) is None
    assert await profiles.release(a_class("gone", role="nodes")) is None
    for name in names:
        with pytest.raises(ClientError):
            look(standin, name)
    assert look(standin, other)["InstanceProfileName"] == other


def test_earlier_versions_named_a_profile_by_the_hash_of_region_and_class():
    # 0xaf63bd4c8601b7be is the published FNV-1 hash of "a".
    assert older_profile_name(a_cluster(region="a"), "") == f"demo_{0xAF63BD4C8601B7BE}"


async def test_the_profile_of_an_earlier_version_goes_with_its_class(standin, profiles):
    iam = standin.client("iam")
    tags = [{"Key": "kubernetes.io/cluster/demo", "Value": "owned"}]
    ours, others = (older_profile_name(CLUSTER, name) for name in ("aged", "foreign"))
    iam.create_instance_profile(InstanceProfileName=ours, Tags=tags)
    iam.add_role_to_instance_profile(InstanceProfileName=ours, RoleName="nodes")
    iam.create_instance_profile(InstanceProfileName=others)
    for name in ("aged", "foreign"):
        assert await profiles.release(a_class(name, role="nodes")) is None

    with pytest.raises(ClientError):
        look(standin, ours)
    assert look(standin, others)["InstanceProfileName"] == others


async def test_what_iam_does_not_answer_is_told(standin, profiles):
    standin.account.faults.set("iam.*", Switch("deny"))

    assert isinstance(await profiles.ensure(a_class("mute", role="nodes")), Fault)
    assert isinstance(await profiles.release(a_class("mute", role="nodes")), Fault)


async def test_a_profile_is_read_again_after_a_quarter_of_an_hour(standin, gateway, profiles):
    node_class = a_class("read", role="nodes")
    await profiles.ensure(node_class)
    standin.account.calls.clear()
    await profiles.ensure(node_class)
    assert standin.account.calls.named("iam.GetInstanceProfile") == ()
    gateway._clock.now += READ_MS
    await profiles.ensure(node_class)
    assert len(standin.account.calls.named("iam.GetInstanceProfile")) == 1


async def test_profiles_that_nobody_needs_are_deleted_after_an_hour(standin, gateway, profiles):
    old, new = a_class("moved", role="nodes"), a_class("moved", role="others")
    left = await profiles.ensure(old)
    used = await profiles.ensure(a_class("busy", role="nodes"))
    run_with(standin, used)
    for _ in range(3):
        gateway._clock.now += COLLECT_MS
        kept = await profiles.ensure(new)
        await profiles.collect()
    iam = standin.client("iam")
    there = {one["InstanceProfileName"] for one in iam.list_instance_profiles()["InstanceProfiles"]}

    assert left not in there
    assert {kept, used} <= there
    assert 3 * COLLECT_MS > UNUSED_MS


async def test_without_a_way_to_iam_nothing_is_deleted(standin, gateway):
    isolated = Profiles(gateway, gateway._clock, CLUSTER, is_isolated=True)
    name = await isolated.ensure(a_class("alone", role="nodes"))
    gateway._clock.now += 10 * UNUSED_MS

    assert await isolated.collect() == 0
    assert await isolated.release(a_class("alone", role="nodes")) is None
    assert look(standin, name)["InstanceProfileName"] == name


def test_a_long_cluster_s_name_is_cut():
    assert len(profile_name(a_cluster("c" * 200), a_class(role="nodes"))) == 128
