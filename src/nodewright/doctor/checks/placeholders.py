"""Names that are not this cluster's: variables that nobody filled in, or those of another cluster."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.doctor import foreign_terms
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.look import Look
from nodewright.doctor.written import Wording, written_check
from nodewright.lint.rules import placeholders

_WRITTEN: Final = written_check(
    "NW-3003",
    "classes",
    placeholders.check,
    Wording(
        title=Text(
            "pools and classes have the names of this cluster",
            "풀과 클래스에 이 클러스터의 이름이 적혀 있음",
        ),
        why=Text(
            "kubectl does not expand variables, and tags of another cluster find its network or nothing.",
            "kubectl은 변수를 치환하지 않으며, 다른 클러스터의 태그로는 그 네트워크를 찾거나 아무것도 찾지 못합니다.",
        ),
        cause=Text(
            "the manifest was applied without envsubst, or copied with its example names",
            "envsubst 없이 매니페스트를 적용했거나 예제 이름을 그대로 복사함",
        ),
        answer=Text(
            "The discovery tag of another cluster is replaced by this one's. What a variable was meant to be "
            "only its owner knows: apply the manifest again with the names filled in.",
            "다른 클러스터의 discovery 태그는 이 클러스터의 이름으로 바꿉니다. 변수가 무엇을 뜻했는지는 작성자만 "
            "알므로 이름을 채워 매니페스트를 다시 적용하십시오.",
        ),
        korean="{object}의 {path}에 치환되지 않은 변수 {value}가 그대로 있습니다",
    ),
)


class Facts(msgspec.Struct, frozen=True):
    """Objects as they are written, and the clusters that there are."""

    written: Any
    clusters: foreign_terms.Facts


async def probe(look: Look) -> Facts:
    """Read pools and classes, and the names of clusters."""
    return Facts(await _WRITTEN.probe(look), await foreign_terms.probe(look))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield names that are nobody's, and names that are another's."""
    yield from _WRITTEN.judge(facts.written)
    yield from foreign_terms.judge(facts.clusters)


CHECK: Final[Check[Facts]] = Check(
    code=_WRITTEN.code,
    section=_WRITTEN.section,
    severity=_WRITTEN.severity,
    title=_WRITTEN.title,
    why=_WRITTEN.why,
    answer=_WRITTEN.answer,
    probe=probe,
    judge=judge,
    is_fixable=True,
)
