"""Security groups that claim the cluster: a load balancer wants exactly one of them on a node."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import OWNED, Placed, cluster_group, placed_classes
from nodewright.install.steps import Ask, Step


class Facts(msgspec.Struct, frozen=True):
    """Classes with what they find, the cluster, and the group of the cluster."""

    cluster: str
    classes: tuple[Placed, ...]
    cluster_group: str


async def probe(look: Look) -> Facts:
    """Match the terms of classes with the groups of the VPC."""
    return Facts(look.subject.cluster, await placed_classes(look), await cluster_group(look))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each class whose nodes would have several groups that claim the cluster."""
    key = f"{OWNED}{facts.cluster}"
    for one in facts.classes:
        claiming = sorted(str(each["GroupId"]) for each in one.groups if key in each["tags"])
        if len(claiming) > 1:
            yield _finding(facts, one, claiming)


def _finding(facts: Facts, one: Placed, claiming: list[str]) -> Finding:
    key = f"{OWNED}{facts.cluster}"
    others = [name for name in claiming if name != facts.cluster_group]
    values = {str(each["GroupId"]): str(each["tags"].get(key, "")) for each in one.groups}
    mends = tuple(
        Mend(
            Step(
                "~",
                "security group",
                name,
                f"- {key}",
                (Ask("ec2.DeleteTags", {"Resources": [name], "Tags": [{"Key": key}]}),),
            ),
            (
                Ask(
                    "ec2.CreateTags",
                    {"Resources": [name], "Tags": [{"Key": key, "Value": values[name]}]},
                ),
            ),
        )
        for name in (others if facts.cluster_group in claiming else ())
    )
    return Finding(
        objects=(one.title, *claiming),
        message=say(
            "nodes of {title} have {count} security groups with the tag {key}",
            "{title}의 노드에 {key} 태그가 붙은 보안 그룹이 {count}개 있습니다",
            title=one.title,
            count=len(claiming),
            key=key,
        ),
        cause=Text(
            "more than one security group carries the cluster's tag, and the terms find them all",
            "둘 이상의 보안 그룹에 클러스터 태그가 있고 조건이 이들을 모두 찾음",
        ),
        facts=tuple(fact(name, f"tag {key}", values[name]) for name in claiming),
        mends=mends,
        advice=(f"aws ec2 delete-tags --resources GROUP_ID --tags Key={key}",),
    )


CHECK = Check(
    code="NW-3002",
    section="network",
    severity="warning",
    title=Text(
        "one security group of a node claims the cluster",
        "노드의 보안 그룹 중 하나에만 클러스터 태그가 있음",
    ),
    why=Text(
        "The load balancer controller refuses nodes with several such groups: targets never register.",
        "로드 밸런서 컨트롤러는 이런 그룹이 여럿인 노드를 거부해 대상이 등록되지 않습니다.",
    ),
    answer=Text(
        "The tag is taken from all of them but the cluster's own security group.",
        "클러스터 보안 그룹을 뺀 나머지에서 태그를 제거합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
