"""The right to end machines: a policy that asks for an old name tag lets none go."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import ENDING, allow, controller_identity, is_refused
from nodewright.doctor.look import Look
from nodewright.install.resources.roles import GONE
from nodewright.install.steps import Ask, Step

_POLICY: Final = "NodewrightEndMachines"


class Facts(msgspec.Struct, frozen=True):
    """The controller's role, and whether it may end a machine of its own."""

    cluster: str
    role: str
    is_refused: bool
    machines: str = ""


async def probe(look: Look) -> Facts:
    """Ask IAM what the controller's role may do."""
    known = await controller_identity(look)
    region = look.subject.region
    return Facts(
        look.subject.cluster,
        known.role_name if known else "",
        await is_refused(look, ENDING),
        f"arn:{partition_of(region)}:ec2:{region}:*:instance/*",
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the right that is missing."""
    if not facts.is_refused or not facts.role:
        return
    owned = {f"aws:ResourceTag/kubernetes.io/cluster/{facts.cluster}": "owned"}
    condition = {
        "StringEquals": owned,
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }
    statement = {"Action": ENDING, "Resource": facts.machines, "Condition": condition}
    put, gone = allow(facts.role, _POLICY, statement)
    yield Finding(
        objects=(f"IAM role {facts.role}",),
        message=say(
            "the controller may not end its machines: role {role} lacks {action} for them",
            "컨트롤러가 자신의 인스턴스를 종료할 수 없습니다: 역할 {role}에 {action} 권한이 없음",
            role=facts.role,
            action=ENDING,
        ),
        cause=Text(
            "no statement allows it for machines with the tags of today; old policies ask for Name=*karpenter*",
            "지금의 태그를 가진 인스턴스에 허용하는 구문이 없음. 옛 정책은 Name=*karpenter*를 요구함",
        ),
        facts=(fact(f"IAM role {facts.role}", f"simulation of {ENDING}", "denied"),),
        mends=(
            Mend(
                Step("~", "iam role", facts.role, f"+ {ENDING}", (Ask("iam.PutRolePolicy", put),)),
                (Ask("iam.DeleteRolePolicy", gone, GONE),),
            ),
        ),
    )


CHECK = Check(
    code="NW-3032",
    section="identity",
    severity="error",
    title=Text(
        "the controller may end its machines", "컨트롤러가 자신의 인스턴스를 종료할 수 있음"
    ),
    why=Text(
        "Nodes that are to go stay and are paid for; their claims hang in deletion.",
        "없어져야 할 노드가 남아 비용이 들고 NodeClaim이 삭제 중에 멈춥니다.",
    ),
    answer=Text(
        "The role gets a policy that allows it for machines with the cluster's and a pool's tag.",
        "클러스터와 풀의 태그가 있는 인스턴스에 허용하는 정책을 역할에 추가합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3033",),
)
