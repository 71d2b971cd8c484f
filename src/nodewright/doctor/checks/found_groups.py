"""Security groups of classes: terms that find none leave machines without a network."""

from collections.abc import Iterator

import msgspec

from nodewright.aws.tags import print_tags
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import Placed, cluster_group, literal_tags, placed_classes
from nodewright.install.steps import Ask, Step


class Facts(msgspec.Struct, frozen=True):
    """Classes with what they find, and the group of the cluster."""

    classes: tuple[Placed, ...]
    cluster_group: str


async def probe(look: Look) -> Facts:
    """Match the terms of classes with the groups of the VPC."""
    return Facts(await placed_classes(look), await cluster_group(look))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each class whose terms find no security group."""
    for one in facts.classes:
        if not one.groups:
            yield _finding(one, facts.cluster_group)


def _finding(one: Placed, group: str) -> Finding:
    terms = one.node_class.spec.security_group_selector_terms
    tags = literal_tags(terms)
    mends: tuple[Mend, ...] = ()
    if tags and group:
        asked = {"Resources": [group], "Tags": print_tags(tags)}
        words = ", ".join(f"{key}={value}" for key, value in tags.items())
        mends = (
            Mend(
                Step("~", "security group", group, words, (Ask("ec2.CreateTags", asked),)),
                (Ask("ec2.DeleteTags", asked),),
            ),
        )
    return Finding(
        objects=(one.title,),
        message=say(
            "the securityGroupSelectorTerms of {title} find no security group",
            "{title}의 securityGroupSelectorTerms로 찾은 보안 그룹이 없습니다",
            title=one.title,
        ),
        cause=Text(
            "no security group of the cluster's VPC has the tags, id or name that the terms ask for",
            "클러스터 VPC의 어떤 보안 그룹에도 조건이 요구하는 태그, ID, 이름이 없음",
        ),
        facts=(
            fact(one.title, "spec.securityGroupSelectorTerms", _shown(terms)),
            fact("EKS cluster", "resourcesVpcConfig.clusterSecurityGroupId", group or "none"),
        ),
        mends=mends,
        advice=(f"kubectl edit {one.title.replace('/', ' ').lower()}",),
    )


def _shown(terms: object) -> str:
    return msgspec.json.encode(terms).decode()


CHECK = Check(
    code="NW-3001",
    section="network",
    severity="error",
    title=Text("classes find security groups", "노드 클래스가 보안 그룹을 찾음"),
    why=Text(
        "A class without security groups is not ready, and no node is made.",
        "보안 그룹이 없는 클래스는 준비되지 않아 노드가 만들어지지 않습니다.",
    ),
    answer=Text(
        "The cluster's own security group gets the tags that the terms ask for; terms by id or name are the owner's to mend.",
        "클러스터 보안 그룹에 조건이 요구하는 태그를 붙입니다. ID나 이름으로 된 조건은 소유자가 고쳐야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3003",),
)
