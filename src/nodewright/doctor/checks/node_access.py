"""The node role is let into the cluster: by an access entry, or by a line of `aws-auth` that says it right."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.access import LINUX, NODE_KINDS, WINDOWS, Access, bare, node_access
from nodewright.doctor.account import NodeRole, node_roles
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import AWS_AUTH
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.access import write_map
from nodewright.install.resources.identity import IN_USE
from nodewright.install.steps import Apply, Ask, Merge, Remove, Step

_USER: Final = "system:node:{{EC2PrivateDNSName}}"
_GROUPS: Final = ("system:bootstrappers", "system:nodes")


class Facts(msgspec.Struct, frozen=True):
    """Who may come in, and which roles our nodes have, each with whether only Windows nodes have it."""

    access: Access
    roles: dict[str, bool]


async def probe(look: Look) -> Facts:
    """Read the roles of classes, the access entries and `aws-auth`."""
    access = await node_access(look)
    return Facts(access, _by_arn(await node_roles(look)))


def _by_arn(roles: tuple[NodeRole, ...]) -> dict[str, bool]:
    found: dict[str, bool] = {}
    for one in roles:
        if one.arn:
            found[one.arn] = found.get(one.arn, True) and one.is_windows
    return found


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each node role that the API server would answer with 401, or that it takes for no node."""
    access = facts.access
    for role, only_windows in facts.roles.items():
        kind = LINUX if not only_windows else WINDOWS
        entry = access.entries.get(role)
        if entry is not None:
            if entry.kind not in NODE_KINDS:
                yield _no_node(access, role, entry.kind, kind)
            continue
        line = access.line_of(role)
        if line is None or _faults(line):
            yield _unknown(access, role, line, kind)


def _faults(line: Json) -> tuple[str, ...]:
    missing = [one for one in _GROUPS if one not in (line.get("groups") or ())]
    faults = [f"groups lack {one}" for one in missing]
    if line.get("username") != _USER:
        faults.append(f"username is {line.get('username')!r}")
    return tuple(faults)


def _no_node(access: Access, role: str, kind: str, wanted: str) -> Finding:
    given = f"--cluster-name {access.cluster} --principal-arn {role}"
    return Finding(
        objects=(role,),
        message=say(
            "nodes with role {name} cannot join: their access entry is of type {kind}, not of nodes",
            "{name} 역할의 노드는 클러스터에 들어올 수 없습니다: 액세스 항목의 유형이 노드용이 아닌 {kind}입니다",
            name=role.rpartition("/")[2],
            kind=kind,
        ),
        cause=Text(
            "the type of an entry never changes, and whoever made it may count on the rights that it gives",
            "액세스 항목의 유형은 바꿀 수 없고, 만든 사람이 그 권한을 쓰고 있을 수 있음",
        ),
        facts=(fact(f"access entry {role}", "type", kind),),
        advice=(
            f"aws eks list-associated-access-policies {given}",
            f"aws eks delete-access-entry {given}",
            f"aws eks create-access-entry {given} --type {wanted}",
        ),
    )


def _unknown(access: Access, role: str, line: Json | None, kind: str) -> Finding:
    name = role.rpartition("/")[2]
    seen = [fact(f"EKS cluster {access.cluster}", "accessConfig.authenticationMode", access.mode)]
    if access.takes_entries:
        seen.append(fact("access entries", "", "none for this role"))
    if access.mode != "API":
        said = "; ".join(_faults(line)) if line else "no line for this role"
        said = access.why_unreadable or said
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
        mends=tuple(_mends(access, role, line, kind)),
        advice=("kubectl edit configmap -n kube-system aws-auth",),
    )


def _mends(access: Access, role: str, line: Json | None, kind: str) -> Iterator[Mend]:
    if access.takes_entries:
        yield _let_in(access, role, kind)
    elif not access.why_unreadable:
        # A text that nobody can read still holds the lines of others: it is not written over.
        yield _map(access, role, line)


def _let_in(access: Access, role: str, kind: str) -> Mend:
    given = {"clusterName": access.cluster, "principalArn": role}
    deed = Ask("eks.CreateAccessEntry", {**given, "type": kind}, IN_USE)
    step = Step("+", "access entry", role.rpartition("/")[2], kind, (deed,))
    return Mend(step, (Ask("eks.DeleteAccessEntry", given),))


def _map(access: Access, role: str, line: Json | None) -> Mend:
    name = role.rpartition("/")[2]
    right = {"rolearn": bare(role), "username": _USER, "groups": list(_GROUPS)}
    text = write_map([*(one for one in access.lines if one != line), right])
    if access.aws_auth is None:
        meta = {"namespace": "kube-system", "name": "aws-auth"}
        made = Apply(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": meta,
                "data": {"mapRoles": text},
            }
        )
        step = Step("+", "aws-auth", name, "the map that lets nodes in", (made,))
        return Mend(step, (Remove(AWS_AUTH),))
    merge = Merge(AWS_AUTH, {"data": {"mapRoles": text}})
    return Mend(
        Step("~", "aws-auth", name, "the line that lets nodes in", (merge,)),
        (Merge(AWS_AUTH, {"data": {"mapRoles": access.written_map}}),),
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
        "An access entry of type EC2_LINUX (EC2_WINDOWS for a role of Windows nodes) is made, or the line in aws-auth "
        "is put right. An entry of a wrong type is its owner's to replace: it may give other rights.",
        "EC2_LINUX(Windows 노드 역할이면 EC2_WINDOWS) 액세스 항목을 만들거나 aws-auth 항목을 바로잡습니다. 유형이 다른 "
        "항목은 다른 권한을 줄 수 있으므로 소유자가 바꿔야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
