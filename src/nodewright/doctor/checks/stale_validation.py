"""Classes that were refused a right which they have by now: the answer is remembered for half an hour."""

import copy
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLASSES, condition, name_of, notes_of
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.identity import LAUNCHING, is_refused
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change
from nodewright.install.found import Json

REMEMBERED_MS: Final = 30 * 60_000
_REASONS: Final = {f"{one.partition(':')[2]}AuthCheckFailed": one for one in LAUNCHING}
_NOTE: Final = "nodewright.dev/looked-at"


class Facts(msgspec.Struct, frozen=True):
    """Classes that were refused something, and what is refused today."""

    now_ms: int
    classes: tuple[Json, ...]
    refused: frozenset[str] = frozenset()


async def probe(look: Look) -> Facts:
    """Read the classes, and ask IAM about what they were refused."""
    classes = tuple(
        one
        for one in await look.all(CLASSES)
        if condition(one, "ValidationSucceeded").get("reason") in _REASONS
    )
    actions = {_REASONS[str(condition(one, "ValidationSucceeded")["reason"])] for one in classes}
    refused = [one for one in sorted(actions) if await is_refused(look, one)]
    return Facts(look.subject.now_ms, classes, frozenset(refused))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield classes whose refusal no longer holds."""
    for one in facts.classes:
        said = condition(one, "ValidationSucceeded")
        action = _REASONS[str(said["reason"])]
        if said.get("status") != "False" or action in facts.refused:
            continue
        asked = str(notes_of(one).get(_NOTE, ""))
        if asked.isdecimal() and facts.now_ms - int(asked) < REMEMBERED_MS:
            continue
        after = copy.deepcopy(one)
        after["metadata"].setdefault("annotations", {})[_NOTE] = str(facts.now_ms)
        name = name_of(one)
        yield Finding(
            objects=(f"EC2NodeClass/{name}",),
            message=say(
                "EC2NodeClass/{name} was refused {action}, which is allowed by now",
                "EC2NodeClass/{name}은(는) {action}을(를) 거부당했지만 지금은 허용됩니다",
                name=name,
                action=action,
            ),
            cause=Text(
                "the controller remembers a refusal for half an hour, until the class is edited",
                "컨트롤러는 클래스가 수정될 때까지 거부를 30분 동안 기억함",
            ),
            facts=(
                fact(
                    f"EC2NodeClass/{name}",
                    "status.conditions[ValidationSucceeded]",
                    f"{said.get('status')} {said.get('reason')} since {said.get('lastTransitionTime')}",
                ),
            ),
            mends=(change(f"{CLASSES}/{name}", ("ec2nodeclass", name), f"+ {_NOTE}", one, after),),
        )


CHECK = Check(
    code="NW-3057",
    section="classes",
    severity="warning",
    title=Text("no class waits for a right that it has", "이미 있는 권한을 기다리는 클래스가 없음"),
    why=Text(
        "No node is made of the class until the controller asks again.",
        "컨트롤러가 다시 확인할 때까지 이 클래스로 노드가 만들어지지 않습니다.",
    ),
    answer=Text(
        "The class gets an annotation, by which it is tried again at once.",
        "클래스에 주석을 달아 바로 다시 확인하게 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
