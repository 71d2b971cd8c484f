"""Pods that ask for a GPU of types which have a part of one, and count none."""

from typing import Final

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Text
from nodewright.doctor.placing import TOO_SMALL, Group, judge_groups, waiting_groups

_GPU: Final = "nvidia.com/gpu"
_OVERLAY: Final = (
    "kubectl apply -f - <<'END'",
    "apiVersion: karpenter.sh/v1alpha1",
    "kind: NodeOverlay",
    "metadata: {name: fractional-gpus}",
    "spec:",
    "  requirements:",
    "  - {key: karpenter.k8s.aws/instance-family, operator: In, values: [g6f, gr6f]}",
    "  capacity: {nvidia.com/gpu: 1}",
    "END",
)
_FRACTIONAL: Final = frozenset({"g6f", "gr6f"})


def is_fractional(group: Group) -> bool:
    """Tell whether pods ask for a GPU where only types with a part of one are left."""
    is_short = _GPU in group.resources and group.verdict.code in TOO_SMALL
    return is_short and bool(group.families) and group.families <= _FRACTIONAL


def _belongs(group: Group) -> bool:
    """Tell whether a group of pods waits for this cause."""
    return is_fractional(group)


CHECK = Check(
    code="NW-3049",
    section="pods",
    severity="error",
    title=Text("no pod waits for a part of a GPU", "GPU 일부를 기다리는 파드가 없음"),
    why=Text(
        "EC2 counts no GPU for g6f and gr6f types, so no pod that asks for one is ever placed on them.",
        "EC2는 g6f와 gr6f 타입의 GPU 수를 0으로 알려 GPU를 요청하는 파드가 놓이지 못합니다.",
    ),
    answer=Text(
        "Add a NodeOverlay that gives these types the resource, or use g6: that is a choice.",
        "이 타입에 자원을 더하는 NodeOverlay를 만들거나 g6을 쓰십시오. 선택이 필요합니다.",
    ),
    probe=waiting_groups,
    judge=judge_groups(
        _belongs,
        Text(
            "the pool allows only types that have a fraction of a GPU",
            "풀이 GPU 일부만 가진 타입만 허용함",
        ),
        _OVERLAY,
    ),
)
