"""Volumes of the in-tree driver: their limits are unknown to the scheduler, and attaching races."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import STORAGE_CLASSES, VOLUMES
from nodewright.doctor.finding import Finding, Text, fact, say
from nodewright.doctor.look import Look

_OLD: Final = "kubernetes.io/aws-ebs"
_NEW: Final = "ebs.csi.aws.com"
_MIGRATED: Final = "pv.kubernetes.io/migrated-to"


class Facts(msgspec.Struct, frozen=True):
    """Storage classes and volumes of the in-tree driver."""

    classes: tuple[str, ...]
    volumes: tuple[str, ...]


async def probe(look: Look) -> Facts:
    """Read storage classes and volumes."""
    classes = [
        str(one["metadata"]["name"])
        for one in await look.all(STORAGE_CLASSES)
        if one.get("provisioner") == _OLD
    ]
    volumes = [
        str(one["metadata"]["name"])
        for one in await look.all(VOLUMES)
        if one["spec"].get("awsElasticBlockStore")
        and _MIGRATED not in (one["metadata"].get("annotations") or {})
    ]
    return Facts(tuple(classes), tuple(volumes))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield what is still of the in-tree driver."""
    titles = (
        *(f"StorageClass/{one}" for one in facts.classes),
        *(f"PersistentVolume/{one}" for one in facts.volumes),
    )
    if not titles:
        return
    yield Finding(
        objects=titles[:10],
        message=say(
            "{count} storage classes or volumes use the in-tree driver {old}",
            "스토리지 클래스 또는 볼륨 {count}개가 인트리 드라이버 {old}를 씁니다",
            count=len(titles),
            old=_OLD,
        ),
        cause=Text(
            "they were made before the EBS CSI driver, or copied from such a manifest",
            "EBS CSI 드라이버 이전에 만들었거나 그런 매니페스트를 복사함",
        ),
        facts=(
            *(fact(f"StorageClass/{one}", "provisioner", _OLD) for one in facts.classes[:3]),
            *(
                fact(f"PersistentVolume/{one}", "spec.awsElasticBlockStore", "set")
                for one in facts.volumes[:3]
            ),
        ),
        advice=(
            "kubectl get storageclass -o yaml   # a provisioner cannot be changed: make a class with ebs.csi.aws.com",
            "kubectl apply -f - <<'END'",
            "apiVersion: storage.k8s.io/v1",
            "kind: StorageClass",
            "metadata: {name: gp3}",
            f"provisioner: {_NEW}",
            "volumeBindingMode: WaitForFirstConsumer",
            "parameters: {type: gp3}",
            "END",
            "# and give the pool the startup taint ebs.csi.aws.com/agent-not-ready:NoExecute",
        ),
    )


CHECK = Check(
    code="NW-3043",
    section="pods",
    severity="warning",
    title=Text("volumes are of the CSI driver", "볼륨이 CSI 드라이버를 씀"),
    why=Text(
        "Nobody counts in-tree volumes against a node's limit: pods end in FailedAttachVolume.",
        "인트리 볼륨은 노드 한도에 계산되지 않아 파드가 FailedAttachVolume으로 멈춥니다.",
    ),
    answer=Text(
        "Make a class of ebs.csi.aws.com and move to it: data must be moved by its owner.",
        "ebs.csi.aws.com 클래스를 만들어 옮기십시오. 데이터는 주인이 옮겨야 합니다.",
    ),
    probe=probe,
    judge=judge,
)
