"""Images that are too new or too old for the cluster's Kubernetes version."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.account import node_classes, title_of
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import describe_cluster
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.placed import image_ids, images_of_classes

SKEW_MAX: Final = 3
_ALIAS: Final = '{"spec":{"amiSelectorTerms":[{"alias":"al2023@latest"}]}}'
_VERSION: Final = re.compile(r"(?:^|[-_.])1\.(\d{2})(?:[-_.]|$)")


class Facts(msgspec.Struct, frozen=True):
    """The minor version of the cluster, and the names of each class's images."""

    minor: int
    images: tuple[tuple[str, str, str], ...]


async def probe(look: Look) -> Facts:
    """Read the cluster's version and the images of classes."""
    told = await describe_cluster(look)
    minor = str(told.get("version", "")).partition(".")[2]
    known = await images_of_classes(look)
    found = [
        (title_of(one), name, str(known[name].get("Name", "")))
        for one in await node_classes(look)
        for name in image_ids(one)
        if name in known
    ]
    return Facts(int(minor) if minor.isdecimal() else 0, tuple(sorted(set(found))))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield images whose kubelet does not go with the API server."""
    for title, image, name in facts.images:
        named = _VERSION.search(name)
        minor = int(named.group(1)) if named else facts.minor
        if not facts.minor or facts.minor - SKEW_MAX <= minor <= facts.minor:
            continue
        yield Finding(
            objects=(title, image),
            message=say(
                "image {image} of {title} is for Kubernetes 1.{image_minor}, and the cluster has 1.{minor}",
                "{title}의 이미지 {image}은(는) Kubernetes 1.{image_minor}용인데 클러스터는 1.{minor}입니다",
                image=image,
                title=title,
                image_minor=minor,
                minor=facts.minor,
            ),
            cause=Text(
                "the image is pinned, and the cluster's version has moved on or was never that high",
                "이미지가 고정되어 있고 클러스터 버전이 그와 다름",
            ),
            facts=(
                fact(image, "Name", name),
                fact(
                    "EKS cluster",
                    "version",
                    f"1.{facts.minor} (kubelets from 1.{facts.minor - SKEW_MAX})",
                ),
            ),
            advice=(f"kubectl patch {title.lower().replace('/', ' ')} --type=merge -p '{_ALIAS}'",),
        )


CHECK = Check(
    code="NW-3013",
    section="versions",
    severity="error",
    title=Text("images go with the cluster's version", "이미지가 클러스터 버전과 맞음"),
    why=Text(
        "A kubelet that is newer than the API server, or more than three versions older, does not join.",
        "API 서버보다 새롭거나 세 버전 넘게 오래된 kubelet은 클러스터에 들어오지 못합니다.",
    ),
    answer=Text(
        "Which image is wanted only the owner knows; an alias follows the cluster's version.",
        "어떤 이미지를 쓸지는 소유자가 정합니다. 별칭을 쓰면 클러스터 버전을 따라갑니다.",
    ),
    probe=probe,
    judge=judge,
)
