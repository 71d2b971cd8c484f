"""Pods that ask for nothing: nodes are sized by what pods request, so these are sized by luck."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import ENDED, NODES, PODS, labels_of, name_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.model.labels import NODEPOOL

_SHARE_PERCENT: Final = 20
_RANGE: Final = (
    "kubectl apply -n {space} -f - <<'END'\napiVersion: v1\nkind: LimitRange\nmetadata: {{name: requests}}\n"
    "spec: {{limits: [{{type: Container, defaultRequest: {{cpu: 100m, memory: 128Mi}}}}]}}\nEND"
)


class Facts(msgspec.Struct, frozen=True):
    """How many pods run on nodes of pools, and which of them ask for nothing."""

    count: int
    bare: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Read the pods on nodes of pools."""
    pools = {one["metadata"]["name"] for one in await look.all(NODES) if NODEPOOL in labels_of(one)}
    pods = [
        one
        for one in await look.all(PODS)
        if one["spec"].get("nodeName") in pools
        and (one.get("status") or {}).get("phase") not in ENDED
        and not _is_daemon(one)
    ]
    return Facts(len(pods), tuple(name_of(one) for one in pods if not _asks(one)))


def _is_daemon(pod: Json) -> bool:
    return any(one["kind"] == "DaemonSet" for one in pod["metadata"].get("ownerReferences") or ())


def _asks(pod: Json) -> bool:
    return any(
        (one.get("resources") or {}).get("requests") for one in pod["spec"].get("containers") or ()
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the pods, where they are more than a few."""
    if not facts.bare or len(facts.bare) * 100 < facts.count * _SHARE_PERCENT:
        return
    spaces = sorted({one.partition("/")[0] for one in facts.bare})
    yield Finding(
        objects=tuple(f"Pod/{one}" for one in facts.bare[:5]),
        message=say(
            "{bare} of {count} pods on nodes of pools request nothing",
            "풀의 노드에 있는 파드 {count}개 중 {bare}개가 아무것도 요청하지 않습니다",
            bare=len(facts.bare),
            count=facts.count,
        ),
        cause=Text(
            "resources.requests is empty in their containers, and no LimitRange fills it in",
            "컨테이너의 resources.requests가 비어 있고 채워 줄 LimitRange도 없음",
        ),
        facts=tuple(
            fact(f"Pod/{one}", "spec.containers[].resources.requests", "none")
            for one in facts.bare[:3]
        ),
        advice=tuple(
            line for space in spaces[:3] for line in _RANGE.format(space=space).split("\n")
        ),
    )


CHECK = Check(
    code="NW-3042",
    section="pods",
    severity="warning",
    title=Text("pods say what they need", "파드가 필요한 자원을 요청함"),
    why=Text(
        "Nodes are made too small for them: they are throttled, and killed when memory runs out.",
        "노드가 너무 작게 만들어져 파드가 느려지고 메모리가 모자라면 죽습니다(OOM).",
    ),
    answer=Text(
        "Write requests, or give the namespace a LimitRange: the numbers are the owner's.",
        "requests를 쓰거나 네임스페이스에 LimitRange를 두십시오. 값은 주인이 정합니다.",
    ),
    probe=probe,
    judge=judge,
)
