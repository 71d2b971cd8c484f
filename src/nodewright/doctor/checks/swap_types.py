"""Types that the kubelet refuses, because they come with swap."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.install.found import Json
from nodewright.lint.edits import apply_all
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.finding import Remove
from nodewright.lint.raw import dig, items
from nodewright.lint.rules import instance_names


def _without(remark: Remark) -> Json | None:
    """Take the type out, as long as others are left to choose from."""
    values = items(dig(remark.manifest.raw, remark.path[:-1]))
    if len(values) <= 1:
        return None
    found: Json | None = apply_all(remark.manifest.raw, (Remove(remark.path),))
    return found


CHECK = written_check(
    "NW-3041",
    "pools",
    instance_names.check,
    Wording(
        title=Text(
            "no type that the kubelet refuses is asked for",
            "kubelet이 거부하는 타입을 요구하지 않음",
        ),
        why=Text(
            "c1.medium and m1.small come with swap, and the kubelet does not start on them.",
            "c1.medium과 m1.small은 스왑이 있어 kubelet이 시작되지 않습니다.",
        ),
        cause=Text(
            "a type of the first generations stands in the requirements",
            "요구 사항에 첫 세대의 타입이 있음",
        ),
        answer=Text("The value is taken out of the requirement.", "요구 사항에서 그 값을 뺍니다."),
        korean="{object}의 {path}에 kubelet이 시작되지 않는 타입 {value}가 있습니다",
    ),
    _without,
)
