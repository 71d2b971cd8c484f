"""Daemon sets that reach for Fargate nodes, where their pods stay pending for ever."""

import copy
from typing import Any, Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DAEMON_SETS, NODES, labels_of
from nodewright.doctor.finding import Text
from nodewright.doctor.look import Look
from nodewright.doctor.written import Wording, Written, as_manifest, written_check
from nodewright.install.found import Json
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.rules import daemons

_KEY: Final = "eks.amazonaws.com/compute-type"
_FARGATE: Final = "fargate"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


async def probe(look: Look) -> Written:
    """Read the daemon sets, where the cluster has Fargate nodes."""
    nodes = [one for one in await look.all(NODES) if labels_of(one).get(_KEY) == _FARGATE]
    if not nodes:
        return Written(())
    found = [as_manifest(one, "apps/v1", "DaemonSet") for one in await look.all(DAEMON_SETS)]
    return Written((*found, as_manifest(nodes[0], "v1", "Node")))


def _elsewhere(remark: Remark) -> Json:
    """Keep the daemon set off Fargate, in every term that it has."""
    after = copy.deepcopy(remark.manifest.raw)
    spec: dict[str, Any] = after["spec"]["template"]["spec"]
    node = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
    terms = node.setdefault(_REQUIRED, {}).setdefault("nodeSelectorTerms", [{}])
    for term in terms:
        term.setdefault("matchExpressions", []).append(
            {"key": _KEY, "operator": "NotIn", "values": [_FARGATE]}
        )
    return after


CHECK: Final[Check[Written]] = msgspec.structs.replace(
    written_check(
        "NW-3019",
        "nodes",
        daemons.check,
        Wording(
            title=Text("daemon sets keep off Fargate", "데몬셋이 Fargate 노드를 피함"),
            why=Text(
                "Daemon pods cannot run on Fargate nodes and stay pending there.",
                "데몬 파드는 Fargate 노드에서 돌 수 없어 계속 Pending으로 남습니다.",
            ),
            cause=Text(
                "the daemon set has no affinity that excludes Fargate nodes",
                "데몬셋에 Fargate 노드를 제외하는 어피니티가 없음",
            ),
            answer=Text(
                "A required node affinity is added: eks.amazonaws.com/compute-type NotIn [fargate].",
                "필수 노드 어피니티 eks.amazonaws.com/compute-type NotIn [fargate]를 더합니다.",
            ),
            korean="{object}이(가) Fargate 노드에도 파드를 만들려 합니다",
        ),
        _elsewhere,
    ),
    probe=probe,
)
