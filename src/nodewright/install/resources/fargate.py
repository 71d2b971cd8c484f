"""Where the controller runs: on a managed node group, or on Fargate where a cluster has none.

It must never run on a node of its own making: when that node goes, nobody is left who could make another. So a
cluster without a node group is refused, unless a Fargate profile is asked for.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.aws.tags import print_tags
from nodewright.install.found import Found
from nodewright.install.names import NAMESPACE, Names
from nodewright.install.resources.identity import IN_USE, MISSING
from nodewright.install.resources.roles import EXISTS, trust, write
from nodewright.install.steps import Ask, Step
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

NOWHERE: Final = "NW-9708"
_POLICY: Final = "AmazonEKSFargatePodExecutionRolePolicy"


def check_home(found: Found, wish: Wish) -> None:
    """Refuse a cluster on which the controller would have nowhere to run."""
    cluster = found.account.cluster
    if wish.is_fargate or cluster.node_groups or NAMESPACE in cluster.fargate_namespaces:
        return
    raise UserError(
        f"cluster {cluster.name} has no managed node group, so the controller has nowhere to run: it "
        "cannot run on nodes that it makes itself",
        code=NOWHERE,
        advice="make a node group of one or two small machines, or let the controller run on "
        "Fargate with --fargate",
    )


def plan_fargate(found: Found, wish: Wish, names: Names) -> Iterator[Step]:
    """Plan the Fargate profile of the controller's namespace and the role of its pods."""
    if not wish.is_fargate:
        return
    account, name = found.account, names.fargate_role
    if name in account.roles:
        yield Step("=", "iam role", name)
    else:
        trusted = trust({"Service": "eks-fargate-pods.amazonaws.com"}, "sts:AssumeRole")
        params = {
            "RoleName": name,
            "AssumeRolePolicyDocument": write(trusted),
            "Description": "Pods of Nodewright on Fargate",
            "Tags": print_tags(names.tags),
        }
        attach = {"RoleName": name, "PolicyArn": names.managed(_POLICY)}
        deeds = (Ask("iam.CreateRole", params, EXISTS), Ask("iam.AttachRolePolicy", attach))
        yield Step("+", "iam role", name, _POLICY, deeds)
    if account.fargate is not None:
        yield Step("=", "fargate profile", names.fargate_profile)
        return
    asked = {
        "clusterName": names.cluster,
        "fargateProfileName": names.fargate_profile,
        "podExecutionRoleArn": names.iam(f"role/{name}"),
        "subnets": private_subnets(found),
        "selectors": [{"namespace": NAMESPACE}],
        "tags": names.tags,
    }
    made = Ask("eks.CreateFargateProfile", asked, IN_USE)
    detail = f"pods of namespace {NAMESPACE}"
    yield Step("+", "fargate profile", names.fargate_profile, detail, (made,))


def private_subnets(found: Found) -> list[str]:
    """Give the subnets in which Fargate can run pods: it takes private ones only."""
    private = [one.name for one in found.account.subnets if not one.is_public]
    if not private:
        raise UserError(
            f"cluster {found.account.cluster.name} has no private subnet, and Fargate runs pods only "
            "in private ones",
            code=NOWHERE,
        )
    return private


def undo_fargate(found: Found, names: Names) -> Iterator[Step]:
    """Take the profile away where it is ours; its role goes with the other roles."""
    profile = found.account.fargate
    if profile is not None and names.is_ours(profile.tags):
        params = {"clusterName": names.cluster, "fargateProfileName": profile.name}
        gone = Ask("eks.DeleteFargateProfile", params, MISSING)
        yield Step("-", "fargate profile", profile.name, "", (gone,))
