"""Addresses of Windows pods: the VPC controller gives them, once it is told to."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.install.found import Json
from nodewright.install.steps import Apply, Merge, Remove, Step

_PATH: Final = "/api/v1/namespaces/kube-system/configmaps/amazon-vpc-cni"
_FIELD: Final = "enable-windows-ipam"
_TITLE: Final = "ConfigMap/kube-system/amazon-vpc-cni"


class Facts(msgspec.Struct, frozen=True):
    """The classes that make Windows nodes, and the settings of the network plugin."""

    classes: tuple[str, ...] = ()
    settings: Json | None = None


async def probe(look: Look, classes: tuple[str, ...]) -> Facts:
    """Read the settings, where there are Windows nodes."""
    return Facts(classes, await look.get(_PATH)) if classes else Facts()


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield the settings, where Windows nodes would get no addresses."""
    data: dict[str, str] = (facts.settings or {}).get("data") or {}
    value = data.get(_FIELD, "")
    if not facts.classes or value == "true":
        return
    yield Finding(
        objects=(_TITLE, *(f"EC2NodeClass/{one}" for one in facts.classes)),
        message=say(
            "{field} is off, and EC2NodeClass {name} makes Windows nodes",
            "{field}이(가) 꺼져 있는데 EC2NodeClass {name}은(는) Windows 노드를 만듭니다",
            field=_FIELD,
            name=facts.classes[0],
        ),
        cause=Text(
            "the addresses of Windows pods are given by the VPC controller, which this switches on",
            "Windows 파드의 주소는 VPC 컨트롤러가 주며, 이 설정이 그것을 켬",
        ),
        facts=(fact(_TITLE, f"data.{_FIELD}", value or "not set"),),
        mends=(_mend(facts.settings, value),),
    )


def _mend(settings: Json | None, value: str) -> Mend:
    name = "kube-system/amazon-vpc-cni"
    if settings is None:
        meta = {"namespace": "kube-system", "name": "amazon-vpc-cni"}
        made: Json = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": meta,
            "data": {_FIELD: "true"},
        }
        step = Step("+", "configmap", name, f"{_FIELD}=true", (Apply(made),))
        return Mend(step, (Remove(_PATH),))
    merge = Merge(_PATH, {"data": {_FIELD: "true"}})
    step = Step("~", "configmap", name, f"{_FIELD}=true", (merge,))
    return Mend(step, (Merge(_PATH, {"data": {_FIELD: value or None}}),))
