"""Pods whose spread cannot be met in the zones that pools may use."""

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Text
from nodewright.doctor.placing import Group, judge_groups, waiting_groups
from nodewright.model.reason import Reason


def _belongs(group: Group) -> bool:
    """Tell whether a group of pods waits for this cause."""
    return group.verdict.code == Reason.SPREAD.code


CHECK = Check(
    code="NW-3047",
    section="pods",
    severity="error",
    title=Text("topology spreads can be met", "토폴로지 분산을 만족할 수 있음"),
    why=Text(
        "The pods wait for a domain in which no pool makes nodes.",
        "어떤 풀도 노드를 만들지 않는 도메인을 파드가 기다립니다.",
    ),
    answer=Text(
        "Narrow the pods to the zones of the pools by node affinity, or open the zones: that is a choice.",
        "노드 어피니티로 파드를 풀의 영역에 맞추거나 영역을 여십시오. 선택이 필요합니다.",
    ),
    probe=waiting_groups,
    judge=judge_groups(
        _belongs,
        Text(
            "a domain counts for the spread, and no pool can make a node there",
            "분산에 계산되는 도메인인데 그곳에 노드를 만들 풀이 없음",
        ),
    ),
)
