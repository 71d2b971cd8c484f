"""User data of classes, written for a machine that never will be: what cannot be merged is found before a boot."""

from collections.abc import Iterator

import msgspec

from nodewright.aws.cluster import Cluster
from nodewright.aws.userdata.draft import Draft
from nodewright.aws.userdata.render import write_user_data
from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError

_PODS = 110


class Facts(msgspec.Struct, frozen=True):
    """Classes that bring user data of their own."""

    classes: tuple[EC2NodeClass, ...]


async def probe(look: Look) -> Facts:
    """Read the classes."""
    return Facts(tuple(one for one in await node_classes(look) if one.spec.user_data))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield user data that the image's system could not read."""
    for one in facts.classes:
        title = title_of(one)
        error = _mistake(one)
        if error is None:
            continue
        yield Finding(
            objects=(title,),
            message=say(
                "the userData of {title} cannot be used: {why}",
                "{title}의 userData를 쓸 수 없습니다: {why}",
                title=title,
                why=error.message,
            ),
            cause=Text(
                "the text is not in the form that the image's system reads at boot",
                "이미지의 운영 체제가 부팅할 때 읽는 형식이 아님",
            ),
            facts=(
                fact(title, "spec.amiFamily", one.spec.resolved_family),
                fact(title, "spec.userData", error.message),
            ),
            advice=(error.advice,)
            if error.advice
            else (f"kubectl edit {title_of(one).lower().replace('/', ' ')}",),
        )


def _mistake(one: EC2NodeClass) -> UserError | None:
    cluster = Cluster(
        "cluster", "us-east-1", "https://cluster", "Q0E=", "10.100.0.0/16", "10.100.0.10", "1.34"
    )
    draft = Draft(
        cluster=cluster, max_pods=_PODS, kubelet=one.spec.kubelet, written=one.spec.user_data or ""
    )
    try:
        write_user_data(one.spec.resolved_family, draft)
    except UserError as error:
        return error
    return None


CHECK = Check(
    code="NW-3014",
    section="classes",
    severity="error",
    title=Text("user data can be read at boot", "userData를 부팅할 때 읽을 수 있음"),
    why=Text(
        "A machine that cannot read its user data starts, is paid for, and never joins.",
        "userData를 읽지 못한 인스턴스는 비용만 들고 클러스터에 들어오지 못합니다.",
    ),
    answer=Text(
        "The first line that is wrong is shown; what was meant only its author knows.",
        "처음으로 잘못된 줄을 보여 줍니다. 무엇을 뜻했는지는 작성자만 압니다.",
    ),
    probe=probe,
    judge=judge,
)
