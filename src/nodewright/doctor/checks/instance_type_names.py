"""Categories or families written where names of instance types belong: the pool never makes a node."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, by_edits, written_check
from nodewright.lint.rules import instance_names

CHECK = written_check(
    "NW-3026",
    "pools",
    instance_names.check,
    Wording(
        title=Text(
            "instance types are named as types", "인스턴스 타입 자리에 타입 이름이 적혀 있음"
        ),
        why=Text(
            "No instance type has such a name, so the pool never makes a node.",
            "그런 이름의 인스턴스 타입이 없으므로 풀은 노드를 전혀 만들지 못합니다.",
        ),
        cause=Text(
            "categories such as c, m or t were written into node.kubernetes.io/instance-type",
            "node.kubernetes.io/instance-type에 c, m, t 같은 범주를 적음",
        ),
        answer=Text(
            "The key becomes karpenter.k8s.aws/instance-category (or instance-family).",
            "키를 karpenter.k8s.aws/instance-category(또는 instance-family)로 바꿉니다.",
        ),
        korean="{object}의 {path}에 인스턴스 타입이 아닌 값이 있어 노드가 만들어지지 않습니다",
    ),
    by_edits,
)
