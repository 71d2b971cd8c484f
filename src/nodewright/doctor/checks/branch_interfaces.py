"""Pods that ask for branch interfaces, on a cluster whose CNI does not hand them out."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import ENDED, PODS, asks_for, find_daemon, name_of, variables_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change, with_variables
from nodewright.doctor.waiting import waiting_claims
from nodewright.install.found import Json

BRANCHES: Final = "vpc.amazonaws.com/pod-eni"
_VARIABLE: Final = "ENABLE_POD_ENI"
_PATH: Final = "/apis/apps/v1/namespaces/kube-system/daemonsets/aws-node"
_TITLE: Final = "DaemonSet/kube-system/aws-node"


class Facts(msgspec.Struct, frozen=True):
    """The network plugin, and who asks for branch interfaces."""

    plugin: Json | None
    pods: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()


async def probe(look: Look) -> Facts:
    """Read the plugin's settings, the pods that ask, and the claims that wait for them."""
    pods = [
        name_of(one)
        for one in await look.all(PODS)
        if asks_for(one, BRANCHES) and (one.get("status") or {}).get("phase") not in ENDED
    ]
    waiting = [
        one.name
        for one in await waiting_claims(look)
        if BRANCHES in one.amounts("capacity") and BRANCHES not in one.amounts("allocatable")
    ]
    return Facts(await find_daemon(look, "aws-node"), tuple(pods), tuple(waiting))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the plugin, where somebody waits for what it does not give."""
    wanted = (*(f"Pod/{one}" for one in facts.pods), *facts.claims)
    if facts.plugin is None or not wanted:
        return
    value = variables_of(facts.plugin).get(_VARIABLE, "")
    if value.lower() == "true":
        return
    after = with_variables(facts.plugin, {_VARIABLE: "true"})
    yield Finding(
        objects=(_TITLE, *wanted),
        message=say(
            "{count} objects wait for {resource}, and aws-node does not hand it out",
            "{count}개가 {resource}을(를) 기다리지만 aws-node가 나눠 주지 않습니다",
            count=len(wanted),
            resource=BRANCHES,
        ),
        cause=say(
            "{variable} is not true in the network plugin",
            "네트워크 플러그인의 {variable}가 true가 아님",
            variable=_VARIABLE,
        ),
        facts=(
            fact(_TITLE, f"env {_VARIABLE}", value or "not set"),
            *(fact(one, "requests", BRANCHES) for one in wanted[:3]),
        ),
        mends=(change(_PATH, ("daemonset", "aws-node"), f"{_VARIABLE}=true", facts.plugin, after),),
    )


CHECK = Check(
    code="NW-3023",
    section="nodes",
    severity="error",
    title=Text(
        "branch interfaces are handed out where pods ask",
        "파드가 요구하는 브랜치 인터페이스가 제공됨",
    ),
    why=Text(
        "A node that promises pod-eni is not initialized before it has it, and the pods stay pending.",
        "pod-eni를 약속한 노드는 그것이 생길 때까지 초기화되지 않고 파드는 Pending으로 남습니다.",
    ),
    answer=Text(
        "ENABLE_POD_ENI becomes true in aws-node.", "aws-node의 ENABLE_POD_ENI를 true로 바꿉니다."
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
