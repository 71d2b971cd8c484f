"""Service-linked roles by their right names, and the tags of instance profiles."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.iam import LINKED


@pytest.fixture
def iam(standin):
    return standin.client("iam")


@pytest.mark.parametrize(("service", "name"), sorted(LINKED.items()))
def test_a_linked_role_has_the_name_that_aws_gives_it(iam, service, name):
    made = iam.create_service_linked_role(AWSServiceName=service)["Role"]

    assert made["RoleName"] == name
    assert made["Arn"].endswith(f":role/aws-service-role/{service}/{name}")
    assert iam.get_role(RoleName=name)["Role"]["Path"] == f"/aws-service-role/{service}/"


def test_it_cannot_be_made_twice(iam):
    iam.create_service_linked_role(AWSServiceName="ecs.amazonaws.com")
    with pytest.raises(ClientError) as raised:
        iam.create_service_linked_role(AWSServiceName="ecs.amazonaws.com")

    assert error_of(raised) == "InvalidInput"


def test_the_tags_of_a_profile_are_listed(iam):
    iam.create_instance_profile(
        InstanceProfileName="tagged", Path="/karpenter/x/", Tags=[{"Key": "a", "Value": "1"}]
    )
    iam.tag_instance_profile(InstanceProfileName="tagged", Tags=[{"Key": "b", "Value": "2"}])
    told = iam.list_instance_profile_tags(InstanceProfileName="tagged")

    assert told["Tags"] == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    assert not told["IsTruncated"]


def test_profiles_are_listed_by_path_and_page_by_page(iam):
    for name in ("one", "two"):
        iam.create_instance_profile(InstanceProfileName=name, Path=f"/listed/{name}/")
    first = iam.list_instance_profiles(PathPrefix="/listed/", MaxItems=1)
    rest = iam.list_instance_profiles(PathPrefix="/listed/", Marker=first["Marker"])
    names = [
        one["InstanceProfileName"]
        for one in iam.list_instance_profiles(PathPrefix="/listed/two/")["InstanceProfiles"]
    ]

    assert first["IsTruncated"]
    assert len(first["InstanceProfiles"]) == len(rest["InstanceProfiles"]) == 1
    assert names == ["two"]


def test_an_unknown_profile_has_none(iam):
    with pytest.raises(ClientError) as raised:
        iam.list_instance_profile_tags(InstanceProfileName="nobody")

    assert error_of(raised) == "NoSuchEntity"


def test_amazons_policies_can_be_attached(iam):
    iam.create_role(
        RoleName="node",
        AssumeRolePolicyDocument='{"Version":"2012-10-17","Statement":[{"Effect":"Allow",'
        '"Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}',
    )
    for name in (
        "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly",
        "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore",
    ):  # fmt: skip
        iam.attach_role_policy(RoleName="node", PolicyArn=f"arn:aws:iam::aws:policy/{name}")

    assert len(iam.list_attached_role_policies(RoleName="node")["AttachedPolicies"]) == 5


def test_a_role_that_is_not_in_a_profile_cannot_be_taken_out_of_it(standin):
    iam = standin.client("iam")
    iam.create_instance_profile(InstanceProfileName="bare")

    with pytest.raises(ClientError) as raised:
        iam.remove_role_from_instance_profile(InstanceProfileName="bare", RoleName="absent")

    assert error_of(raised) == "NoSuchEntity"
