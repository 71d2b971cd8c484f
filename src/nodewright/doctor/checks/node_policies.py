"""The policies of node roles: without them a node does not join, gets no addresses or pulls no images."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.account import node_roles
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import notes_of
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import associations
from nodewright.doctor.look import Look
from nodewright.install.resources.identity import ROLE_NOTE
from nodewright.install.resources.roles import GONE
from nodewright.install.steps import Ask, Step

_WORKER: Final = "AmazonEKSWorkerNodePolicy"
_NETWORK: Final = "AmazonEKS_CNI_Policy"
_IMAGES: Final = ("AmazonEC2ContainerRegistryPullOnly", "AmazonEC2ContainerRegistryReadOnly")
_ACCOUNT: Final = "/api/v1/namespaces/kube-system/serviceaccounts/aws-node"


class Facts(msgspec.Struct, frozen=True):
    """Node roles with what is attached to them, and whether the network plugin has its own role."""

    partition: str
    attached: tuple[tuple[str, tuple[str, ...]], ...]
    plugin_has_role: bool


async def probe(look: Look) -> Facts:
    """Read the policies of node roles, and how the network plugin gets its rights."""
    account = await look.get(_ACCOUNT)
    has_role = bool(account and notes_of(account).get(ROLE_NOTE))
    associated = {(one["namespace"], one["serviceAccount"]) for one in await associations(look)}
    found = []
    for name in sorted({one.name for one in await node_roles(look) if one.arn}):
        told = await look.aws_all("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
        found.append((name, tuple(sorted(str(one["PolicyName"]) for one in told))))
    is_own = has_role or ("kube-system", "aws-node") in associated
    return Facts(partition_of(look.subject.region), tuple(found), is_own)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each node role that lacks a policy."""
    for role, attached in facts.attached:
        missing = [] if _WORKER in attached else [_WORKER]
        if not facts.plugin_has_role and _NETWORK not in attached:
            missing.append(_NETWORK)
        if not set(_IMAGES) & set(attached):
            missing.append(_IMAGES[0])
        if missing:
            yield _finding(facts, role, attached, missing)


def _finding(facts: Facts, role: str, attached: tuple[str, ...], missing: list[str]) -> Finding:
    def mend(policy: str) -> Mend:
        arn = f"arn:{facts.partition}:iam::aws:policy/{policy}"
        params = {"RoleName": role, "PolicyArn": arn}
        step = Step("~", "iam role", role, f"+ {policy}", (Ask("iam.AttachRolePolicy", params),))
        return Mend(step, (Ask("iam.DetachRolePolicy", params, GONE),))

    return Finding(
        objects=(f"IAM role {role}",),
        message=say(
            "role {role} of nodes lacks {missing}",
            "노드 역할 {role}에 {missing} 정책이 없습니다",
            role=role,
            missing=", ".join(missing),
        ),
        cause=Text(
            "the managed policies of EKS were not attached, or were taken away",
            "EKS 관리형 정책이 연결되지 않았거나 제거됨",
        ),
        facts=(fact(f"IAM role {role}", "attached policies", ", ".join(attached) or "none"),),
        mends=tuple(map(mend, missing)),
    )


CHECK = Check(
    code="NW-3010",
    section="identity",
    severity="error",
    title=Text("node roles have their policies", "노드 역할에 필요한 정책이 있음"),
    why=Text(
        "Without them a node does not join, its pods get no addresses, or no image is pulled.",
        "정책이 없으면 노드가 들어오지 못하거나 파드가 주소를 받지 못하거나 이미지를 내려받지 못합니다.",
    ),
    answer=Text(
        "The managed policies are attached; the network plugin's only where it has no role of its own.",
        "관리형 정책을 연결합니다. CNI 정책은 플러그인에 자체 역할이 없을 때만 연결합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3059",),
)
