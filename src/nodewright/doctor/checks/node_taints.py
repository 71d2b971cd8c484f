"""Nodes that never become ready: daemons that do not tolerate a taint, or a taint that nobody takes off."""

import copy
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import POOLS
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.waiting import Waiting, waiting_claims
from nodewright.doctor.written import Wording, Written, probe_written, written_check
from nodewright.install.found import Json
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.rules import daemons

_OWNERS: Final = {
    "ebs.csi.aws.com/agent-not-ready": "kube-system/ebs-csi-node (aws-ebs-csi-driver)",
    "efs.csi.aws.com/agent-not-ready": "kube-system/efs-csi-node (aws-efs-csi-driver)",
    "node.cilium.io/agent-not-ready": "kube-system/cilium",
    "node.cloudprovider.kubernetes.io/uninitialized": "the cloud controller manager",
}
_SYSTEM: Final = ("karpenter.sh/unregistered", "node.cloudprovider.kubernetes.io/uninitialized")


class Facts(msgspec.Struct, frozen=True):
    """What stands in the manifests, and what waits."""

    written: Written
    waiting: tuple[Waiting, ...] = ()
    startup_taints: dict[str, tuple[str, ...]] = {}


async def probe(look: Look) -> Facts:
    """Read pools, daemon sets, and the taints of nodes that wait."""
    pools = {
        str(one["metadata"]["name"]): tuple(
            str(taint["key"])
            for taint in one["spec"]["template"]["spec"].get("startupTaints") or ()
        )
        for one in await look.all(POOLS)
    }
    return Facts(await probe_written(look), await waiting_claims(look), pools)


def _tolerant(remark: Remark) -> Json | None:
    """Have a system daemon tolerate everything, as those of EKS do; a script is its owner's."""
    if remark.manifest.kind != "DaemonSet":
        return None
    after = copy.deepcopy(remark.manifest.raw)
    spec = after["spec"]["template"]["spec"]
    spec["tolerations"] = [*(spec.get("tolerations") or ()), {"operator": "Exists"}]
    return after


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield daemons that keep off, and taints that stay."""
    yield from _RULE.judge(facts.written)
    for one in facts.waiting:
        taints = ((one.node or {}).get("spec") or {}).get("taints") or []
        for taint in taints:
            key = str(taint["key"])
            if key in facts.startup_taints.get(one.pool, ()) or key in _SYSTEM:
                yield _stays(one, key, str(taint.get("effect", "")))


def _stays(one: Waiting, key: str, effect: str) -> Finding:
    owner = _OWNERS.get(key, "")
    name = f"Node/{one.node_name}"
    return Finding(
        objects=(name, one.name),
        message=say(
            "{name} still carries the startup taint {key} after {minutes} min",
            "{name}에 시작 테인트 {key}가 {minutes}분째 남아 있습니다",
            name=name,
            key=key,
            minutes=one.minutes,
        ),
        cause=say(
            "{owner} takes this taint off when it is ready, and has not",
            "{owner}이(가) 준비되면 이 테인트를 떼어야 하는데 떼지 않음",
            owner=owner or "whoever it belongs to (nobody that is known here)",
        ),
        facts=(fact(name, "spec.taints", f"{key}:{effect}"),),
        advice=(
            f"kubectl get pods -A -o wide --field-selector spec.nodeName={one.node_name}",
            f"kubectl taint node {one.node_name} {key}:{effect}-   # only if its owner is gone",
        ),
    )


_RULE: Final = written_check(
    "NW-3012",
    "nodes",
    daemons.check,
    Wording(
        title=Text(
            "daemons and startup taints let nodes become ready",
            "데몬과 시작 테인트가 노드 준비를 막지 않음",
        ),
        why=Text(
            "Nodes wait for daemons that do not tolerate their taints, or for a taint that nobody takes off.",
            "노드가 테인트를 견디지 못하는 데몬이나 아무도 떼지 않는 테인트를 기다립니다.",
        ),
        cause=Text(
            "a system daemon lacks the toleration, or a custom image does not put the taint on",
            "시스템 데몬에 톨러레이션이 없거나 사용자 이미지가 테인트를 붙이지 않음",
        ),
        answer=Text(
            "The daemon set gets the toleration {operator: Exists}; a taint that stays is its owner's to take off.",
            "데몬셋에 톨러레이션 {operator: Exists}를 더합니다. 남은 테인트는 그 주인이 떼어야 합니다.",
        ),
        korean="{object}의 {path} 때문에 노드가 준비되지 않습니다",
    ),
    _tolerant,
)
CHECK: Final[Check[Facts]] = Check(
    code=_RULE.code,
    section=_RULE.section,
    severity=_RULE.severity,
    title=_RULE.title,
    why=_RULE.why,
    answer=_RULE.answer,
    probe=probe,
    judge=judge,
    is_fixable=True,
)
