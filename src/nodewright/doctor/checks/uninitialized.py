"""Nodes that are not initialized long after they started, where no other check knows why."""

from collections.abc import Iterator

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import condition
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.waiting import Waiting, waiting_claims


def judge(waiting: tuple[Waiting, ...]) -> Iterator[Finding]:
    """Yield each claim that waits."""
    for one in waiting:
        facts = tuple(
            fact(one.name, f"status.conditions[{kind}]", _state(one, kind))
            for kind in ("Launched", "Registered", "Initialized")
        )
        yield Finding(
            objects=(one.name,),
            message=say(
                "{name} is {stage} and not initialized after {minutes} min",
                "{name}이(가) {minutes}분이 지나도 초기화되지 않았습니다(단계: {stage})",
                name=one.name,
                stage=one.stage,
                minutes=one.minutes,
            ),
            cause=Text(
                "expiry, emptiness and consolidation leave nodes alone that are not initialized",
                "초기화되지 않은 노드에는 만료, 비움, 통합이 적용되지 않음",
            ),
            facts=facts,
            advice=(f"nodewright doctor node {one.node_name}",),
        )


def _state(one: Waiting, kind: str) -> str:
    told = condition(one.claim, kind)
    said = f" ({told['message']})" if told.get("message") else ""
    return f"{told.get('status', 'not set')}{said}"


CHECK = Check(
    code="NW-3054",
    section="nodes",
    severity="warning",
    title=Text("every node is initialized in time", "모든 노드가 제때 초기화됨"),
    why=Text(
        "It is paid for, takes no pods, and nothing removes it.",
        "비용은 들지만 파드를 받지 못하고 아무도 제거하지 않습니다.",
    ),
    answer=Text(
        "nodewright doctor node NAME walks through what the node waits for.",
        "nodewright doctor node NAME이 노드가 무엇을 기다리는지 차례로 보여 줍니다.",
    ),
    probe=waiting_claims,
    judge=judge,
    yields_to=(
        "NW-3007",
        "NW-3008",
        "NW-3009",
        "NW-3010",
        "NW-3012",
        "NW-3013",
        "NW-3014",
        "NW-3020",
        "NW-3023",
        "NW-3024",
        "NW-3025",
        "NW-3045",
        "NW-3052",
        "NW-3053",
        "NW-3059",
    ),
)
