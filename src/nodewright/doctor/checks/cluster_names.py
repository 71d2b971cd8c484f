"""Names of the cluster: settings and roles that speak of another one."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import Controller, find_controller
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look

_PREFIXES: Final = ("KarpenterNodeRole-", "NodewrightNodeRole-")


class Facts(msgspec.Struct, frozen=True):
    """The cluster, the controller, the node roles of classes, and the other clusters of the account."""

    cluster: str
    controller: Controller | None
    roles: tuple[tuple[str, str], ...]
    others: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Read the settings of the controller, the classes and the names of clusters."""
    roles = tuple(
        (title_of(one), one.spec.role) for one in await node_classes(look) if one.spec.role
    )
    names = await look.aws_all("eks.ListClusters", "clusters")
    others = tuple(sorted(str(one) for one in names if one != look.subject.cluster))
    return Facts(look.subject.cluster, await find_controller(look), roles, others)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the places that name another cluster."""
    wrong = list(_wrong(facts))
    if not wrong:
        return
    yield Finding(
        objects=tuple(dict.fromkeys(where for where, _, _ in wrong)),
        message=say(
            "{count} settings do not speak of cluster {cluster}",
            "설정 {count}개가 클러스터 {cluster}의 것이 아닙니다",
            count=len(wrong),
            cluster=facts.cluster,
        ),
        cause=Text(
            "names were copied from another cluster, or mistyped",
            "다른 클러스터의 이름을 복사했거나 잘못 입력함",
        ),
        facts=tuple(fact(where, field, value) for where, field, value in wrong),
        advice=("nodewright install --plan-out plan.json",),
    )


def _wrong(facts: Facts) -> Iterator[tuple[str, str, str]]:
    one = facts.controller
    if one is not None:
        named = one.settings.get("CLUSTER_NAME", "")
        if named and named != facts.cluster:
            yield one.title, "env CLUSTER_NAME", named
        queue = one.settings.get("INTERRUPTION_QUEUE", "")
        if queue in facts.others:
            yield one.title, "env INTERRUPTION_QUEUE", queue
    for title, role in facts.roles:
        for prefix in _PREFIXES:
            name = role.rpartition("/")[2]
            if name.startswith(prefix) and name.removeprefix(prefix) in facts.others:
                yield title, "spec.role", role


CHECK = Check(
    code="NW-3060",
    section="chart",
    severity="warning",
    title=Text("every setting speaks of this cluster", "모든 설정이 이 클러스터의 것임"),
    why=Text(
        "Machines are tagged for, or join, another cluster, and messages are read from its queue.",
        "인스턴스가 다른 클러스터의 태그를 달거나 그 클러스터에 들어가고, 그 큐의 메시지를 읽게 됩니다.",
    ),
    answer=Text(
        "Which of the names was meant only the owner knows.",
        "어느 이름이 맞는지는 소유자만 압니다.",
    ),
    probe=probe,
    judge=judge,
)
