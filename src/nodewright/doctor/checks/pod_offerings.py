"""Pods for which no instance type of any pool is large enough, or sold where they need it."""

from nodewright.doctor.check import Check
from nodewright.doctor.checks.branch_interfaces import BRANCHES
from nodewright.doctor.checks.fractional_gpus import is_fractional
from nodewright.doctor.finding import Text
from nodewright.doctor.placing import TOO_SMALL, Group, judge_groups, waiting_groups


def _belongs(group: Group) -> bool:
    """Tell whether a group of pods waits for this cause."""
    return (
        group.verdict.code in TOO_SMALL
        and BRANCHES not in group.resources
        and not is_fractional(group)
    )


CHECK = Check(
    code="NW-3048",
    section="pods",
    severity="error",
    title=Text("some instance type suits every pod", "모든 파드에 맞는 인스턴스 타입이 있음"),
    why=Text(
        "No type of any pool has the room, the device or the zone that the pod needs: it waits for ever.",
        "파드에 필요한 크기, 장치, 영역을 가진 타입이 어느 풀에도 없어 영원히 기다립니다.",
    ),
    answer=Text(
        "Widen the pool, or ask for less: that is a choice, and the smallest change is printed.",
        "풀을 넓히거나 요청을 줄이십시오. 선택이 필요하며, 가장 작은 변경을 보여 줍니다.",
    ),
    probe=waiting_groups,
    judge=judge_groups(
        _belongs,
        Text(
            "the families of the pool are too small, the volume lies in another zone, or EC2 has none left",
            "풀의 패밀리가 너무 작거나, 볼륨이 다른 영역에 있거나, EC2에 남은 용량이 없음",
        ),
    ),
)
