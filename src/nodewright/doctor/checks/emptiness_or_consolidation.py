"""Two ways to remove empty nodes that exclude each other, in a Provisioner."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.lint.rules import lifetimes

CHECK = written_check(
    "NW-3029",
    "pools",
    lifetimes.check,
    Wording(
        title=Text(
            "ttlSecondsAfterEmpty and consolidation are not both set",
            "ttlSecondsAfterEmpty와 consolidation이 함께 설정되지 않음",
        ),
        why=Text(
            "The two exclude each other: the webhook of their time refused such an object, and it is not clear which holds.",
            "둘은 함께 쓸 수 없습니다. 당시 웹훅은 이런 객체를 거부했고, 무엇이 적용될지 분명하지 않습니다.",
        ),
        cause=Text(
            "both fields are set in one Provisioner", "한 Provisioner에 두 필드가 모두 있음"
        ),
        answer=Text(
            "Only its owner knows which of the two was meant; both commands are printed.",
            "무엇을 뜻했는지는 작성자만 압니다. 두 명령을 모두 보여 줍니다.",
        ),
        korean="{object}의 {path}={value}와 consolidation.enabled를 함께 쓸 수 없습니다",
    ),
)
