"""Daemon pods that wait on a node which was sized without them."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import NODES, PODS, condition, labels_of, name_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.labels import NODEPOOL

_FIELD: Final = "metadata.name"
_PRIORITY: Final = '{"spec":{"template":{"spec":{"priorityClassName":"system-node-critical"}}}}'


class Stuck(msgspec.Struct, frozen=True):
    """A daemon pod that waits, and its node."""

    pod: str
    daemon: str
    node: str
    pool: str
    said: str


async def probe(look: Look) -> tuple[Stuck, ...]:
    """Read daemon pods that are unschedulable on nodes of pools."""
    nodes = {str(one["metadata"]["name"]): one for one in await look.all(NODES)}
    found = []
    for pod in await look.all(PODS):
        owner: Json = next(iter(pod["metadata"].get("ownerReferences") or ()), {})
        told = condition(pod, "PodScheduled")
        if owner.get("kind") != "DaemonSet" or told.get("reason") != "Unschedulable":
            continue
        node = nodes.get(_wanted_node(pod))
        if node is not None and NODEPOOL in labels_of(node):
            found.append(_stuck(pod, str(owner["name"]), node, str(told.get("message", ""))))
    return tuple(found)


def _wanted_node(pod: Json) -> str:
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    for term in required.get("nodeSelectorTerms") or ():
        for one in term.get("matchFields") or ():
            if one["key"] == _FIELD:
                return str(one["values"][0])
    return ""


def _stuck(pod: Json, daemon: str, node: Json, said: str) -> Stuck:
    space = pod["metadata"]["namespace"]
    return Stuck(
        name_of(pod), f"{space}/{daemon}", str(node["metadata"]["name"]),
        labels_of(node)[NODEPOOL], said,
    )  # fmt: skip


def judge(stuck: tuple[Stuck, ...]) -> Iterator[Finding]:
    """Yield each daemon set that has no room on nodes that are there."""
    for daemon in sorted({one.daemon for one in stuck if "nsufficient" in one.said}):
        mine = [one for one in stuck if one.daemon == daemon and "nsufficient" in one.said]
        nodes = sorted({one.node for one in mine})
        space, _, name = daemon.partition("/")
        yield Finding(
            objects=(f"DaemonSet/{daemon}", *(f"Node/{one}" for one in nodes)),
            message=say(
                "DaemonSet {daemon} has no room on {count} nodes that were made before it",
                "데몬셋 {daemon}이(가) 먼저 만들어진 노드 {count}개에 들어갈 자리가 없습니다",
                daemon=daemon,
                count=len(nodes),
            ),
            cause=Text(
                "nodes are sized for the daemon sets that are there when they are made",
                "노드 크기는 만들 당시의 데몬셋을 기준으로 정해짐",
            ),
            facts=tuple(fact(f"Pod/{one.pod}", "PodScheduled", one.said) for one in mine[:3]),
            advice=(
                f"kubectl patch daemonset -n {space} {name} --type merge -p '{_PRIORITY}'",
                *(
                    f"kubectl delete node {one}   # drained first, then replaced"
                    for one in nodes[:3]
                ),
            ),
        )


CHECK = Check(
    code="NW-3018",
    section="nodes",
    severity="warning",
    title=Text("daemon sets have room on every node", "모든 노드에 데몬셋이 들어갈 자리가 있음"),
    why=Text(
        "The daemon is missing on those nodes: no logs, metrics or storage, whatever it gives.",
        "그 노드에는 데몬이 없어 로그, 메트릭, 스토리지 같은 기능이 빠집니다.",
    ),
    answer=Text(
        "Have the nodes replaced, or raise the priority of the daemon set: that is a choice.",
        "노드를 교체하거나 데몬셋의 우선순위를 높이십시오. 선택이 필요합니다.",
    ),
    probe=probe,
    judge=judge,
)
