"""The Helm of this machine can pull the chart: charts come from a registry, which older ones cannot speak to."""

import re
from collections.abc import Iterator
from typing import Final

from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look

_LEAST: Final = (3, 8)
_VERSION: Final = re.compile(r"v?(\d+)\.(\d+)")


async def probe(look: Look) -> str:
    """Give the version of Helm on this machine; nothing where there is none."""
    return look.subject.helm_version


def judge(version: str) -> Iterator[Finding]:
    """Yield a Helm that is too old."""
    read = _VERSION.match(version)
    if read is None or (int(read[1]), int(read[2])) >= _LEAST:
        return
    yield Finding(
        objects=("helm",),
        message=say(
            "Helm {version} of this machine cannot pull charts from a registry",
            "이 컴퓨터의 Helm {version}은(는) 레지스트리에서 차트를 받을 수 없습니다",
            version=version,
        ),
        cause=Text(
            "charts by oci:// need Helm 3.8; before 0.35 their versions are written with a v, and a stale "
            "login to the public registry is refused",
            "oci:// 차트에는 Helm 3.8이 필요하고, 0.35 전의 차트 버전에는 v를 붙여야 하며, 오래된 공개 레지스트리 "
            "로그인은 거부됨",
        ),
        facts=(fact("helm version --short", "", version),),
        advice=(
            "helm version --short   # install 3.8 or newer",
            "helm registry logout public.ecr.aws   # if the pull is refused with 403",
        ),
    )


CHECK = Check(
    code="NW-3039",
    section="versions",
    severity="warning",
    title=Text("Helm can pull the chart", "Helm이 차트를 받을 수 있음"),
    why=Text(
        "The chart cannot be installed or upgraded from here.",
        "여기서는 차트를 설치하거나 갱신할 수 없습니다.",
    ),
    answer=Text(
        "Install a newer Helm; how depends on the machine.",
        "더 새로운 Helm을 설치하십시오. 방법은 컴퓨터마다 다릅니다.",
    ),
    probe=probe,
    judge=judge,
)
