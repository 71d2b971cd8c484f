"""Rules of security groups: nodes must reach the API server, it must reach them, and they each other."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from nodewright.doctor.account import groups_of_vpc
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import Placed, cluster_group, placed_classes
from nodewright.install.found import Json
from nodewright.install.steps import Ask, Step

_API: Final = 443
_KUBELET: Final = 10250
_DNS: Final = 53
_DONE: Final = ("InvalidPermission.Duplicate",)
_GONE: Final = ("InvalidPermission.NotFound",)


class Facts(msgspec.Struct, frozen=True):
    """Classes with the groups of their nodes, and the group of the control plane."""

    classes: tuple[Placed, ...]
    cluster_group: Json | None


class Way(msgspec.Struct, frozen=True):
    """Traffic that must pass: from some groups to others, to a port."""

    words: Text
    senders: tuple[str, ...]
    receivers: tuple[Json, ...]
    port: int


async def probe(look: Look) -> Facts:
    """Read the rules of the groups of the VPC."""
    name = await cluster_group(look)
    groups = {str(one["GroupId"]): one for one in await groups_of_vpc(look)}
    return Facts(await placed_classes(look), groups.get(name))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each way that a rule is missing for."""
    plane = facts.cluster_group
    if plane is None:
        return
    for one in facts.classes:
        if not one.groups:
            continue
        for way in _ways(one.groups, plane):
            if not any(_lets_in(each, way) for each in way.receivers):
                yield _finding(one, way)


def _ways(nodes: tuple[Json, ...], plane: Json) -> Iterator[Way]:
    names = tuple(str(one["GroupId"]) for one in nodes)
    own = (str(plane["GroupId"]),)
    yield Way(
        Text("nodes cannot reach the API server (443)", "노드가 API 서버(443)에 닿을 수 없음"),
        names,
        (plane,),
        _API,
    )
    yield Way(
        Text(
            "the API server cannot reach kubelets (10250)",
            "API 서버가 kubelet(10250)에 닿을 수 없음",
        ),
        own,
        nodes,
        _KUBELET,
    )
    yield Way(
        Text("nodes cannot reach each other (53)", "노드끼리(53) 서로 닿을 수 없음"),
        names,
        nodes,
        _DNS,
    )


def _lets_in(group: Json, way: Way) -> bool:
    return any(_lets(rule, way) for rule in group.get("IpPermissions") or ())


def _lets(rule: Json, way: Way) -> bool:
    if str(rule.get("IpProtocol")) not in ("-1", "tcp", "6"):
        return False
    first, last = rule.get("FromPort"), rule.get("ToPort")
    is_open = first is None or last is None or first == -1 or first <= way.port <= last
    pairs: Iterable[Json] = rule.get("UserIdGroupPairs") or ()
    senders = {str(one.get("GroupId")) for one in pairs}
    ranges = [*(rule.get("IpRanges") or ()), *(rule.get("Ipv6Ranges") or ())]
    return is_open and bool(senders & set(way.senders) or ranges)


def _finding(one: Placed, way: Way) -> Finding:
    receiver, sender = str(way.receivers[0]["GroupId"]), way.senders[0]
    is_all = way.port == _DNS
    rule = {
        "IpProtocol": "-1" if is_all else "tcp",
        "UserIdGroupPairs": [{"GroupId": sender}],
        **({} if is_all else {"FromPort": way.port, "ToPort": way.port}),
    }
    params = {"GroupId": receiver, "IpPermissions": [rule]}
    port = "all" if is_all else str(way.port)
    deed = Ask("ec2.AuthorizeSecurityGroupIngress", params, _DONE)
    return Finding(
        objects=(one.title, receiver),
        message=say(
            "{title}: {en}", "{title}: {ko}", title=one.title, en=way.words.en, ko=way.words.ko
        ),
        cause=Text(
            "no rule of the security groups lets this traffic in",
            "이 트래픽을 허용하는 보안 그룹 규칙이 없음",
        ),
        facts=tuple(
            fact(
                str(each["GroupId"]),
                "IpPermissions",
                f"nothing from {', '.join(way.senders)} to port {way.port}",
            )
            for each in way.receivers
        ),
        mends=(
            Mend(
                Step("~", "security group", receiver, f"+ {port} from {sender}", (deed,)),
                (Ask("ec2.RevokeSecurityGroupIngress", params, _GONE),),
            ),
        ),
    )


CHECK = Check(
    code="NW-3008",
    section="network",
    severity="error",
    title=Text(
        "nodes and the control plane can reach each other",
        "노드와 컨트롤 플레인이 서로 통신할 수 있음",
    ),
    why=Text(
        "A node that cannot reach the API server never registers; one that is not reached has no logs.",
        "API 서버에 닿지 못하는 노드는 등록되지 않고, 닿을 수 없는 노드에서는 로그를 볼 수 없습니다.",
    ),
    answer=Text(
        "The missing rule is added between the two security groups.",
        "두 보안 그룹 사이에 빠진 규칙을 추가합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
