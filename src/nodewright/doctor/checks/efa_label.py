"""EFA asked for by a label that nothing has; it is a resource that pods request."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.install.found import Json
from nodewright.lint.edits import apply_all
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.finding import Remove
from nodewright.lint.rules import efa


def _dropped(remark: Remark) -> Json | None:
    """Take the requirement away; pods that need EFA request it."""
    found: Json | None = apply_all(remark.manifest.raw, (Remove(remark.path[:-1]),))
    return found


CHECK = written_check(
    "NW-3017",
    "pools",
    efa.check,
    Wording(
        title=Text("EFA is not asked for by a label", "EFA를 라벨로 요구하지 않음"),
        why=Text(
            "No instance type has such a label, so the pool never makes a node, and nothing attaches EFA.",
            "그런 라벨을 가진 타입이 없어 풀은 노드를 만들지 못하고 EFA도 붙지 않습니다.",
        ),
        cause=Text(
            "EFA is a resource (vpc.amazonaws.com/efa) that pods request, not a requirement of a pool",
            "EFA는 풀의 요구 사항이 아니라 파드가 요청하는 리소스(vpc.amazonaws.com/efa)임",
        ),
        answer=Text(
            "The requirement is dropped; pods request vpc.amazonaws.com/efa, and instance-family chooses the types.",
            "요구 사항을 지웁니다. 파드는 vpc.amazonaws.com/efa를 요청하고 타입은 instance-family로 고릅니다.",
        ),
        korean="{object}의 {path}={value}는 없는 라벨입니다: EFA는 파드가 요청하는 리소스입니다",
    ),
    _dropped,
)
