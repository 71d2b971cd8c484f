"""Node roles of clusters that are gone: the next installation under their name fails on them."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
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
            )
        )
    return Facts(tuple(stale))


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
                fact("EKS", "clusters", f"none is named {one.cluster}"),
            ),
            mends=(_mend(one),),
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
    return Mend(Step("-", "iam role", one.name, "with its instance profiles", tuple(deeds)))


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
        "The role is taken out of its instance profiles, they and the role are deleted; this cannot be undone.",
        "역할을 인스턴스 프로파일에서 빼고 프로파일과 역할을 삭제합니다. 되돌릴 수 없습니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
