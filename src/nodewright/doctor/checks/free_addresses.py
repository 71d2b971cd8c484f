"""Nodes whose pods get no address: their subnet has too few left, or the network plugin does not run on them."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor import plugin_pods
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLAIMS, find_daemon, labels_of, variables_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.next_node import Need, need_of_next
from nodewright.doctor.placed import Placed, placed_classes
from nodewright.model.labels import INSTANCE_TYPE


class Facts(msgspec.Struct, frozen=True):
    """Classes with the subnets that they find, the types of their nodes, and the plugin's settings."""

    classes: tuple[Placed, ...] = ()
    types: dict[str, tuple[str, ...]] = {}
    plugin: dict[str, str] | None = None
    stuck: plugin_pods.Facts = plugin_pods.Facts()


async def probe(look: Look) -> Facts:
    """Match the terms of classes with the subnets of the VPC, and look at the plugin."""
    types: dict[str, tuple[str, ...]] = {}
    for claim in await look.all(CLAIMS):
        name = str((claim["spec"].get("nodeClassRef") or {}).get("name", ""))
        types[name] = (*types.get(name, ()), labels_of(claim).get(INSTANCE_TYPE, ""))
    daemon = await find_daemon(look, plugin_pods.PLUGIN)
    return Facts(
        await placed_classes(look),
        types,
        variables_of(daemon) if daemon is not None else None,
        await plugin_pods.probe(look),
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each subnet of a class that has no room for its next node, and nodes without the plugin."""
    full: dict[str, tuple[int, Need, list[str]]] = {}
    for one in facts.classes:
        need = need_of_next(facts.types.get(one.node_class.metadata.name, ()), facts.plugin)
        for subnet in one.subnets:
            free = int(subnet.get("AvailableIpAddressCount", 0))
            if free < need.count:
                full.setdefault(str(subnet["SubnetId"]), (free, need, []))[2].append(one.title)
    for name, (free, need, titles) in sorted(full.items()):
        yield _finding(name, free, need, titles)
    yield from plugin_pods.judge(facts.stuck)


def _finding(name: str, free: int, need: Need, titles: list[str]) -> Finding:
    return Finding(
        objects=(name, *titles),
        message=say(
            "subnet {name} has {free} free addresses, and the next node takes {count}",
            "서브넷 {name}의 남은 주소는 {free}개인데 다음 노드는 {count}개가 필요합니다",
            name=name,
            free=free,
            count=need.count,
        ),
        cause=Text(
            "pods and machines have taken the addresses of the subnet",
            "파드와 인스턴스가 서브넷의 주소를 모두 사용함",
        ),
        facts=(
            fact(name, "AvailableIpAddressCount", free),
            fact("next node", "addresses", f"{need.count} ({need.why})"),
        ),
        advice=(
            "kubectl -n kube-system set env daemonset/aws-node ENABLE_PREFIX_DELEGATION=true",
            "aws ec2 associate-vpc-cidr-block --vpc-id VPC_ID --cidr-block 100.64.0.0/16",
            f"aws ec2 delete-tags --resources {name} --tags Key=karpenter.sh/discovery",
        ),
    )


CHECK = Check(
    code="NW-3007",
    section="network",
    severity="warning",
    title=Text(
        "subnets and the network plugin have addresses for pods",
        "서브넷과 네트워크 플러그인에 파드에 줄 주소가 있음",
    ),
    why=Text(
        "Nodes start there and never become ready: the network plugin has no address for pods.",
        "노드가 시작되어도 네트워크 플러그인이 파드에 줄 주소가 없어 준비되지 않습니다.",
    ),
    answer=Text(
        "Other subnets, prefix delegation or a further range are the owner's choice, and so is what a plugin that does "
        "not run needs. A subnet is told of when it has fewer addresses than the next node takes: as a rule two whole "
        "network interfaces of the largest type that the class has now (of an m5.large where it has none: 20), since "
        "the plugin keeps one interface spare; WARM_ENI_TARGET, WARM_IP_TARGET, MINIMUM_IP_TARGET, "
        "ENABLE_PREFIX_DELEGATION and custom networking are reckoned with.",
        "다른 서브넷, 프리픽스 위임, 추가 CIDR 중 무엇을 쓸지, 실행되지 않는 플러그인에 무엇이 필요한지는 소유자가 정합니다. "
        "남은 주소가 다음 노드에 필요한 수보다 적으면 알립니다. 플러그인이 인터페이스 하나를 여분으로 두므로 보통 클래스가 지금 "
        "가진 가장 큰 유형(없으면 m5.large: 20개)의 네트워크 인터페이스 두 개 분량이며, WARM_ENI_TARGET, WARM_IP_TARGET, "
        "MINIMUM_IP_TARGET, ENABLE_PREFIX_DELEGATION, 사용자 지정 네트워킹 설정을 반영합니다.",
    ),
    probe=probe,
    judge=judge,
)
