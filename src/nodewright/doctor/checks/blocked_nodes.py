"""Nodes that should go and stay: what blocks them is named, pod by pod."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import (
    BUDGETS,
    CLAIMS,
    ENDED,
    PODS,
    condition,
    instant,
    labels_of,
    name_of,
    notes_of,
)
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json

_DO_NOT: Final = "karpenter.sh/do-not-disrupt"
_PATIENCE_MS: Final = 60 * 60_000
_HOUR_MS: Final = 3_600_000


class Blocked(msgspec.Struct, frozen=True):
    """A claim that should go, since when, why, and who keeps it."""

    claim: str
    node: str
    reason: str
    hours: int
    blockers: tuple[str, ...]


async def probe(look: Look) -> tuple[Blocked, ...]:
    """Read claims that should have gone, the pods on them and their budgets."""
    due = [
        (one, *told) for one in await look.all(CLAIMS) if (told := _due(one, look.subject.now_ms))
    ]
    if not due:
        return ()
    pods = await look.all(PODS)
    spent = [
        one
        for one in await look.all(BUDGETS)
        if (one.get("status") or {}).get("disruptionsAllowed", 1) == 0
        and (one.get("status") or {}).get("expectedPods", 0)
    ]
    found = []
    for claim, reason, since_ms in due:
        node = (claim.get("status") or {}).get("nodeName", "")
        on_it = [one for one in pods if one["spec"].get("nodeName") == node and node]
        blockers = tuple(line for one in on_it for line in _blocks(one, spent))
        found.append(
            Blocked(str(claim["metadata"]["name"]), node, reason, since_ms // _HOUR_MS, blockers)
        )
    return tuple(found)


def _due(claim: Json, now_ms: int) -> tuple[str, int] | None:
    leaving = claim["metadata"].get("deletionTimestamp")
    if leaving:
        waited = now_ms - instant(leaving, now_ms)
        return ("deletion", waited) if waited >= _PATIENCE_MS else None
    drifted = condition(claim, "Drifted")
    if drifted.get("status") == "True":
        waited = now_ms - instant(drifted.get("lastTransitionTime"), now_ms)
        return ("Drifted", waited) if waited >= _PATIENCE_MS else None
    return None


def _blocks(pod: Json, spent: list[Json]) -> Iterator[str]:
    if (pod.get("status") or {}).get("phase") in ENDED:
        return
    if notes_of(pod).get(_DO_NOT) == "true":
        yield f"Pod/{name_of(pod)} metadata.annotations[{_DO_NOT}]: true"
    for one in spent:
        if one["metadata"]["namespace"] != pod["metadata"]["namespace"]:
            continue
        wanted = (one["spec"].get("selector") or {}).get("matchLabels") or {}
        if wanted and wanted.items() <= labels_of(pod).items():
            yield f"PodDisruptionBudget/{name_of(one)} status.disruptionsAllowed: 0 (Pod/{name_of(pod)})"


def judge(blocked: tuple[Blocked, ...]) -> Iterator[Finding]:
    """Yield each node that somebody keeps."""
    for one in blocked:
        if not one.blockers:
            continue
        title = f"NodeClaim/{one.claim}"
        yield Finding(
            objects=(title, f"Node/{one.node}"),
            message=say(
                "{title} should have gone ({reason}) for {hours} h and is kept by {count} pods or budgets",
                "{title}이(가) {reason} 상태로 {hours}시간째 남아 있으며, 파드나 예산 {count}개가 막고 있습니다",
                title=title,
                reason=one.reason,
                hours=one.hours,
                count=len(one.blockers),
            ),
            cause=Text(
                "a pod asks not to be disrupted, or its disruption budget allows no eviction",
                "파드가 중단되지 않기를 요청했거나 중단 예산이 축출을 허용하지 않음",
            ),
            facts=(
                fact(title, "since", f"{one.hours} h ({one.reason})"),
                *(Text(line, line) for line in one.blockers[:5]),
            ),
            advice=(
                f"nodewright explain node/{one.node}",
                f"kubectl get pods -A -o wide --field-selector spec.nodeName={one.node}",
                "kubectl get pdb -A",
            ),
        )


CHECK = Check(
    code="NW-3050",
    section="nodes",
    severity="warning",
    title=Text("nodes that should go can go", "떠나야 할 노드가 떠날 수 있음"),
    why=Text(
        "The node keeps its old image or its price for as long as somebody keeps it.",
        "누군가 붙잡는 동안 노드는 오래된 이미지와 비용을 그대로 유지합니다.",
    ),
    answer=Text(
        "Whether the pod may move is its owner's to say; the blockers are named.",
        "파드를 옮겨도 되는지는 주인이 정합니다. 막고 있는 것을 알려 줍니다.",
    ),
    probe=probe,
    judge=judge,
)
