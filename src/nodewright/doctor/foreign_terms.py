"""Terms that name another cluster: its subnets and groups are found, or nothing at all."""

import copy
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.cluster import CLASSES
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change
from nodewright.doctor.placed import DISCOVERY
from nodewright.install.found import Json

_FIELDS: Final = ("subnetSelectorTerms", "securityGroupSelectorTerms")


class Facts(msgspec.Struct, frozen=True):
    """The cluster, the other clusters of the account, and the classes as they are written."""

    cluster: str
    others: tuple[str, ...]
    classes: tuple[Json, ...]


async def probe(look: Look) -> Facts:
    """Read the names of clusters and the classes."""
    names = await look.aws_all("eks.ListClusters", "clusters")
    others = tuple(sorted(str(one) for one in names if one != look.subject.cluster))
    return Facts(look.subject.cluster, others, tuple(await look.all(CLASSES)))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each class whose terms ask for what is another cluster's."""
    for one in facts.classes:
        wrong = list(_wrong(one, facts))
        if wrong:
            yield _finding(facts, one, wrong)


def _wrong(one: Json, facts: Facts) -> Iterator[tuple[str, str]]:
    for field in _FIELDS:
        for number, term in enumerate(one["spec"].get(field) or ()):
            for key, value in (term.get("tags") or {}).items():
                named = value if key == DISCOVERY else key.removeprefix("kubernetes.io/cluster/")
                if named in facts.others:
                    yield f"spec.{field}[{number}].tags[{key}]", value


def _finding(facts: Facts, one: Json, wrong: list[tuple[str, str]]) -> Finding:
    name = str(one["metadata"]["name"])
    return Finding(
        objects=(f"EC2NodeClass/{name}",),
        message=say(
            "EC2NodeClass/{name} asks for what belongs to another cluster than {cluster}",
            "EC2NodeClass/{name}이(가) {cluster}이(가) 아닌 다른 클러스터의 것을 찾습니다",
            name=name,
            cluster=facts.cluster,
        ),
        cause=Text(
            "the manifest was copied from another cluster with its name in the tags",
            "다른 클러스터의 이름이 태그에 적힌 매니페스트를 복사함",
        ),
        facts=tuple(fact(f"EC2NodeClass/{name}", field, value) for field, value in wrong),
        mends=_mends(facts, one),
        advice=(f"kubectl edit ec2nodeclass {name}",),
    )


def _mends(facts: Facts, one: Json) -> tuple[Mend, ...]:
    after = copy.deepcopy(one)
    for field in _FIELDS:
        for term in after["spec"].get(field) or ():
            tags = term.get("tags") or {}
            if tags.get(DISCOVERY) in facts.others:
                tags[DISCOVERY] = facts.cluster
    if after == one:
        return ()
    name = str(one["metadata"]["name"])
    detail = f"{DISCOVERY}={facts.cluster}"
    return (change(f"{CLASSES}/{name}", ("ec2nodeclass", name), detail, one, after),)
