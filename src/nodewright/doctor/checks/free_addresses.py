"""Subnets that run out of addresses: nodes start, and their pods get none."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import Placed, placed_classes

NEEDED: Final = 30
"""What one machine of the size m5.large takes with its pods."""


class Facts(msgspec.Struct, frozen=True):
    """Classes with the subnets that they find."""

    classes: tuple[Placed, ...]


async def probe(look: Look) -> Facts:
    """Match the terms of classes with the subnets of the VPC."""
    return Facts(await placed_classes(look))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each subnet of a class that has hardly an address left."""
    full: dict[str, tuple[int, list[str]]] = {}
    for one in facts.classes:
        for subnet in one.subnets:
            free = int(subnet.get("AvailableIpAddressCount", 0))
            if free < NEEDED:
                full.setdefault(str(subnet["SubnetId"]), (free, []))[1].append(one.title)
    for name, (free, titles) in sorted(full.items()):
        yield Finding(
            objects=(name, *titles),
            message=say(
                "subnet {name} has {free} free addresses, fewer than one node takes with its pods",
                "서브넷 {name}의 남은 주소가 {free}개로, 노드 하나와 그 파드에도 모자랍니다",
                name=name,
                free=free,
            ),
            cause=Text(
                "pods and machines have taken the addresses of the subnet",
                "파드와 인스턴스가 서브넷의 주소를 모두 사용함",
            ),
            facts=(fact(name, "AvailableIpAddressCount", f"{free} (needed: {NEEDED})"),),
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
    title=Text("subnets have free addresses", "서브넷에 남은 주소가 있음"),
    why=Text(
        "Nodes start there and never become ready: the network plugin has no address for pods.",
        "노드가 시작되어도 네트워크 플러그인이 파드에 줄 주소가 없어 준비되지 않습니다.",
    ),
    answer=Text(
        "Other subnets, prefix delegation or a further range are the owner's choice.",
        "다른 서브넷, 프리픽스 위임, 추가 CIDR 중 무엇을 쓸지는 소유자가 정합니다.",
    ),
    probe=probe,
    judge=judge,
)
