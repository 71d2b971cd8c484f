"""Pods whose selector, affinity or tolerations fit no pool."""

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Text
from nodewright.doctor.placing import WRONG_LABELS, Group, judge_groups, waiting_groups


def _belongs(group: Group) -> bool:
    """Tell whether a group of pods waits for this cause."""
    return group.verdict.code in WRONG_LABELS


CHECK = Check(
    code="NW-3016",
    section="pods",
    severity="error",
    title=Text("every pod that waits fits some pool", "대기 중인 파드가 맞는 풀이 있음"),
    why=Text(
        "No pool can make a node with the labels that the pod needs, or that it tolerates: it waits for ever.",
        "파드가 필요로 하는 라벨을 가진, 또는 파드가 견디는 노드를 만들 풀이 없어 영원히 기다립니다.",
    ),
    answer=Text(
        "Change the pod, or the pool: that is a choice, and the smallest change is printed.",
        "파드나 풀을 바꾸십시오. 선택이 필요하며, 가장 작은 변경을 보여 줍니다.",
    ),
    probe=waiting_groups,
    judge=judge_groups(
        _belongs,
        Text(
            "the pod asks for something outside the requirements, labels or taints of every pool",
            "파드가 모든 풀의 요구 사항, 라벨, 테인트 밖의 것을 요구함",
        ),
    ),
)
