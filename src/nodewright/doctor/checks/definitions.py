"""CustomResourceDefinitions that are older than the controller: new fields are refused or dropped."""

from collections.abc import Iterator
from typing import Any

from nodewright.crds.document import definitions
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import DEFINITIONS
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Apply, Step

_SHOWN_MAX = 5
_UNDO = "helm upgrade karpenter-crd … --version VERSION   # puts the definitions of a version back"
_GROUPS = ("karpenter.sh", "karpenter.k8s.aws")


async def probe(look: Look) -> tuple[Json, ...]:
    """Read the definitions of Karpenter's kinds."""
    found = await look.all(DEFINITIONS)
    return tuple(one for one in found if one["spec"]["group"] in _GROUPS)


def judge(live: tuple[Json, ...]) -> Iterator[Finding]:
    """Yield each definition that does not know every field of its kind."""
    wanted = {one["metadata"]["name"]: one for one in definitions()}
    for one in live:
        name = str(one["metadata"]["name"])
        ours = wanted.get(name)
        if ours is None:
            continue
        missing = sorted(set(_fields(_schema(ours))) - set(_fields(_schema(one))))
        if missing:
            yield _finding(name, missing, ours)


def _schema(definition: Json) -> Json:
    for version in definition["spec"]["versions"]:
        if version["name"] == "v1":
            schema: Json = (version.get("schema") or {}).get("openAPIV3Schema") or {}
            spec: Json = (schema.get("properties") or {}).get("spec") or {}
            return spec
    return {}


def _fields(schema: Any, at: str = "spec") -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    for name, inner in (schema.get("properties") or {}).items():
        yield f"{at}.{name}"
        yield from _fields(inner, f"{at}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from _fields(schema["items"], f"{at}[]")


def _finding(name: str, missing: list[str], ours: Json) -> Finding:
    title = f"CustomResourceDefinition/{name}"
    shown = ", ".join(missing[:_SHOWN_MAX])
    more = f" (+{len(missing) - _SHOWN_MAX})" if len(missing) > _SHOWN_MAX else ""
    return Finding(
        objects=(title,),
        message=say(
            "{title} does not know {count} fields of its kind",
            "{title}이(가) 필드 {count}개를 모릅니다",
            title=title,
            count=len(missing),
        ),
        cause=Text(
            "the definitions were not brought up to date with the controller; Helm leaves them alone",
            "컨트롤러와 함께 정의를 갱신하지 않음(Helm은 정의를 그대로 둠)",
        ),
        facts=(fact(title, "spec.versions[v1] lacks", f"{shown}{more}"),),
        mends=(
            Mend(
                Step("~", "definition", name, "of this version", (Apply(ours),)),
                undo_text=(_UNDO,),
            ),
        ),
    )


CHECK = Check(
    code="NW-3037",
    section="versions",
    severity="warning",
    title=Text("the definitions know every field", "CRD가 모든 필드를 알고 있음"),
    why=Text(
        "The API server refuses fields that the definition does not know, or drops them silently.",
        "API 서버는 정의에 없는 필드를 거부하거나 말없이 버립니다.",
    ),
    answer=Text(
        "The definitions of this version are applied; objects stay as they are.",
        "이 버전의 정의를 적용합니다. 객체는 그대로 남습니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
