"""Which roles were left, by whom they may still be used, and whose names only look like it."""

from datetime import UTC, datetime, timedelta

import pytest

from builders.awsclients import Hurried
from nodewright.install.look_leftover_roles import Look
from nodewright.install.names import ROLE_MAX, fit

NOW_MS = Hurried().now
NOW = datetime.fromtimestamp(NOW_MS / 1000, UTC)
OF_PODS = {"Principal": {"Service": "pods.eks.amazonaws.com"}}
LONG = "a-cluster-with-a-name-that-is-far-too-long-to-fit-into-that-of-a-role"


class Roles:
    """An account that has roles and little else."""

    def __init__(self, **roles):
        self.roles = {name.replace("_", "-"): role for name, role in roles.items()}
        self.attached = {}
        self.policies = {}

    async def list(self, call, _items, **params):
        if call == "iam.ListRoles":
            return [{"RoleName": name} for name in self.roles]
        if call == "iam.ListAttachedRolePolicies":
            names = self.attached.get(params["RoleName"], ())
            return [{"PolicyName": arn.rpartition("/")[2], "PolicyArn": arn} for arn in names]
        if call == "iam.ListPolicyVersions":
            return [
                {"VersionId": "v1", "IsDefaultVersion": False},
                {"VersionId": "v2", "IsDefaultVersion": True},
            ]
        return []

    async def ask(self, call, **params):
        if call == "iam.GetPolicy":
            return {"Policy": {"AttachmentCount": self.policies[params["PolicyArn"]]}}
        name = params["RoleName"]
        tags = [{"Key": key, "Value": one} for key, one in self.roles[name].get("tags", {}).items()]
        return {
            "Role": {
                "RoleName": name,
                "Tags": tags,
                "AssumeRolePolicyDocument": {"Statement": [self.roles[name].get("trust", OF_PODS)]},
                "RoleLastUsed": self.roles[name].get("last", {}),
            }
        }


async def found(account, *clusters):
    listed = await Look(account, frozenset(clusters), "us-west-2", NOW_MS).roles()
    return {one.name: one for one in listed}


async def test_roles_of_controllers_and_of_fargate_are_left_too():
    names = [
        "KarpenterControllerRole_old",
        "NodewrightControllerRole_old",
        "NodewrightFargateRole_old",
    ]
    left = await found(Roles(**{name: {} for name in names}, MyControllerRole_old={}), "shop")

    assert sorted(left) == [name.replace("_", "-") for name in names]
    assert {(one.cluster, one.used_by) for one in left.values()} == {("old", "")}
    assert await found(Roles(KarpenterControllerRole_shop={}), "shop") == {}


async def test_a_name_that_was_cut_is_still_that_of_its_cluster():
    account = Roles(**{fit("NodewrightControllerRole-", LONG, ROLE_MAX): {}})
    assert await found(account, LONG) == {}
    assert len(await found(account, "shop")) == 1

    account = Roles(NodewrightControllerRole_x={"tags": {"nodewright.dev/cluster": LONG}})
    assert await found(account, LONG) == {}
    [one] = (await found(account, "shop")).values()
    assert one.cluster == LONG


@pytest.mark.parametrize(
    ("role", "why"),
    [
        ({"last": {"Region": "eu-west-1"}}, "it was used in eu-west-1 last"),
        ({"last": {"LastUsedDate": NOW - timedelta(hours=30)}}, "it was used less than 2 days ago"),
        ({"last": {"LastUsedDate": NOW - timedelta(days=3), "Region": "us-west-2"}}, ""),
        ({"trust": {"Principal": {"AWS": ["arn:aws:iam::1:user/ann"]}}}, "arn:aws:iam::1:user/ann may take it on"),
        ({"trust": {"Principal": {"Service": "lambda.amazonaws.com"}}}, "lambda.amazonaws.com may take it on"),
        ({"trust": {"Principal": "*"}}, "anybody may take it on"),
    ],
)  # fmt: skip
async def test_who_may_still_use_it_is_named(role, why):
    [one] = (await found(Roles(KarpenterControllerRole_old=role), "shop")).values()
    assert one.used_by == why


async def test_of_eksctl_only_the_tags_are_believed_and_only_autoscalers_are_our_business():
    def by_eksctl(account):
        tags = {"alpha.eksctl.io/cluster-name": "old"}
        return {"tags": {**tags, "alpha.eksctl.io/iamserviceaccount-name": account}}

    account = Roles(
        eksctl_old_addon_iamserviceaccount_k_Role1_A=by_eksctl("karpenter/karpenter"),
        eksctl_old_addon_iamserviceaccount_k_Role1_B=by_eksctl("kube-system/cluster-autoscaler"),
        eksctl_old_addon_iamserviceaccount_d_Role1_C=by_eksctl("kube-system/external-dns"),
        team_karpenter={},
        old_karpenter={"tags": {"alpha.eksctl.io/cluster-name": "old"}},
    )

    assert sorted(await found(account, "shop")) == [
        "eksctl-old-addon-iamserviceaccount-k-Role1-A",
        "eksctl-old-addon-iamserviceaccount-k-Role1-B",
        "old-karpenter",
    ]
    assert await found(account, "old") == {}


async def test_a_policy_goes_with_its_role_unless_somebody_else_has_it():
    account = Roles(KarpenterControllerRole_old={})
    own, aws = (
        "arn:aws:iam::1:policy/KarpenterControllerPolicy-old",
        "arn:aws:iam::aws:policy/Any-old",
    )
    account.attached = {"KarpenterControllerRole-old": [own, aws]}
    account.policies = {own: 1}

    left = await found(account, "shop")
    assert left["KarpenterControllerPolicy-old"].parts == (own, "v1")
    assert "Any-old" not in left

    account.policies = {own: 3}
    left = await found(account, "shop")
    assert left["KarpenterControllerPolicy-old"].used_by == "2 more have it"
