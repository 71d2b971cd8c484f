"""Nodes that came out smaller than they were thought to be: pods that were placed on them do not fit."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLAIMS, NODES, Controller, condition, find_controller
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.quantity import BadQuantity, parse_quantity

_CONDITION: Final = "ConsistentStateFound"
_VARIABLE: Final = "VM_MEMORY_OVERHEAD_PERCENT"
_DEFAULT: Final = 0.075


class Facts(msgspec.Struct, frozen=True):
    """Claims whose node is not as promised, with the node, and the controller."""

    controller: Controller | None
    claims: tuple[tuple[Json, Json | None], ...]


async def probe(look: Look) -> Facts:
    """Read the claims that were found inconsistent."""
    nodes = {one["metadata"]["name"]: one for one in await look.all(NODES)}
    claims = [
        (one, nodes.get((one.get("status") or {}).get("nodeName", "")))
        for one in await look.all(CLAIMS)
        if condition(one, _CONDITION).get("status") == "False"
    ]
    return Facts(await find_controller(look), tuple(claims))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield each claim with the overhead that would have been right."""
    for claim, node in facts.claims:
        title = f"NodeClaim/{claim['metadata']['name']}"
        now = (
            float(facts.controller.settings.get(_VARIABLE, _DEFAULT))
            if facts.controller
            else _DEFAULT
        )
        wanted = _overhead(claim, node, now)
        where = facts.controller
        yield Finding(
            objects=(title,),
            message=say(
                "{title} has less room than was planned with",
                "{title}의 실제 자원이 계획보다 적습니다",
                title=title,
            ),
            cause=Text(
                "the part of memory that the hypervisor keeps is larger than vmMemoryOverheadPercent says",
                "하이퍼바이저가 차지하는 메모리가 vmMemoryOverheadPercent보다 큼",
            ),
            facts=(
                fact(title, _CONDITION, condition(claim, _CONDITION).get("message", "False")),
                fact("controller", _VARIABLE, now),
            ),
            advice=(
                f"kubectl set env -n {where.namespace} deployment/{where.name} {_VARIABLE}={wanted:.3f}"
                if where
                else f"helm upgrade … --set settings.vmMemoryOverheadPercent={wanted:.3f}",
            ),
        )


def _overhead(claim: Json, node: Json | None, now: float) -> float:
    """Give the overhead with which the node would have been planned right, rounded up."""
    promised = _memory(claim)
    real = _memory(node or {})
    if not promised or not real or real >= promised:
        return now + 0.01
    whole = promised / (1 - now)
    return round(1 - real / whole + 0.0005, 3)


def _memory(document: Json) -> int:
    text = ((document.get("status") or {}).get("capacity") or {}).get("memory", "0")
    try:
        return parse_quantity(str(text))
    except BadQuantity:
        return 0


CHECK = Check(
    code="NW-3046",
    section="nodes",
    severity="warning",
    title=Text("nodes are as large as was planned", "노드가 계획한 만큼 큼"),
    why=Text(
        "Pods that were meant for the node do not fit it, and another node is made for them.",
        "그 노드에 놓으려던 파드가 들어가지 않아 노드를 또 만들게 됩니다.",
    ),
    answer=Text(
        "Raise vmMemoryOverheadPercent; by how much depends on the types in use, a figure is printed.",
        "vmMemoryOverheadPercent를 높이십시오. 정도는 쓰는 타입에 따라 다르며, 값을 제안합니다.",
    ),
    probe=probe,
    judge=judge,
)
