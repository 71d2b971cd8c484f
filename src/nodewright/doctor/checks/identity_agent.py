"""Pod Identity without its agent: pods get the role of their node instead of their own."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import find_daemon
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.identity import associations
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.resources.identity import AGENT, IN_USE, MISSING
from nodewright.install.steps import Ask, Step

_SHOWN: Final = 5


class Facts(msgspec.Struct, frozen=True):
    """Who is to get a role, the add-ons of the cluster, and the agent's daemons."""

    cluster: str
    accounts: tuple[str, ...]
    addons: tuple[str, ...]
    daemon: Json | None = None


async def probe(look: Look) -> Facts:
    """Read associations, add-ons and the agent."""
    name = look.subject.cluster
    accounts = tuple(
        sorted(f"{one['namespace']}/{one['serviceAccount']}" for one in await associations(look))
    )
    addons = await look.aws_all("eks.ListAddons", "addons", clusterName=name)
    return Facts(name, accounts, tuple(map(str, addons)), await find_daemon(look, AGENT))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield associations that nobody hands out."""
    status = (facts.daemon or {}).get("status") or {}
    wanted, ready = int(status.get("desiredNumberScheduled", 0)), int(status.get("numberReady", 0))
    is_missing = AGENT not in facts.addons and facts.daemon is None
    is_down = facts.daemon is not None and wanted > 0 and ready == 0
    if not facts.accounts or not (is_missing or is_down):
        return
    params = {"clusterName": facts.cluster, "addonName": AGENT}
    step = Step("+", "add-on", AGENT, "", (Ask("eks.CreateAddon", params, IN_USE),))
    yield Finding(
        objects=(f"EKS cluster {facts.cluster}", *facts.accounts[:_SHOWN]),
        message=say(
            "{count} service accounts have a role by Pod Identity, and its agent does not run",
            "서비스 어카운트 {count}개에 Pod Identity 역할이 있지만 에이전트가 실행되지 않습니다",
            count=len(facts.accounts),
        ),
        cause=Text(
            "the add-on eks-pod-identity-agent is not installed"
            if is_missing
            else "no pod of the agent is ready",
            "eks-pod-identity-agent 애드온이 설치되어 있지 않음"
            if is_missing
            else "준비된 에이전트 파드가 없음",
        ),
        facts=(
            fact(f"EKS cluster {facts.cluster}", "addons", ", ".join(facts.addons) or "none"),
            fact(f"DaemonSet/kube-system/{AGENT}", "status.numberReady", f"{ready} of {wanted}"),
        ),
        mends=(Mend(step, (Ask("eks.DeleteAddon", params, MISSING),)),) if is_missing else (),
        advice=(f"kubectl -n kube-system describe daemonset {AGENT}",),
    )


CHECK = Check(
    code="NW-3005",
    section="identity",
    severity="error",
    title=Text("the agent of Pod Identity runs", "Pod Identity 에이전트가 실행 중임"),
    why=Text(
        "Without it pods act as their node's role, which may not do what they need.",
        "에이전트가 없으면 파드는 노드 역할로 동작하며, 그 역할에는 필요한 권한이 없을 수 있습니다.",
    ),
    answer=Text(
        "The add-on is installed; one that is there and does not run is for a person to look at.",
        "애드온을 설치합니다. 설치되어 있는데 실행되지 않으면 사람이 살펴봐야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
