"""kube-proxy on Windows nodes: it acts as the node and needs a group of its own, or no name is resolved there.

An access entry of type EC2_WINDOWS gives the group; in `aws-auth` it stands beside the groups of nodes. The
type of an entry never changes, so it is made anew; entries of nodes carry no other rights that could be lost.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.access import NODE_KINDS, WINDOWS, Access, bare, node_access
from nodewright.doctor.account import node_roles
from nodewright.doctor.cluster import AWS_AUTH
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.access import write_map
from nodewright.install.resources.identity import IN_USE, MISSING
from nodewright.install.steps import Ask, Merge, Step

GROUP: Final = "eks:kube-proxy-windows"
_OTHER: Final = "ROLE_OF_WINDOWS_NODES"


class Shared(msgspec.Struct, frozen=True):
    """A role of Windows nodes: the classes that give it to them, and those that give it to others."""

    windows: tuple[str, ...]
    others: tuple[str, ...] = ()


class Facts(msgspec.Struct, frozen=True):
    """Who is let in, and the roles of Windows nodes."""

    access: Access | None = None
    roles: dict[str, Shared] = {}


async def probe(look: Look, classes: tuple[str, ...]) -> Facts:
    """Read how the roles of Windows nodes are let in, where there are such."""
    if not classes:
        return Facts()
    roles = [one for one in await node_roles(look) if one.arn]
    found = {
        arn: Shared(
            tuple(one.of for one in roles if one.arn == arn and one.is_windows),
            tuple(one.of for one in roles if one.arn == arn and not one.is_windows),
        )
        for arn in sorted({one.arn for one in roles if one.is_windows})
    }
    return Facts(await node_access(look), found)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield roles that are let in as nodes, but not as kube-proxy on Windows."""
    access = facts.access
    if access is None:
        return
    for role, shared in facts.roles.items():
        entry, line = access.entries.get(role), access.line_of(role)
        if entry is not None:
            if entry.kind in NODE_KINDS and entry.kind != WINDOWS:
                seen = fact(f"access entry {role}", "type", entry.kind)
                advice = tuple(_apart(access.cluster, shared))
                yield _finding(role, shared, seen, _of_entry(access, role, shared), advice)
        elif line is not None and GROUP not in (line.get("groups") or ()):
            seen = fact(
                "ConfigMap/kube-system/aws-auth", "data.mapRoles", f"{bare(role)} lacks {GROUP}"
            )
            yield _finding(role, shared, seen, (_of_line(access, role, line),))


def _finding(
    role: str, shared: Shared, seen: Text, mends: tuple[Mend, ...], advice: tuple[str, ...] = ()
) -> Finding:
    both = (fact(role, "given to Linux nodes too, by", ", ".join(shared.others)),)
    return Finding(
        objects=(role, *shared.windows),
        message=say(
            "kube-proxy on Windows nodes with role {name} is not let in: their pods resolve no names",
            "{name} 역할의 Windows 노드에서 kube-proxy가 거절되어 그 파드가 이름을 찾지 못합니다",
            name=role.rpartition("/")[2],
        ),
        cause=say(
            "the role does not come with the group {group}",
            "이 역할에 {group} 그룹이 없음",
            group=GROUP,
        ),
        facts=(seen, *(both if shared.others else ())),
        mends=mends,
        advice=advice,
    )


def _apart(cluster: str, shared: Shared) -> Iterator[str]:
    yield f"aws eks create-access-entry --cluster-name {cluster} --principal-arn {_OTHER} --type {WINDOWS}"
    for title in shared.windows:
        name = title.partition("/")[2]
        yield f'kubectl patch ec2nodeclass {name} --type=merge -p \'{{"spec":{{"role":"{_OTHER}"}}}}\''


def _of_entry(access: Access, role: str, shared: Shared) -> tuple[Mend, ...]:
    # One entry has one type: a role for nodes of both kinds has to be split by its owner.
    if shared.others:
        return ()
    entry = access.entries[role]
    given = {"clusterName": access.cluster, "principalArn": role}
    away = Ask("eks.DeleteAccessEntry", given, MISSING)
    tags = {"tags": entry.tags} if entry.tags else {}
    anew = Ask("eks.CreateAccessEntry", {**given, "type": WINDOWS, **tags}, IN_USE)
    back = Ask("eks.CreateAccessEntry", {**given, "type": entry.kind, **tags}, IN_USE)
    name = role.rpartition("/")[2]
    detail = f"{entry.kind} becomes {WINDOWS}; nodes with this role are let in again at once"
    return (Mend(Step("~", "access entry", name, detail, (away, anew)), (away, back)),)


def _of_line(access: Access, role: str, line: Json) -> Mend:
    right = {**line, "groups": [*(line.get("groups") or ()), GROUP]}
    text = write_map([right if one == line else one for one in access.lines])
    step = Step(
        "~",
        "aws-auth",
        role.rpartition("/")[2],
        f"+ group {GROUP}",
        (Merge(AWS_AUTH, {"data": {"mapRoles": text}}),),
    )
    return Mend(step, (Merge(AWS_AUTH, {"data": {"mapRoles": access.written_map}}),))
