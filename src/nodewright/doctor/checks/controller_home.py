"""The controller runs on nodes that it did not make: else it can take its own node away."""

import copy
from typing import Any

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, by_edits, written_check
from nodewright.install.found import Json
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.rules import controller
from nodewright.model.labels import NODEPOOL

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _kept_off(remark: Remark) -> Json:
    """Have every term keep the controller off its own nodes; lint's edits join what belongs together."""
    edited = by_edits(remark)
    if edited is not None:
        return edited
    after = copy.deepcopy(remark.manifest.raw)
    spec: dict[str, Any] = after["spec"]["template"]["spec"]
    node = spec.setdefault("affinity", {}).setdefault("nodeAffinity", {})
    terms = node.setdefault(_REQUIRED, {}).setdefault("nodeSelectorTerms", [{}])
    for term in terms:
        expressions = term.setdefault("matchExpressions", [])
        if not any(one.get("key") == NODEPOOL for one in expressions):
            expressions.append({"key": NODEPOOL, "operator": "DoesNotExist"})
    return after


CHECK = written_check(
    "NW-3030",
    "chart",
    controller.check,
    Wording(
        title=Text(
            "the controller keeps off its own nodes", "컨트롤러가 자기 노드 위에서 돌지 않음"
        ),
        why=Text(
            "It can then take away the node that it runs on, and nobody makes a new one.",
            "자기가 도는 노드를 없앨 수 있고, 그러면 새 노드를 만들 이가 없습니다.",
        ),
        cause=Text(
            "node selector terms are alternatives (ORed); what must hold together belongs into one term",
            "nodeSelectorTerms는 서로 OR 관계이므로 함께 성립해야 할 조건은 한 항목에 있어야 함",
        ),
        answer=Text(
            "The terms are merged into one that has karpenter.sh/nodepool DoesNotExist.",
            "항목을 하나로 합치고 karpenter.sh/nodepool DoesNotExist를 넣습니다.",
        ),
        korean="{object}의 {path} 때문에 컨트롤러가 자기가 만든 노드에서 돌 수 있습니다",
    ),
    _kept_off,
)
