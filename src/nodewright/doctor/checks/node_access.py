"""The node role is let into the cluster: by an access entry, or by a line of `aws-auth` that says it right."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.account import node_roles
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import AWS_AUTH, describe_cluster
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.access import read_map, write_map
from nodewright.install.resources.identity import IN_USE
from nodewright.install.steps import Ask, Merge, Step
from nodewright.model.errors import UserError

_USER: Final = "system:node:{{EC2PrivateDNSName}}"
_GROUPS: Final = ("system:bootstrappers", "system:nodes")
_TYPES: Final = ("EC2_LINUX", "EC2_WINDOWS", "EC2", "HYBRID_LINUX")


class Facts(msgspec.Struct, frozen=True):
    """Who may come in, and which roles our nodes have."""

    cluster: str
    mode: str
    roles: tuple[str, ...]
    entries: frozenset[str] = frozenset()
    aws_auth: Json | None = None


async def probe(look: Look) -> Facts:
    """Read the roles of classes, the access entries and `aws-auth`."""
    told = await describe_cluster(look)
    mode = str(told.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP"))
    name = look.subject.cluster
    entries: list[str] = []
    if mode != "CONFIG_MAP":
        entries = await look.aws_all("eks.ListAccessEntries", "accessEntries", clusterName=name)
    roles = tuple(one.arn for one in await node_roles(look) if one.arn)
    aws_auth = await look.get(AWS_AUTH) if mode != "API" else None
    return Facts(name, mode, roles, frozenset(map(str, entries)), aws_auth)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each node role that the API server would answer with 401."""
    for role in facts.roles:
        if role in facts.entries:
            continue
        line, lines = _mapped(facts, role)
        if line is not None and not _faults(line):
            continue
        yield _finding(facts, role, line, lines)


def _mapped(facts: Facts, role: str) -> tuple[Json | None, list[Json]]:
    text = ((facts.aws_auth or {}).get("data") or {}).get("mapRoles", "")
    try:
        lines = read_map(text)
    except UserError:
        return None, []
    return next(
        (one for one in lines if _bare(str(one.get("rolearn", ""))) == _bare(role)), None
    ), lines


def _bare(role: str) -> str:
    return f"{role.partition(':role/')[0]}:role/{role.rpartition('/')[2]}"


def _faults(line: Json) -> tuple[str, ...]:
    missing = [one for one in _GROUPS if one not in (line.get("groups") or ())]
    faults = [f"groups lack {one}" for one in missing]
    if line.get("username") != _USER:
        faults.append(f"username is {line.get('username')!r}")
    return tuple(faults)


def _finding(facts: Facts, role: str, line: Json | None, lines: list[Json]) -> Finding:
    name = role.rpartition("/")[2]
    seen = [fact(f"EKS cluster {facts.cluster}", "accessConfig.authenticationMode", facts.mode)]
    if facts.mode != "CONFIG_MAP":
        seen.append(fact("access entries", "", "none for this role"))
    if facts.mode != "API":
        said = "; ".join(_faults(line)) if line else "no line for this role"
        seen.append(fact("ConfigMap/kube-system/aws-auth", "data.mapRoles", said))
    return Finding(
        objects=(role,),
        message=say(
            "nodes with role {name} cannot join: the API server does not know it",
            "{name} 역할의 노드는 클러스터에 들어올 수 없습니다: API 서버가 이 역할을 모릅니다",
            name=name,
        ),
        cause=Text(
            "the role has no access entry and no right line in aws-auth",
            "이 역할에 대한 액세스 항목도, 올바른 aws-auth 항목도 없음",
        ),
        facts=tuple(seen),
        mends=(_mend(facts, role, line, lines),),
    )


def _mend(facts: Facts, role: str, line: Json | None, lines: list[Json]) -> Mend:
    name = role.rpartition("/")[2]
    if facts.mode != "CONFIG_MAP":
        params = {"clusterName": facts.cluster, "principalArn": role, "type": "EC2_LINUX"}
        undo = {"clusterName": facts.cluster, "principalArn": role}
        deed = Ask("eks.CreateAccessEntry", params, IN_USE)
        return Mend(
            Step("+", "access entry", name, "EC2_LINUX", (deed,)),
            (Ask("eks.DeleteAccessEntry", undo),),
        )
    right = {"rolearn": _bare(role), "username": _USER, "groups": list(_GROUPS)}
    kept = [one for one in lines if one is not line]
    before = ((facts.aws_auth or {}).get("data") or {}).get("mapRoles")
    after = write_map([*kept, right])
    merge = Merge(AWS_AUTH, {"data": {"mapRoles": after}})
    return Mend(
        Step("~", "aws-auth", name, "the line that lets nodes in", (merge,)),
        (Merge(AWS_AUTH, {"data": {"mapRoles": before}}),),
    )


CHECK = Check(
    code="NW-3025",
    section="identity",
    severity="error",
    title=Text("node roles are let into the cluster", "노드 역할이 클러스터에 등록되어 있음"),
    why=Text(
        "Machines start and are paid for, and the API server answers them 401: no node appears.",
        "인스턴스는 시작되어 비용이 들지만 API 서버가 401로 거절해 노드가 나타나지 않습니다.",
    ),
    answer=Text(
        "An access entry of type EC2_LINUX is made, or the line in aws-auth is put right.",
        "EC2_LINUX 액세스 항목을 만들거나 aws-auth 항목을 바로잡습니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
