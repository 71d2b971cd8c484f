"""Things that the account holds, found by kind and name."""

import pytest

from builders.controller_policies import ACCOUNT, REGION
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.eks.clusters import extras
from nodewright.sandbox.iam.holdings import Holdings

TAGS = {"team": "a"}


@pytest.fixture(scope="module")
def account():
    """An account with one thing of each kind, all tagged alike."""
    made = Account(REGION)
    ask = made.inside.ask
    listed = [{"Key": "team", "Value": "a"}]
    trust = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":"*"}]}'
    policy = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"*","Resource":"*"}]}'
    iam = {"Path": "/deep/", "Tags": listed}
    role = {"RoleName": "r", "AssumeRolePolicyDocument": trust, **iam}
    ask(REGION, "iam", "CreateRole", role)
    ask(REGION, "iam", "CreateUser", {"UserName": "u", **iam})
    ask(REGION, "iam", "CreatePolicy", {"PolicyName": "p", "PolicyDocument": policy, **iam})
    ask(REGION, "iam", "CreateInstanceProfile", {"InstanceProfileName": "i", **iam})
    ask(REGION, "iam", "AddRoleToInstanceProfile", {"InstanceProfileName": "i", "RoleName": "r"})
    ask(REGION, "sqs", "CreateQueue", {"QueueName": "q", "tags": TAGS})
    ask(
        REGION,
        "events",
        "PutRule",
        {"Name": "e", "ScheduleExpression": "rate(1 day)", "Tags": listed},
    )
    ask(REGION, "kms", "CreateKey", {"Tags": [{"TagKey": "team", "TagValue": "a"}]})
    spec = [{"ResourceType": "launch-template", "Tags": listed}]
    template = {"LaunchTemplateName": "tpl", "LaunchTemplateData": {"ImageId": "ami-1"}}
    ask(REGION, "ec2", "CreateLaunchTemplate", {**template, "TagSpecifications": spec})
    cluster = {"name": "c", "roleArn": f"arn:aws:iam::{ACCOUNT}:role/r", "tags": TAGS}
    ask(REGION, "eks", "CreateCluster", {**cluster, "resourcesVpcConfig": {}})
    extras(made, REGION, "c").addons["dns"] = {"addonArn": "arn:addon", "tags": TAGS}
    return made


@pytest.fixture
def holdings(account):
    return Holdings(account, REGION)


@pytest.mark.parametrize(
    ("kind", "name", "end"),
    [
        ("iam:role", "r", "role/deep/r"),
        ("iam:role", f"arn:aws:iam::{ACCOUNT}:role/deep/r", "role/deep/r"),
        ("iam:user", "u", "user/deep/u"),
        ("iam:policy", f"arn:aws:iam::{ACCOUNT}:policy/deep/p", "policy/deep/p"),
        ("iam:instance-profile", "i", "instance-profile/deep/i"),
        ("sqs:queue", "q", ":q"),
        ("events:rule", "e", "rule/e"),
        ("eks:cluster", "c", "cluster/c"),
        ("eks:any", f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/c", "cluster/c"),
        ("eks:addon", "c/dns", "arn:addon"),
    ],
)
def test_a_thing_is_found_with_its_path_and_its_tags(holdings, kind, name, end):
    found = holdings.find(kind, name)

    assert found.arn.endswith(end)
    assert found.tags == TAGS


def test_a_launch_template_is_found_by_name_and_by_id(holdings, account):
    by_name = holdings.find("ec2:launch-template", "tpl")
    number = by_name.arn.rsplit("/", 1)[-1]

    assert number.startswith("lt-")
    assert holdings.find("ec2:launch-template", number) == by_name
    assert by_name.tags == TAGS
    assert holdings.template({"LaunchTemplateName": "tpl"})["ImageId"] == "ami-1"
    assert holdings.template({"LaunchTemplateName": "none"}) == {}


def test_a_key_is_found_by_id_arn_and_alias(holdings, account):
    (key,) = account.inside.backend("kms", REGION).keys.values()
    alias = {"AliasName": "alias/disks", "TargetKeyId": key.id}
    account.inside.ask(REGION, "kms", "CreateAlias", alias)

    for name in (key.id, key.arn, "alias/disks"):
        assert holdings.find("kms:key", name).tags == TAGS


def test_subnets_and_groups_are_found_where_they_lie(holdings, account):
    subnet = account.inside.backend("ec2", REGION).describe_subnets()[0]

    found = holdings.find("ec2:subnet", subnet.id)
    assert found.facts["ec2:AvailabilityZone"] == subnet.availability_zone
    assert holdings.find("ec2:security-group", "default").arn.split("/")[-1].startswith("sg-")


def test_the_role_of_a_profile_is_found(holdings):
    assert holdings.profile_role("i") == f"arn:aws:iam::{ACCOUNT}:role/deep/r"
    assert holdings.profile_role("other") == ""


@pytest.mark.parametrize(
    "kind",
    [
        "ec2:instance", "ec2:launch-template", "ec2:subnet", "ec2:security-group", "ec2:volume",
        "ec2:fleet", "ec2:image", "ec2:spot-instances-request", "iam:role", "iam:policy",
        "iam:oidc-provider", "eks:cluster", "eks:nodegroup", "eks:addon", "eks:access-entry",
        "eks:fargateprofile", "eks:podidentityassociation", "eks:any", "sqs:queue", "events:rule",
        "kms:key",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["nothing", "c/nothing"])
def test_what_is_not_there_is_not_found(holdings, kind, name):
    assert holdings.find(kind, name) is None
