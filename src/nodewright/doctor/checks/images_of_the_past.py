"""Images that the version of the cluster has left behind, and a hop limit that pods cannot pass."""

import copy

from nodewright.doctor.finding import Text
from nodewright.doctor.written import Wording, by_edits, written_check
from nodewright.install.found import Json
from nodewright.lint.finding import Finding as Remark
from nodewright.lint.rules import images


def _renewed(remark: Remark) -> Json | None:
    """Move the alias on, or let pods reach the metadata service."""
    if remark.path[-1] != "httpPutResponseHopLimit":
        return by_edits(remark)
    after = copy.deepcopy(remark.manifest.raw)
    options = after["spec"].setdefault("metadataOptions", {})
    options["httpPutResponseHopLimit"] = 2
    return after


CHECK = written_check(
    "NW-3058",
    "versions",
    images.check,
    Wording(
        title=Text(
            "images and metadata settings suit the version",
            "이미지와 메타데이터 설정이 클러스터 버전에 맞음",
        ),
        why=Text(
            "There are no AL2 images from Kubernetes 1.33 on, so no node can be made of such a class.",
            "쿠버네티스 1.33부터 AL2 이미지가 없으므로 이 클래스로는 노드를 만들 수 없습니다.",
        ),
        cause=Text(
            "the class was written for an earlier version of Kubernetes",
            "이전 쿠버네티스 버전에 맞춰 작성된 클래스임",
        ),
        answer=Text(
            "The alias becomes al2023@latest where no user data of AL2 stands in the way.",
            "AL2용 사용자 데이터가 없으면 별칭을 al2023@latest로 바꿉니다.",
        ),
        korean="{object}의 {path}={value}는 이 쿠버네티스 버전에 맞지 않습니다",
    ),
    _renewed,
)
