"""Subnets of classes: terms that find none, and zones of pools in which there is none."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.aws.tags import print_tags
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import POOLS, PROVISIONERS, describe_cluster
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import Placed, literal_tags, placed_classes
from nodewright.install.found import Json
from nodewright.install.steps import Ask, Step

_ZONE: Final = "topology.kubernetes.io/zone"


class Pool(msgspec.Struct, frozen=True):
    """A pool of today or of older days: how it is named, the class it refers to, its requirements."""

    title: str
    node_class: str
    requirements: tuple[Json, ...]


class Facts(msgspec.Struct, frozen=True):
    """Classes with their subnets, pools with their zones, and where the node groups are."""

    classes: tuple[Placed, ...]
    pools: tuple[Pool, ...]
    subnets: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Match the terms of classes with the subnets of the VPC, and read the pools."""
    told = await describe_cluster(look)
    known = tuple(map(str, told.get("resourcesVpcConfig", {}).get("subnetIds") or ()))
    classes = await placed_classes(look)
    if any(not one.subnets for one in classes):
        known = await _of_node_groups(look) or known
    pools = [_pool(one) for one in await look.all(POOLS)]
    pools += [_older_pool(one) for one in await look.all(PROVISIONERS)]
    return Facts(classes, tuple(pools), known)


def _pool(one: Json) -> Pool:
    spec = one["spec"]["template"]["spec"]
    named = str((spec.get("nodeClassRef") or {}).get("name", ""))
    return Pool(f"NodePool/{one['metadata']['name']}", named, tuple(spec.get("requirements") or ()))


def _older_pool(one: Json) -> Pool:
    spec = one["spec"]
    named = str((spec.get("providerRef") or {}).get("name", ""))
    title = f"Provisioner/{one['metadata']['name']}"
    return Pool(title, named, tuple(spec.get("requirements") or ()))


async def _of_node_groups(look: Look) -> tuple[str, ...]:
    name = look.subject.cluster
    groups = await look.aws_all("eks.ListNodegroups", "nodegroups", clusterName=name)
    found: set[str] = set()
    for one in groups[:2]:
        told = await look.aws("eks.DescribeNodegroup", clusterName=name, nodegroupName=one)
        found |= set(map(str, (told or {}).get("nodegroup", {}).get("subnets") or ()))
    return tuple(sorted(found))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield classes without subnets, and pools that ask for zones without one."""
    for one in facts.classes:
        if not one.subnets:
            yield _unfound(facts, one)
    by_name = {one.node_class.metadata.name: one for one in facts.classes}
    for pool in facts.pools:
        placed = by_name.get(pool.node_class)
        if placed is not None and placed.subnets:
            yield from _zones(pool, placed)


def _unfound(facts: Facts, one: Placed) -> Finding:
    tags = literal_tags(one.node_class.spec.subnet_selector_terms)
    mends: tuple[Mend, ...] = ()
    if tags and facts.subnets:
        params = {"Resources": list(facts.subnets), "Tags": print_tags(tags)}
        words = ", ".join(f"{key}={value}" for key, value in tags.items())
        step = Step(
            "~", "subnets", ", ".join(facts.subnets), words, (Ask("ec2.CreateTags", params),)
        )
        mends = (Mend(step, (Ask("ec2.DeleteTags", params),)),)
    terms = msgspec.json.encode(one.node_class.spec.subnet_selector_terms).decode()
    return Finding(
        objects=(one.title,),
        message=say(
            "the subnetSelectorTerms of {title} find no subnet",
            "{title}의 subnetSelectorTerms로 찾은 서브넷이 없습니다",
            title=one.title,
        ),
        cause=Text(
            "no subnet of the cluster's VPC has the tags or the id that the terms ask for",
            "클러스터 VPC의 어떤 서브넷에도 조건이 요구하는 태그나 ID가 없음",
        ),
        facts=(
            fact(one.title, "spec.subnetSelectorTerms", terms),
            fact("node groups", "subnets", ", ".join(facts.subnets) or "none"),
        ),
        mends=mends,
        advice=(f"kubectl edit {one.title.lower().replace('/', ' ')}",),
    )


def _zones(pool: Pool, placed: Placed) -> Iterator[Finding]:
    there = sorted({str(one["AvailabilityZone"]) for one in placed.subnets})
    for one in pool.requirements:
        wanted = one.get("values") or []
        missing = sorted(set(wanted) - set(there))
        if one.get("key") != _ZONE or one.get("operator") != "In" or not missing:
            continue
        yield Finding(
            objects=(pool.title, placed.title),
            message=say(
                "{name} asks for {missing}, where {title} has no subnet",
                "{name}이(가) 요구하는 {missing}에 {title}의 서브넷이 없습니다",
                name=pool.title,
                missing=", ".join(missing),
                title=placed.title,
            ),
            cause=Text(
                "the zones of the pool were written by hand, and the class has no subnet there",
                "풀에 영역을 직접 적었으나 클래스에는 그 영역의 서브넷이 없음",
            ),
            facts=(
                fact(pool.title, f"requirements {_ZONE}", ", ".join(wanted)),
                fact(placed.title, "zones of its subnets", ", ".join(there)),
            ),
            advice=(f"kubectl edit {pool.title.lower().replace('/', ' ')}",),
            lowered_to="warning" if len(missing) < len(wanted) else None,
        )


CHECK = Check(
    code="NW-3015",
    section="network",
    severity="error",
    title=Text("classes find subnets in the zones of their pools", "풀의 영역마다 서브넷이 있음"),
    why=Text(
        "Without a subnet nothing is launched, in that zone or at all.",
        "서브넷이 없으면 그 영역이나 전체에서 아무것도 시작되지 않습니다.",
    ),
    answer=Text(
        "The subnets of the node groups get the tags that the terms ask for; zones are the owner's to choose.",
        "노드 그룹의 서브넷에 조건이 요구하는 태그를 붙입니다. 영역은 소유자가 정합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
    yields_to=("NW-3003",),
)
