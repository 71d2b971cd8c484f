"""Another program that drains nodes by itself: two hands on one node make churn."""

from collections.abc import Iterator
from typing import Final

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DAEMON_SETS, DEPLOYMENTS, name_of, variables_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change, with_variables
from nodewright.doctor.written import as_manifest
from nodewright.install.found import Json
from nodewright.install.resources.objects import path_of

_NAME: Final = "node-termination-handler"
_FLAGS: Final = ("ENABLE_REBALANCE_DRAINING", "ENABLE_REBALANCE_MONITORING")


async def probe(look: Look) -> tuple[Json, ...]:
    """Read the node termination handler, as a daemon set or a deployment."""
    found = [as_manifest(one, "apps/v1", "DaemonSet") for one in await look.all(DAEMON_SETS)]
    found += [as_manifest(one, "apps/v1", "Deployment") for one in await look.all(DEPLOYMENTS)]
    return tuple(one for one in found if _NAME in str(one["metadata"]["name"]))


def judge(handlers: tuple[Json, ...]) -> Iterator[Finding]:
    """Yield a handler that drains on rebalance recommendations."""
    for one in handlers:
        told = variables_of(one)
        on = [flag for flag in _FLAGS if told.get(flag, "").lower() == "true"]
        if not on:
            continue
        title = f"{one['kind']}/{name_of(one)}"
        after = with_variables(one, dict.fromkeys(on, "false"))
        yield Finding(
            objects=(title,),
            message=say(
                "{title} drains nodes on rebalance recommendations, and new nodes get them again",
                "{title}이(가) 재조정 권고마다 노드를 비우고 새 노드도 다시 권고를 받습니다",
                title=title,
            ),
            cause=Text(
                "the node termination handler acts beside the autoscaler",
                "노드 종료 처리기가 오토스케일러와 나란히 움직임",
            ),
            facts=tuple(fact(title, f"env {flag}", told[flag]) for flag in on),
            mends=(
                change(
                    path_of(one), (one["kind"].lower(), name_of(one)), ", ".join(on), one, after
                ),
            ),
        )


CHECK = Check(
    code="NW-3055",
    section="nodes",
    severity="warning",
    title=Text(
        "nobody else drains nodes on rebalance hints",
        "재조정 권고로 노드를 비우는 다른 프로그램이 없음",
    ),
    why=Text(
        "A rebalance recommendation is only a hint: draining on each of them replaces nodes without end.",
        "재조정 권고는 힌트일 뿐이며, 그때마다 비우면 노드가 끝없이 교체됩니다.",
    ),
    answer=Text(
        "The flags ENABLE_REBALANCE_MONITORING and ENABLE_REBALANCE_DRAINING become false.",
        "ENABLE_REBALANCE_MONITORING과 ENABLE_REBALANCE_DRAINING을 false로 바꿉니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
