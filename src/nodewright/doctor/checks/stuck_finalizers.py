"""Nodes that cannot go because the autoscaler that would let them is gone."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLAIMS, NODES, find_controller
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Merge, Step

_FINALIZER: Final = "karpenter.sh/termination"


class Facts(msgspec.Struct, frozen=True):
    """What is being deleted and held, and whether an autoscaler runs; kinds by their paths."""

    runs: bool
    held: dict[str, Json]


async def probe(look: Look) -> Facts:
    """Read nodes and claims that are being deleted."""
    controller = await find_controller(look)
    held = {
        f"{path}/{one['metadata']['name']}": one
        for path in (NODES, CLAIMS)
        for one in await look.all(path)
        if one["metadata"].get("deletionTimestamp")
        and _FINALIZER in (one["metadata"].get("finalizers") or ())
    }
    return Facts(controller is not None and controller.replicas > 0, held)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield what is held by nobody."""
    if facts.runs:
        return
    for path, one in facts.held.items():
        kind = "Node" if path.startswith(NODES) else "NodeClaim"
        title = f"{kind}/{one['metadata']['name']}"
        finalizers = list(one["metadata"]["finalizers"])
        left = [each for each in finalizers if each != _FINALIZER]
        step = Step(
            "~",
            kind.lower(),
            str(one["metadata"]["name"]),
            f"without {_FINALIZER}",
            (_set(path, left),),
        )
        yield Finding(
            objects=(title,),
            message=say(
                "{title} cannot go: it waits for an autoscaler that is not there",
                "{title}이(가) 없는 오토스케일러를 기다려 삭제되지 않습니다",
                title=title,
            ),
            cause=Text(
                "the controller was removed before its nodes, and nobody takes its finalizer off",
                "노드보다 컨트롤러가 먼저 제거되어 파이널라이저를 떼어 줄 이가 없음",
            ),
            facts=(
                fact(title, "metadata.deletionTimestamp", one["metadata"]["deletionTimestamp"]),
                fact(title, "metadata.finalizers", ", ".join(finalizers)),
            ),
            mends=(Mend(step, (_set(path, finalizers),)),),
        )


def _set(path: str, finalizers: list[str]) -> Merge:
    return Merge(path, {"metadata": {"finalizers": finalizers or None}})


CHECK = Check(
    code="NW-3040",
    section="nodes",
    severity="error",
    title=Text("nodes that are deleted can go", "삭제 중인 노드가 사라질 수 있음"),
    why=Text(
        "The object stays for ever, and its machine may still run and cost money: look in EC2.",
        "객체가 영원히 남고 인스턴스는 계속 돌며 비용이 들 수 있으니 EC2를 확인하십시오.",
    ),
    answer=Text(
        "Our finalizer is taken off, and nobody else's; it cannot be put back on what is gone.",
        "우리 파이널라이저만 뗍니다. 사라진 객체에는 되돌려 붙일 수 없습니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
