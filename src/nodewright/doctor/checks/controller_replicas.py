"""A replica of the controller that finds no node: replicas keep apart, and need a node each."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import (
    NODES,
    PODS,
    Controller,
    condition,
    find_controller,
    labels_of,
    name_of,
)
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.model.labels import NODEPOOL


class Facts(msgspec.Struct, frozen=True):
    """The controller, its pods that wait with what the scheduler said, and the nodes it may run on."""

    controller: Controller | None
    pending: dict[str, str] = {}
    node_count: int = 0


async def probe(look: Look) -> Facts:
    """Read the controller's pods."""
    one = await find_controller(look)
    if one is None:
        return Facts(None)
    wanted = one.document["spec"]["selector"].get("matchLabels") or {}
    pending = {
        name_of(pod): str(told.get("message", ""))
        for pod in await look.all(PODS)
        if pod["metadata"].get("namespace") == one.namespace
        and wanted.items() <= labels_of(pod).items()
        and (told := condition(pod, "PodScheduled")).get("reason") == "Unschedulable"
    }
    own = [node for node in await look.all(NODES) if NODEPOOL not in labels_of(node)]
    return Facts(one, pending, len(own))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the replicas that wait."""
    one = facts.controller
    if one is None or not facts.pending:
        return
    where = f"-n {one.namespace}"
    yield Finding(
        objects=(one.title, *(f"Pod/{name}" for name in facts.pending)),
        message=say(
            "{count} of {replicas} replicas of {title} cannot be placed",
            "{title}의 복제본 {replicas}개 중 {count}개를 놓을 곳이 없습니다",
            count=len(facts.pending),
            replicas=one.replicas,
            title=one.title,
        ),
        cause=Text(
            "replicas keep apart by host (and zone), and only nodes that the autoscaler has not made count",
            "복제본은 호스트(와 영역)별로 떨어져야 하고, 오토스케일러가 만들지 않은 노드만 쓸 수 있음",
        ),
        facts=(
            fact(one.title, "spec.replicas", one.replicas),
            fact("nodes", "not of a NodePool", facts.node_count),
            *(fact(f"Pod/{name}", "PodScheduled", said) for name, said in facts.pending.items()),
        ),
        advice=(
            f"kubectl scale {where} deployment {one.name} --replicas=1   # without a stand-in",
            (
                "aws eks update-nodegroup-config --cluster-name CLUSTER --nodegroup-name GROUP "
                "--scaling-config minSize=2,desiredSize=2   # or: a node for each replica"
            ),
        ),
    )


CHECK = Check(
    code="NW-3031",
    section="chart",
    severity="warning",
    title=Text(
        "every replica of the controller has a node", "컨트롤러의 모든 복제본에 노드가 있음"
    ),
    why=Text(
        "Without its stand-in the controller is gone for as long as its one node is.",
        "대기 복제본이 없으면 노드 하나가 없는 동안 컨트롤러도 없습니다.",
    ),
    answer=Text(
        "Run one replica, or give the node group a node for each: that is a choice.",
        "복제본을 하나로 줄이거나 노드 그룹에 노드를 늘리십시오. 선택이 필요합니다.",
    ),
    probe=probe,
    judge=judge,
)
