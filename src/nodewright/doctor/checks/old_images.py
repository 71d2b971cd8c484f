"""Images and network plugins that do not know the machines of today."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import find_daemon
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import image_ids, images_of_classes
from nodewright.model.instant import parse_instant

AGE_MS_MAX: Final = 365 * 24 * 3_600_000
PLUGIN_MIN: Final = (1, 16)
_VERSION: Final = re.compile(r":v?(\d+)\.(\d+)")


class Facts(msgspec.Struct, frozen=True):
    """Images with the instants at which they were made, and the network plugin's image."""

    now_ms: int
    images: tuple[tuple[str, str, str], ...]
    plugin: str = ""


async def probe(look: Look) -> Facts:
    """Read the images of classes and the network plugin."""
    known = await images_of_classes(look)
    images = {
        (title_of(one), name, str(known[name].get("CreationDate", "")))
        for one in await node_classes(look)
        for name in image_ids(one)
        if name in known
    }
    daemon = await find_daemon(look, "aws-node") or {}
    spec = ((daemon.get("spec") or {}).get("template") or {}).get("spec") or {}
    plugin = next((str(one.get("image", "")) for one in spec.get("containers") or ()), "")
    return Facts(look.subject.now_ms, tuple(sorted(images)), plugin)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield images that are older than a year, and a plugin from before."""
    for title, image, made in facts.images:
        if made and facts.now_ms - parse_instant(made) > AGE_MS_MAX:
            yield _old_image(title, image, made)
    found = _VERSION.search(facts.plugin)
    if found and (int(found.group(1)), int(found.group(2))) < PLUGIN_MIN:
        yield _old_plugin(facts.plugin)


def _old_image(title: str, image: str, made: str) -> Finding:
    return Finding(
        objects=(title, image),
        message=say(
            "image {image} of {title} is more than a year old",
            "{title}의 이미지 {image}이(가) 1년 넘게 오래되었습니다",
            image=image,
            title=title,
        ),
        cause=Text("the image is pinned", "이미지가 고정되어 있음"),
        facts=(fact(image, "CreationDate", made),),
        advice=(f"kubectl edit {title.lower().replace('/', ' ')}",),
    )


def _old_plugin(image: str) -> Finding:
    return Finding(
        objects=("DaemonSet/kube-system/aws-node",),
        message=say(
            "the network plugin is older than v{major}.{minor}: {image}",
            "네트워크 플러그인이 v{major}.{minor}보다 오래되었습니다: {image}",
            major=PLUGIN_MIN[0],
            minor=PLUGIN_MIN[1],
            image=image,
        ),
        cause=Text("the add-on vpc-cni was not updated", "vpc-cni 애드온을 업데이트하지 않음"),
        facts=(fact("DaemonSet/kube-system/aws-node", "image", image),),
        advice=("aws eks update-addon --cluster-name CLUSTER --addon-name vpc-cni",),
    )


CHECK = Check(
    code="NW-3053",
    section="versions",
    severity="warning",
    title=Text(
        "images and plugins know the machines of today", "이미지와 플러그인이 최신 인스턴스를 앎"
    ),
    why=Text(
        "What is too old has no entry for a new instance type: the node boots and gets no addresses.",
        "오래된 것은 새 인스턴스 유형을 몰라 노드가 부팅해도 주소를 받지 못합니다.",
    ),
    answer=Text(
        "Which version to move to is the owner's choice.",
        "어느 버전으로 올릴지는 소유자가 정합니다.",
    ),
    probe=probe,
    judge=judge,
)
