"""Instance profiles of classes."""

import json

import pytest
from botocore.exceptions import ClientError

from builders.awsdrafts import a_cluster
from builders.awslaunches import a_spec
from nodewright.aws.gateway import Fault
from nodewright.aws.profiles import delete_profile, ensure_profile, profile_name
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


def a_class(name="standard", **spec):
    return EC2NodeClass(ObjectMeta(name=name, uid=f"uid-{name}"), a_spec(**spec))


def look(standin, name):
    return standin.client("iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"]


async def test_a_given_profile_is_taken_as_it_is(standin, gateway):
    standin.account.calls.clear()
    assert await ensure_profile(gateway, CLUSTER, a_class(instanceProfile="mine")) == "mine"
    assert not [one for one in standin.account.calls.named() if one.name.startswith("iam.")]


async def test_a_role_gets_a_profile_with_our_tags(standin, gateway):
    node_class = a_class("tags", role="some/path/nodes", tags={"team": "x"})
    name = await ensure_profile(gateway, CLUSTER, node_class)
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


async def test_asking_again_changes_nothing(gateway):
    node_class = a_class("again", role="nodes")

    assert await ensure_profile(gateway, CLUSTER, node_class) == await ensure_profile(
        gateway, CLUSTER, node_class
    )


async def test_another_role_has_another_profile(gateway):
    first = await ensure_profile(gateway, CLUSTER, a_class("change", role="nodes"))
    second = await ensure_profile(gateway, CLUSTER, a_class("change", role="others"))

    assert first != second


async def test_a_profile_that_lost_its_role_gets_it_back(standin, gateway):
    node_class = a_class("lost", role="nodes")
    name = await ensure_profile(gateway, CLUSTER, node_class)
    iam = standin.client("iam")
    iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName="nodes")
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName="others")
    await ensure_profile(gateway, CLUSTER, node_class)

    assert [one["RoleName"] for one in look(standin, name)["Roles"]] == ["nodes"]


async def test_a_role_that_is_not_there_is_told(gateway):
    answer = await ensure_profile(gateway, CLUSTER, a_class("none", role="nobody"))

    assert isinstance(answer, Fault)
    assert answer.is_gone


async def test_a_profile_is_deleted_with_its_role_and_once_is_enough(standin, gateway):
    name = await ensure_profile(gateway, CLUSTER, a_class("gone", role="nodes"))

    assert await delete_profile(gateway, name) is None
    assert await delete_profile(gateway, name) is None
    with pytest.raises(ClientError):
        look(standin, name)


async def test_what_iam_does_not_answer_is_told(standin, gateway):
    standin.account.faults.set("iam.*", Switch("deny"))

    assert isinstance(await ensure_profile(gateway, CLUSTER, a_class(role="nodes")), Fault)
    assert isinstance(await delete_profile(gateway, "x"), Fault)


def test_a_long_cluster_s_name_is_cut():
    assert len(profile_name(a_cluster("c" * 200), a_class(role="nodes"))) == 128
