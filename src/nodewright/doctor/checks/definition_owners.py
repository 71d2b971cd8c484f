"""Definitions that belong to Helm in part: the next upgrade ends in `invalid ownership metadata`."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DEFINITIONS, labels_of, notes_of
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Merge, Step

_GROUPS: Final = ("karpenter.sh", "karpenter.k8s.aws", "nodewright.dev")
_MANAGED: Final = "app.kubernetes.io/managed-by"
_RELEASE: Final = "meta.helm.sh/release-name"
_SPACE: Final = "meta.helm.sh/release-namespace"


class Owned(msgspec.Struct, frozen=True):
    """A definition, and whose it says it is."""

    name: str
    managed_by: str = ""
    release: str = ""
    namespace: str = ""

    @property
    def is_of_helm(self) -> bool:
        """Whether Helm would take it for its own."""
        return self.managed_by == "Helm" and bool(self.release and self.namespace)

    @property
    def is_touched(self) -> bool:
        """Whether anything says that Helm has to do with it."""
        return self.managed_by == "Helm" or bool(self.release or self.namespace)


async def probe(look: Look) -> tuple[Owned, ...]:
    """Read whose the definitions say they are."""
    found = await look.all(DEFINITIONS)
    return tuple(_read(one) for one in found if one["spec"]["group"] in _GROUPS)


def _read(one: Json) -> Owned:
    notes = notes_of(one)
    return Owned(
        str(one["metadata"]["name"]),
        labels_of(one).get(_MANAGED, ""),
        notes.get(_RELEASE, ""),
        notes.get(_SPACE, ""),
    )


def judge(owned: tuple[Owned, ...]) -> Iterator[Finding]:
    """Yield definitions that differ from the others, where any is Helm's."""
    releases = Counter((one.release, one.namespace) for one in owned if one.is_of_helm)
    if not any(one.is_touched for one in owned):
        return
    release, space = (
        min(releases, key=lambda one: (-releases[one], one))
        if releases
        else ("karpenter-crd", "kube-system")
    )
    for one in owned:
        if not one.is_of_helm or (one.release, one.namespace) != (release, space):
            yield _finding(one, release, space)


def _finding(one: Owned, release: str, space: str) -> Finding:
    title = f"CustomResourceDefinition/{one.name}"
    return Finding(
        objects=(title,),
        message=say(
            "{title} is not of the Helm release {space}/{release} that the others are of",
            "{title}이(가) 다른 정의와 달리 Helm 릴리스 {space}/{release}에 속하지 않습니다",
            title=title,
            space=space,
            release=release,
        ),
        cause=Text(
            "it was applied by hand, or by another release, before the chart of the definitions came",
            "정의 차트를 설치하기 전에 손으로 또는 다른 릴리스로 적용됨",
        ),
        facts=(
            fact(title, f"metadata.labels[{_MANAGED}]", one.managed_by or "none"),
            fact(title, f"metadata.annotations[{_RELEASE}]", one.release or "none"),
        ),
        mends=(_mend(one, release, space),),
    )


def _mend(one: Owned, release: str, space: str) -> Mend:
    path = f"{DEFINITIONS}/{one.name}"
    return Mend(
        Step(
            "~",
            "definition",
            one.name,
            f"of release {space}/{release}",
            (_owner(path, "Helm", release, space),),
        ),
        (_owner(path, one.managed_by, one.release, one.namespace),),
    )


def _owner(path: str, manager: str, release: str, space: str) -> Merge:
    labels = {_MANAGED: manager or None}
    notes = {_RELEASE: release or None, _SPACE: space or None}
    return Merge(path, {"metadata": {"labels": labels, "annotations": notes}})


CHECK = Check(
    code="NW-3038",
    section="chart",
    severity="warning",
    title=Text("the definitions have one owner", "CRD의 소유자가 하나임"),
    why=Text(
        "Helm refuses to upgrade what another made: invalid ownership metadata.",
        "Helm은 다른 곳에서 만든 것을 갱신하지 않습니다(invalid ownership metadata).",
    ),
    answer=Text(
        "The label and the annotations of the release are put on.",
        "릴리스의 라벨과 애너테이션을 붙입니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
