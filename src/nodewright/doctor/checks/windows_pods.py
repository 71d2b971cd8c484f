"""Windows nodes whose pods do not start, or resolve no names: addresses, the build of images, kube-proxy."""

from collections.abc import Iterator

import msgspec

from nodewright.doctor import windows_access, windows_addresses, windows_builds
from nodewright.doctor.account import is_windows, node_classes
from nodewright.doctor.check import Check
from nodewright.doctor.finding import Finding, Text
from nodewright.doctor.look import Look


class Facts(msgspec.Struct, frozen=True):
    """What was seen of each of the three."""

    addresses: windows_addresses.Facts = windows_addresses.Facts()
    access: windows_access.Facts = windows_access.Facts()
    builds: windows_builds.Facts = windows_builds.Facts()


async def probe(look: Look) -> Facts:
    """Read what Windows nodes need, where classes make them or some are there."""
    classes = [one for one in await node_classes(look) if is_windows(one)]
    names = tuple(one.metadata.name for one in classes)
    return Facts(
        await windows_addresses.probe(look, names),
        await windows_access.probe(look, names),
        await windows_builds.probe(look, tuple(one.spec.resolved_family for one in classes)),
    )


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield what keeps Windows pods from starting, and from names."""
    yield from windows_addresses.judge(facts.addresses)
    yield from windows_builds.judge(facts.builds)
    yield from windows_access.judge(facts.access)


CHECK = Check(
    code="NW-3045",
    section="nodes",
    severity="error",
    title=Text(
        "Windows pods get addresses, nodes of their build, and names",
        "Windows 파드가 주소와 알맞은 빌드의 노드를 받고 이름을 찾음",
    ),
    why=Text(
        "Pods on Windows nodes get no sandbox, their images are refused, or they start and resolve no names.",
        "Windows 노드의 파드가 샌드박스를 만들지 못하거나, 이미지가 거절되거나, 시작되어도 이름을 찾지 못합니다.",
    ),
    answer=Text(
        "enable-windows-ipam becomes true in kube-system/amazon-vpc-cni, and the role of Windows nodes gets the group "
        "eks:kube-proxy-windows: in aws-auth, or by an access entry of type EC2_WINDOWS. A role that Linux nodes share has "
        "to be split, and which build an image is for only its owner knows: for both the commands are printed.",
        "kube-system/amazon-vpc-cni의 enable-windows-ipam을 true로 바꾸고, Windows 노드 역할에 eks:kube-proxy-windows 그룹을 "
        "줍니다(aws-auth 또는 EC2_WINDOWS 유형의 액세스 항목). Linux 노드와 함께 쓰는 역할은 나누어야 하고, 이미지가 어느 "
        "빌드용인지는 소유자만 알므로 두 경우 모두 명령을 보여 줍니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
