"""Node roles of clusters that are gone: the next installation under their name fails on them."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.roles import GONE
from nodewright.install.steps import Ask, Deed, Step

_ROLE: Final = re.compile(r"(?:eksctl-)?KarpenterNodeRole-(.+)")
_ROLES_MAX: Final = 4


class Stale(msgspec.Struct, frozen=True):
    """A role whose cluster is gone, with what hangs on it."""

    name: str
    cluster: str
    profiles: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    used_by: str = ""
    trust: Json | str = ""


class Facts(msgspec.Struct, frozen=True):
    """The roles that are left over."""

    stale: tuple[Stale, ...] = ()


async def probe(look: Look) -> Facts:
    """Read the roles of nodes and the names of clusters."""
    clusters = {str(one) for one in await look.aws_all("eks.ListClusters", "clusters")}
    roles = await look.aws_all("iam.ListRoles", "Roles", MaxItems=1000)
    named = [(str(one["RoleName"]), _ROLE.fullmatch(str(one["RoleName"]))) for one in roles]
    gone = [
        (name, found.group(1)) for name, found in named if found and found.group(1) not in clusters
    ]
    stale = []
    for name, cluster in gone[:_ROLES_MAX]:
        role = ((await look.aws("iam.GetRole", RoleName=name)) or {}).get("Role") or {}
        # Roles know no regions: the cluster may well be in the one that used the role last.
        if (role.get("RoleLastUsed") or {}).get(
            "Region", look.subject.region
        ) != look.subject.region:
            continue
        profiles = await look.aws_all(
            "iam.ListInstanceProfilesForRole", "InstanceProfiles", RoleName=name
        )
        policies = await look.aws_all(
            "iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name
        )
        stale.append(
            Stale(
                name,
                cluster,
                tuple(str(one["InstanceProfileName"]) for one in profiles),
                tuple(str(one["PolicyArn"]) for one in policies),
                await _machine_with(look, [str(one["Arn"]) for one in profiles]),
                role.get("AssumeRolePolicyDocument") or "",
            )
        )
    return Facts(tuple(stale))


async def _machine_with(look: Look, profiles: list[str]) -> str:
    if not profiles:
        return ""
    living = ["pending", "running", "stopping", "stopped"]
    filters = [
        {"Name": "iam-instance-profile.arn", "Values": profiles},
        {"Name": "instance-state-name", "Values": living},
    ]
    told = await look.aws_all("ec2.DescribeInstances", "Reservations", Filters=filters)
    return next((str(one["InstanceId"]) for group in told for one in group["Instances"]), "")


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each role whose cluster is gone."""
    for one in facts.stale:
        yield Finding(
            objects=(f"IAM role {one.name}",),
            message=say(
                "role {name} is left over from cluster {cluster}, which is gone",
                "역할 {name}은(는) 이미 없는 클러스터 {cluster}에서 남은 것입니다",
                name=one.name,
                cluster=one.cluster,
            ),
            cause=Text(
                "the cluster was deleted while instance profiles still held the role",
                "인스턴스 프로파일이 역할을 가진 채로 클러스터가 삭제됨",
            ),
            facts=(
                fact(
                    f"IAM role {one.name}", "instance profiles", ", ".join(one.profiles) or "none"
                ),
                fact("EKS", "clusters", f"none here is named {one.cluster}"),
                *(
                    (fact(one.used_by, "IamInstanceProfile", "holds the role"),)
                    if one.used_by
                    else ()
                ),
            ),
            mends=() if one.used_by else (_mend(one),),
            advice=(
                f"aws ec2 describe-instances --instance-ids {one.used_by}   # it uses the role",
            ),
        )


def _mend(one: Stale) -> Mend:
    deeds: list[Deed] = []
    for profile in one.profiles:
        held = {"InstanceProfileName": profile, "RoleName": one.name}
        deeds.append(Ask("iam.RemoveRoleFromInstanceProfile", held, GONE))
        deeds.append(Ask("iam.DeleteInstanceProfile", {"InstanceProfileName": profile}, GONE))
    for policy in one.policies:
        attached = {"RoleName": one.name, "PolicyArn": policy}
        deeds.append(Ask("iam.DetachRolePolicy", attached, GONE))
    deeds.append(Ask("iam.DeleteRole", {"RoleName": one.name}, GONE))
    trust = one.trust if isinstance(one.trust, str) else msgspec.json.encode(one.trust).decode()
    made = {"RoleName": one.name, "AssumeRolePolicyDocument": trust}
    undo: list[Deed] = [Ask("iam.CreateRole", made)]
    undo += [
        Ask("iam.AttachRolePolicy", {"RoleName": one.name, "PolicyArn": policy})
        for policy in one.policies
    ]
    for profile in one.profiles:
        held = {"InstanceProfileName": profile, "RoleName": one.name}
        undo.append(Ask("iam.CreateInstanceProfile", {"InstanceProfileName": profile}))
        undo.append(Ask("iam.AddRoleToInstanceProfile", held))
    step = Step("-", "iam role", one.name, "with its instance profiles", tuple(deeds))
    return Mend(step, tuple(undo))


CHECK = Check(
    code="NW-3006",
    section="identity",
    severity="warning",
    title=Text("no role of a deleted cluster is left", "삭제된 클러스터의 역할이 남아 있지 않음"),
    why=Text(
        "Installing a cluster of the same name fails: the role exists already.",
        "같은 이름의 클러스터를 설치하면 역할이 이미 있어 실패합니다.",
    ),
    answer=Text(
        "The role and its instance profiles are deleted, unless a machine or another region uses it.",
        "인스턴스나 다른 리전이 쓰고 있지 않으면 역할과 인스턴스 프로파일을 삭제합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
