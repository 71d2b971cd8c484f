"""Pools that welcome machines of 2006 as much as those of today."""

import copy

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.install.found import Json
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.raw import dig
from nodewright.lint.rules import generations
from nodewright.lint.views import GENERATION


def _bounded(remark: Remark) -> Json:
    """Add the bound to the requirements."""
    after = copy.deepcopy(remark.manifest.raw)
    place = dig(after, remark.path[:-1])
    place["requirements"] = [
        *(place.get("requirements") or ()),
        {"key": GENERATION, "operator": "Gt", "values": ["2"]},
    ]
    return after


CHECK = written_check(
    "NW-3028",
    "pools",
    generations.check,
    Wording(
        title=Text("pools bound the generation of their types", "풀이 인스턴스 세대를 제한함"),
        why=Text(
            "Without a lower bound on the generation, machines of 2006 are as welcome as today's.",
            "세대 하한이 없으면 2006년의 인스턴스도 지금 것과 똑같이 선택됩니다.",
        ),
        cause=Text(
            "the requirements name no generation, no family and no type",
            "요구 사항에 세대, 패밀리, 타입이 없음",
        ),
        answer=Text(
            "The requirement karpenter.k8s.aws/instance-generation Gt 2 is added.",
            "요구 사항 karpenter.k8s.aws/instance-generation Gt 2를 더합니다.",
        ),
        korean="{object}의 {path}에 세대 하한이 없어 첫 세대 타입도 시작될 수 있습니다",
    ),
    _bounded,
)
