"""The service-linked role of spot: without it the first spot machine of an account is refused."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import POOLS
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Ask, Step

ROLE: Final = "AWSServiceRoleForEC2Spot"
_KEY: Final = "karpenter.sh/capacity-type"


class Facts(msgspec.Struct, frozen=True):
    """Whether the role is there, and the pools that may buy spot."""

    pools: tuple[str, ...]
    has_role: bool


async def probe(look: Look) -> Facts:
    """Read the pools and the role."""
    pools = tuple(
        f"NodePool/{one['metadata']['name']}"
        for one in await look.all(POOLS)
        if _may_be_spot(one["spec"]["template"]["spec"].get("requirements") or [])
    )
    told = await look.aws("iam.GetRole", RoleName=ROLE) if pools else {}
    return Facts(pools, told is not None)


def _may_be_spot(requirements: list[Json]) -> bool:
    for one in requirements:
        if one.get("key") != _KEY:
            continue
        named = "spot" in (one.get("values") or ())
        if (str(one.get("operator")) == "In") != named:
            return False
    return True


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield that the role is missing where somebody wants spot."""
    if facts.has_role or not facts.pools:
        return
    made = Ask(
        "iam.CreateServiceLinkedRole",
        {"AWSServiceName": "spot.amazonaws.com"},
        ("InvalidInput", "EntityAlreadyExists"),
    )
    undo = Ask("iam.DeleteServiceLinkedRole", {"RoleName": ROLE}, ("NoSuchEntity",))
    yield Finding(
        objects=(f"IAM role {ROLE}", *facts.pools),
        message=say(
            "{count} pools may buy spot, and the account has no role {role} for it",
            "풀 {count}개가 스팟을 살 수 있지만 계정에 {role} 역할이 없습니다",
            count=len(facts.pools),
            role=ROLE,
        ),
        cause=Text(
            "spot was never used in the account, and the controller may not make the role",
            "계정에서 스팟을 쓴 적이 없고 컨트롤러는 이 역할을 만들 수 없음",
        ),
        facts=(fact("IAM", f"role {ROLE}", "not there"),),
        mends=(Mend(Step("+", "iam role", ROLE, "for spot", (made,)), (undo,)),),
    )


CHECK = Check(
    code="NW-3034",
    section="identity",
    severity="error",
    title=Text("the account has the role of spot", "계정에 스팟용 역할이 있음"),
    why=Text(
        "Spot machines are refused with AuthFailure.ServiceLinkedRoleCreationNotPermitted.",
        "스팟 인스턴스가 AuthFailure.ServiceLinkedRoleCreationNotPermitted로 거부됩니다.",
    ),
    answer=Text("The service-linked role is made.", "서비스 연결 역할을 만듭니다."),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
