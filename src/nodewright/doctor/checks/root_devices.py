"""Names of volumes: a mapping for another device than the image's root leaves the root as it was."""

import copy
from collections.abc import Iterator

import msgspec

from nodewright.doctor.check import Check
from nodewright.doctor.cluster import CLASSES
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change
from nodewright.doctor.placed import images_of_classes
from nodewright.install.found import Json


class Facts(msgspec.Struct, frozen=True):
    """Classes as they are written, and the root devices of images."""

    classes: tuple[Json, ...]
    roots: dict[str, str]


async def probe(look: Look) -> Facts:
    """Read the classes and their images."""
    images = await images_of_classes(look)
    roots = {name: str(one.get("RootDeviceName", "")) for name, one in images.items()}
    return Facts(tuple(await look.all(CLASSES)), roots)


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield mappings of which none is for the root of the image."""
    for one in facts.classes:
        mappings = one["spec"].get("blockDeviceMappings") or []
        ids = [str(each["id"]) for each in (one.get("status") or {}).get("amis") or ()]
        roots = sorted({facts.roots[name] for name in ids if facts.roots.get(name)})
        names = [str(each.get("deviceName", "")) for each in mappings]
        marked = [str(each.get("deviceName", "")) for each in mappings if each.get("rootVolume")]
        wanted = marked or names
        if len(roots) == 1 and wanted and roots[0] not in wanted:
            yield _finding(one, names, roots[0])


def _finding(one: Json, names: list[str], root: str) -> Finding:
    name = str(one["metadata"]["name"])
    title = f"EC2NodeClass/{name}"
    return Finding(
        objects=(title,),
        message=say(
            "the blockDeviceMappings of {title} are for {names}, and the root of its images is {root}",
            "{title}의 blockDeviceMappings는 {names}용인데 이미지의 루트 장치는 {root}입니다",
            title=title,
            names=", ".join(names),
            root=root,
        ),
        cause=Text(
            "the device's name was copied from another image",
            "다른 이미지에서 쓰는 장치 이름을 복사함",
        ),
        facts=(
            fact(title, "spec.blockDeviceMappings[].deviceName", ", ".join(names)),
            fact("image", "RootDeviceName", root),
        ),
        mends=_mends(one, root) if len(names) == 1 else (),
        advice=(f"kubectl edit ec2nodeclass {name}",),
    )


def _mends(one: Json, root: str) -> tuple[Mend, ...]:
    after = copy.deepcopy(one)
    after["spec"]["blockDeviceMappings"][0]["deviceName"] = root
    name = str(one["metadata"]["name"])
    return (change(f"{CLASSES}/{name}", ("ec2nodeclass", name), f"deviceName {root}", one, after),)


CHECK = Check(
    code="NW-3051",
    section="classes",
    severity="error",
    title=Text("volumes are for the image's own devices", "볼륨이 이미지의 장치와 맞음"),
    why=Text(
        "Launches are refused (InvalidBlockDeviceMapping), or the root keeps its small size.",
        "시작이 거부되거나(InvalidBlockDeviceMapping) 루트 볼륨이 작은 크기로 남습니다.",
    ),
    answer=Text(
        "A single mapping gets the name of the root device; of several the owner must say which is meant.",
        "매핑이 하나면 루트 장치 이름으로 바꿉니다. 여럿이면 어느 것인지 소유자가 정해야 합니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
