"""The right to look images up: without it no alias can be resolved, and no node is made."""

from collections.abc import Iterator

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import PARAMETERS, allow, controller_identity, is_refused
from nodewright.doctor.look import Look
from nodewright.install.resources.roles import GONE
from nodewright.install.steps import Ask, Step

_POLICY = "NodewrightReadImageParameters"


class Facts(msgspec.Struct, frozen=True):
    """Whether parameters are needed, by whom they are read, and whether that is refused."""

    classes: tuple[str, ...]
    role: str
    is_refused: bool
    parameters: str = ""


async def probe(look: Look) -> Facts:
    """Ask IAM what the controller's role may do."""
    classes = tuple(
        title_of(one)
        for one in await node_classes(look)
        if any(term.alias or term.ssm_parameter for term in one.spec.ami_selector_terms)
    )
    known = await controller_identity(look)
    region = look.subject.region
    return Facts(
        classes,
        known.role_name if known else "",
        bool(classes) and await is_refused(look, PARAMETERS),
        f"arn:{partition_of(region)}:ssm:{region}::parameter/aws/service/*",
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the right that is missing."""
    if not facts.is_refused or not facts.role:
        return
    put, gone = allow(facts.role, _POLICY, {"Action": PARAMETERS, "Resource": facts.parameters})
    yield Finding(
        objects=(f"IAM role {facts.role}", *facts.classes),
        message=say(
            "the controller may not read the parameters that name images: role {role} lacks {action}",
            "컨트롤러가 이미지 이름이 담긴 파라미터를 읽을 수 없습니다: 역할 {role}에 {action} 권한이 없음",
            role=facts.role,
            action=PARAMETERS,
        ),
        cause=Text(
            "the policy of the controller's role has no statement for it, or another denies it",
            "컨트롤러 역할의 정책에 해당 구문이 없거나 다른 정책이 거부함",
        ),
        facts=(fact(f"IAM role {facts.role}", f"simulation of {PARAMETERS}", "denied"),),
        mends=(
            Mend(
                Step(
                    "~", "iam role", facts.role, f"+ {PARAMETERS}", (Ask("iam.PutRolePolicy", put),)
                ),
                (Ask("iam.DeleteRolePolicy", gone, GONE),),
            ),
        ),
    )


CHECK = Check(
    code="NW-3011",
    section="identity",
    severity="error",
    title=Text("the controller may look images up", "컨트롤러가 이미지를 조회할 수 있음"),
    why=Text(
        "Aliases cannot be resolved: classes have no images, and no node is made at all.",
        "별칭을 해석할 수 없어 클래스에 이미지가 없고 노드가 전혀 만들어지지 않습니다.",
    ),
    answer=Text(
        "The role gets a policy that allows it, for the public parameters only.",
        "공개 파라미터에 한해 허용하는 정책을 역할에 추가합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3033",),
)
