"""The network plugin's own role gives it what it needs, where it has one of its own."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import notes_of
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.steps import Ask, Step

_ACCOUNT: Final = "/api/v1/namespaces/kube-system/serviceaccounts/aws-node"
_NOTE: Final = "eks.amazonaws.com/role-arn"
_POLICIES: Final = ("AmazonEKS_CNI_Policy", "AmazonEKS_CNI_IPv6_Policy")
_TITLE: Final = "ServiceAccount/kube-system/aws-node"


class Facts(msgspec.Struct, frozen=True):
    """The role of the plugin, what is attached to it, and whether it is there at all."""

    role: str
    exists: bool
    policies: tuple[str, ...]
    partition: str = "aws"


async def probe(look: Look) -> Facts:
    """Read the plugin's role, by annotation or by association."""
    account = await look.get(_ACCOUNT)
    role = notes_of(account).get(_NOTE, "") if account else ""
    partition = partition_of(look.subject.region) if look.subject.region else "aws"
    if not role:
        return Facts("", False, (), partition)
    name = role.rpartition("/")[2]
    told = await look.aws("iam.GetRole", RoleName=name)
    attached = (
        await look.aws_all("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
        if told
        else []
    )
    return Facts(
        role, told is not None, tuple(str(one["PolicyName"]) for one in attached), partition
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield a role that is not there, or that lacks the policy."""
    if not facts.role or any(one in facts.policies for one in _POLICIES):
        return
    name = facts.role.rpartition("/")[2]
    seen = [fact(_TITLE, f"metadata.annotations[{_NOTE}]", facts.role)]
    attached = ", ".join(facts.policies) or "none" if facts.exists else "the role is not there"
    seen.append(fact(f"role {name}", "attached policies", attached))
    policy = f"arn:{facts.partition}:iam::aws:policy/{_POLICIES[0]}"
    params = {"RoleName": name, "PolicyArn": policy}
    step = Step("~", "iam role", name, f"+ {_POLICIES[0]}", (Ask("iam.AttachRolePolicy", params),))
    undo = (Ask("iam.DetachRolePolicy", params),)
    yield Finding(
        objects=(_TITLE, facts.role),
        message=say(
            "the role {name} of aws-node gives it no right to attach addresses",
            "aws-node의 역할 {name}에 주소를 붙일 권한이 없습니다",
            name=name,
        ),
        cause=say(
            "the service account has a role of its own, which lacks {policy}",
            "서비스 어카운트가 자기 역할을 쓰는데 그 역할에 {policy}가 없음",
            policy=_POLICIES[0],
        ),
        facts=tuple(seen),
        mends=(Mend(step, undo),) if facts.exists else (),
        advice=(f"kubectl annotate serviceaccount -n kube-system aws-node {_NOTE}-",),
    )


CHECK = Check(
    code="NW-3052",
    section="identity",
    severity="error",
    title=Text(
        "the network plugin may attach addresses", "네트워크 플러그인에 주소를 붙일 권한이 있음"
    ),
    why=Text(
        "The CNI is never initialized, and nodes stay NotReady: cni plugin not initialized.",
        "CNI가 초기화되지 않아 노드가 NotReady로 남습니다(cni plugin not initialized).",
    ),
    answer=Text(
        "AmazonEKS_CNI_Policy is attached to the plugin's role.",
        "플러그인의 역할에 AmazonEKS_CNI_Policy를 붙입니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
