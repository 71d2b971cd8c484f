"""A controller that cannot resolve names because the DNS of the cluster waits for a node from it."""

import copy
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import Controller, find_controller
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change
from nodewright.install.found import Json

_DNS: Final = "/apis/apps/v1/namespaces/kube-system/deployments/coredns"


class Facts(msgspec.Struct, frozen=True):
    """The controller, and the DNS of the cluster."""

    controller: Controller | None
    dns: Json | None


async def probe(look: Look) -> Facts:
    """Read both deployments."""
    return Facts(await find_controller(look), await look.get(_DNS))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield a controller that asks a DNS which does not run."""
    one, dns = facts.controller, facts.dns
    if one is None or dns is None or one.replicas == 0:
        return
    ready = int((dns.get("status") or {}).get("readyReplicas") or 0)
    policy = str(one.pod_spec.get("dnsPolicy", "ClusterFirst"))
    if ready or policy != "ClusterFirst":
        return
    after = copy.deepcopy(one.document)
    after["spec"]["template"]["spec"]["dnsPolicy"] = "Default"
    yield Finding(
        objects=(one.title, "Deployment/kube-system/coredns"),
        message=say(
            "{title} asks the DNS of the cluster, and no pod of coredns is ready",
            "{title}이(가) 클러스터 DNS에 물어보지만 준비된 coredns 파드가 없습니다",
            title=one.title,
        ),
        cause=Text(
            "coredns waits for a node, and the controller that would make it cannot resolve sts.amazonaws.com",
            "coredns는 노드를 기다리고, 노드를 만들 컨트롤러는 sts.amazonaws.com을 찾지 못함",
        ),
        facts=(
            fact(one.title, "spec.template.spec.dnsPolicy", policy),
            fact("Deployment/kube-system/coredns", "status.readyReplicas", ready),
        ),
        mends=(
            change(
                one.path,
                ("deployment", f"{one.namespace}/{one.name}"),
                "dnsPolicy Default",
                one.document,
                after,
            ),
        ),
    )


CHECK = Check(
    code="NW-3035",
    section="chart",
    severity="error",
    title=Text("the controller can resolve names", "컨트롤러가 이름을 찾을 수 있음"),
    why=Text(
        "Calls of AWS end in time-outs (STS i/o timeout), so no node is made, not even for the DNS.",
        "AWS 호출이 시간 초과로 끝나(STS i/o timeout) DNS가 쓸 노드조차 만들어지지 않습니다.",
    ),
    answer=Text(
        "The controller gets dnsPolicy Default, and asks the resolver of the VPC.",
        "컨트롤러의 dnsPolicy를 Default로 바꿔 VPC의 리졸버를 쓰게 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
