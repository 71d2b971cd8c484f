"""Variables that nobody filled in: kubectl takes `${CLUSTER_NAME}` as it stands."""

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, written_check
from nodewright.lint.rules import placeholders

CHECK = written_check(
    "NW-3003",
    "classes",
    placeholders.check,
    Wording(
        title=Text(
            "no placeholder is left in pools and classes", "풀과 클래스에 치환되지 않은 변수가 없음"
        ),
        why=Text(
            "kubectl does not expand variables: nothing has a tag or a name that reads like that.",
            "kubectl은 변수를 치환하지 않으므로 그런 태그나 이름을 가진 것은 없습니다.",
        ),
        cause=Text(
            "the manifest was applied without envsubst, or copied with its example names",
            "envsubst 없이 매니페스트를 적용했거나 예제 이름을 그대로 복사함",
        ),
        answer=Text(
            "Only its owner knows what was meant: apply the manifest again with the names filled in.",
            "무엇을 뜻했는지는 작성자만 압니다. 이름을 채워 매니페스트를 다시 적용하십시오.",
        ),
        korean="{object}의 {path}에 치환되지 않은 변수 {value}가 그대로 있습니다",
    ),
)
