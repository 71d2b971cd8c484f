"""Keys that were applied and dropped: the API server forgot them, and with them what they should have said.

The object itself does not show it. What was applied last is kept beside it, in an annotation of kubectl.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLASSES, POOLS, PROVISIONERS, TEMPLATES, notes_of
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.written import manifest_of
from nodewright.install.found import Json
from nodewright.install.resources.objects import path_of
from nodewright.install.steps import Merge, Step
from nodewright.lint.edits import apply_all
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.finding import subject_of
from nodewright.lint.raw import dig
from nodewright.lint.rules import unknown_fields
from nodewright.lint.stream import Stream
from nodewright.model.path import show_path

_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
_STRAY: Final = "NW-3027"


async def probe(look: Look) -> tuple[Json, ...]:
    """Read what was applied last to pools and classes."""
    found: list[Json] = []
    for path in (POOLS, CLASSES, PROVISIONERS, TEMPLATES):
        for one in await look.all(path):
            text = notes_of(one).get(_APPLIED)
            if text:
                found.append(_decode(text))
    return tuple(one for one in found if one.get("kind"))


def _decode(text: str) -> Json:
    try:
        found: Any = msgspec.json.decode(text)
    except msgspec.DecodeError:
        # Somebody else's text under kubectl's name says nothing.
        return {}
    return found if isinstance(found, dict) else {}


def judge(applied: tuple[Json, ...]) -> Iterator[Finding]:
    """Yield keys inside requirements that belong elsewhere."""
    stream = Stream(tuple(map(manifest_of, applied)))
    for remark in unknown_fields.check(stream):
        if remark.code == _STRAY:
            yield _finding(remark)


def _finding(remark: Remark) -> Finding:
    raw, subject, path = remark.manifest.raw, subject_of(remark.manifest), show_path(remark.path)
    return Finding(
        objects=(subject,),
        message=say(
            "{subject}: {key} does not belong inside a requirement, and was dropped",
            "{subject}: {key}은(는) 요구 사항 안에 있을 수 없어 버려졌습니다",
            subject=subject,
            key=str(remark.path[-1]),
        ),
        cause=Text(
            "a key that is indented too deep, in a manifest that was applied without strict validation",
            "들여쓰기가 너무 깊은 키가 엄격한 검증 없이 적용됨",
        ),
        facts=(fact(subject, path, msgspec.json.encode(dig(raw, remark.path)).decode()),),
        mends=_mends(remark),
        advice=(f"# {remark.help}",),
    )


def _mends(remark: Remark) -> tuple[Mend, ...]:
    raw = remark.manifest.raw
    after = apply_all(raw, remark.edits) if remark.edits else None
    if after is None:
        return ()
    kind, _, name = subject_of(remark.manifest).partition("/")
    step = Step("~", kind.lower(), name, f"{_APPLIED} without the stray key", (_note(after),))
    return (Mend(step, (_note(raw),)),)


def _note(document: Json) -> Merge:
    text = msgspec.json.encode(document).decode() + "\n"
    return Merge(path_of(document), {"metadata": {"annotations": {_APPLIED: text}}})


CHECK = Check(
    code=_STRAY,
    section="pools",
    severity="error",
    title=Text("no key of a manifest was lost", "매니페스트의 키가 유실되지 않음"),
    why=Text(
        "The API server refuses such an object (strict decoding) or drops the key and what stands under it.",
        "API 서버는 이런 객체를 거부하거나(엄격한 디코딩) 그 키와 그 아래 내용을 버립니다.",
    ),
    answer=Text(
        "An empty stray key is taken out; what stands under a full one must be moved by its owner.",
        "빈 키는 제거합니다. 내용이 있으면 작성자가 올바른 자리로 옮겨야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
