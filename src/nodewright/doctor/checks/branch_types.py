"""Pods with security groups of their own, on types that have no trunk interface."""

from nodewright.doctor.check import Check
from nodewright.doctor.checks.branch_interfaces import BRANCHES
from nodewright.doctor.finding import Text
from nodewright.doctor.placing import TOO_SMALL, Group, judge_groups, waiting_groups


def _belongs(group: Group) -> bool:
    """Tell whether a group of pods waits for this cause."""
    return group.verdict.code in TOO_SMALL and BRANCHES in group.resources


CHECK = Check(
    code="NW-3022",
    section="pods",
    severity="error",
    title=Text(
        "pods with security groups get types with trunks",
        "보안 그룹을 쓰는 파드가 트렁크를 지원하는 타입을 받음",
    ),
    why=Text(
        "No type of any pool has branch interfaces, so the pods wait for ever.",
        "브랜치 인터페이스를 가진 타입이 어느 풀에도 없어 파드가 영원히 기다립니다.",
    ),
    answer=Text(
        "Allow Nitro types with trunking (most m, c, r types from generation 5 on, none of t): that is a choice.",
        "트렁킹을 지원하는 Nitro 타입(5세대 이후의 m, c, r 대부분, t 제외)을 허용하십시오. 선택이 필요합니다.",
    ),
    probe=waiting_groups,
    judge=judge_groups(
        _belongs,
        Text(
            "a SecurityGroupPolicy has the pods request vpc.amazonaws.com/pod-eni, and the pools allow only types without it",
            "SecurityGroupPolicy 때문에 파드가 vpc.amazonaws.com/pod-eni를 요청하지만 풀은 그것이 없는 타입만 허용함",
        ),
    ),
)
