"""Images of every EKS family, for each Kubernetes version, with the parameters that name them.

moto brings no EKS image. Each family has three releases here: the newest, which `recommended` names, an
older one that can still be pinned, and one that is deprecated by now. Identifiers are hashes of region
and name, so that every run agrees.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec
from moto.ec2.models.amis import Ami

from nodewright.sandbox.aws.account import Account

KUBERNETES: Final = tuple(f"1.{minor}" for minor in range(26, 37))
AMAZON_EKS: Final = "602401143452"
_BOTTLEROCKET_OWNER: Final = "092701018921"
_WINDOWS_OWNER: Final = "957547624766"
_LIFE: Final = timedelta(days=730)
_AL2_LAST: Final = 32
_WINDOWS_2025_FIRST: Final = 35
# Day, AL2 and AL2023 release, Bottlerocket version, Windows release; the newest first.
RELEASES: Final = (
    ("2026-10-06", "v20261006", "1.50.0", "2026.10.06"),
    ("2026-05-12", "v20260512", "1.46.1", "2026.05.12"),
    ("2024-03-05", "v20240305", "1.19.2", "2024.03.05"),
)


class Device(msgspec.Struct, frozen=True):
    """A volume that an image brings."""

    name: str
    size_gib: int


class EksImage(msgspec.Struct, frozen=True):
    """An image and the parameters that name it."""

    name: str
    architecture: str
    created: datetime
    owner_id: str
    devices: tuple[Device, ...]
    parameters: tuple[str, ...]
    platform: str = ""

    @property
    def deprecated(self) -> datetime:
        """When it is deprecated: two years after it was made."""
        return self.created + _LIFE


def image_id(region: str, name: str) -> str:
    """Give the identifier of an image of ours."""
    return f"ami-{hashlib.sha256(f'{region}/{name}'.encode()).hexdigest()[:17]}"


def eks_images() -> Iterator[EksImage]:
    """Give every EKS image of every version."""
    for version in KUBERNETES:
        minor = int(version.partition(".")[2])
        for number, release in enumerate(RELEASES):
            latest = number == 0
            if minor <= _AL2_LAST:
                yield from _al2(version, release, latest=latest)
            yield from _al2023(version, release, latest=latest)
            yield from _bottlerocket(version, release, latest=latest)
            for year in ("2019", "2022", "2025"):
                if year != "2025" or minor >= _WINDOWS_2025_FIRST:
                    yield _windows(version, year, release, latest=latest)


def seed_images(account: Account, region: str) -> None:
    """Put the images into a region, once."""
    seeded = account.store("images/seeded", set[str])
    if region in seeded:
        return
    seeded.add(region)
    backend = account.inside.backend("ec2", region)
    ends = account.store("images/deprecation", dict[str, datetime])
    for one in eks_images():
        number = image_id(region, one.name)
        backend.amis[number] = Ami(
            backend,
            number,
            name=one.name,
            owner_id=one.owner_id,
            owner_alias="amazon",
            public=True,
            virtualization_type="hvm",
            architecture=one.architecture,
            creation_date=one.created,
            platform=one.platform or None,
            hypervisor="xen",
            root_device_type="ebs",
            root_device_name=one.devices[0].name,
            region_name=f"{region}a",
            image_location=f"amazon/{one.name}",
        )
        ends[number] = one.deprecated
        devices(account)[number] = one.devices
        for parameter in one.parameters:
            parameters(account, region)[parameter] = number


def devices(account: Account) -> dict[str, tuple[Device, ...]]:
    """Give the volumes of images by image."""
    return account.store("images/devices", dict[str, tuple[Device, ...]])


def parameters(account: Account, region: str) -> dict[str, str]:
    """Give the public parameters of a region that name images."""
    return account.store(f"images/parameters/{region}", dict[str, str])


def mappings_of(account: Account, image: Any) -> list[dict[str, Any]]:
    """Give the block devices of an image as EC2 describes them."""
    known = devices(account).get(str(image.id))
    if known is None:
        return [dict(one) for one in image.block_device_mappings]
    return [
        {
            "DeviceName": one.name,
            "Ebs": {
                "DeleteOnTermination": True,
                "SnapshotId": str(image.ebs_snapshot.id),
                "VolumeSize": one.size_gib,
                "VolumeType": "gp3",
                "Encrypted": False,
            },
        }
        for one in known
    ]


def _day(release: tuple[str, str, str, str]) -> datetime:
    return datetime.fromisoformat(release[0]).replace(tzinfo=UTC)


def _al2(version: str, release: tuple[str, str, str, str], *, latest: bool) -> Iterator[EksImage]:
    root = f"/aws/service/eks/optimized-ami/{version}"
    for folder, word, arch in (
        ("amazon-linux-2", "node", "x86_64"),
        ("amazon-linux-2-arm64", "arm64-node", "arm64"),
        ("amazon-linux-2-gpu", "gpu-node", "x86_64"),
    ):
        name = f"amazon-eks-{word}-{version}-{release[1]}"
        names = (name, "recommended") if latest else (name,)
        yield EksImage(
            name, arch, _day(release), AMAZON_EKS, (Device("/dev/xvda", 20),),
            tuple(f"{root}/{folder}/{one}/image_id" for one in names),
        )  # fmt: skip


def _al2023(
    version: str, release: tuple[str, str, str, str], *, latest: bool
) -> Iterator[EksImage]:
    root = f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023"
    for arch, variant in (
        ("x86_64", "standard"), ("arm64", "standard"), ("x86_64", "nvidia"), ("arm64", "nvidia"),
        ("x86_64", "neuron"),
    ):  # fmt: skip
        name = f"amazon-eks-node-al2023-{arch}-{variant}-{version}-{release[1]}"
        names = (name, "recommended") if latest else (name,)
        yield EksImage(
            name, arch, _day(release), AMAZON_EKS, (Device("/dev/xvda", 20),),
            tuple(f"{root}/{arch}/{variant}/{one}/image_id" for one in names),
        )  # fmt: skip


def _bottlerocket(
    version: str, release: tuple[str, str, str, str], *, latest: bool
) -> Iterator[EksImage]:
    for flavour in ("", "-nvidia"):
        for arch in ("x86_64", "arm64"):
            kind = f"aws-k8s-{version}{flavour}"
            names = (release[2], "latest") if latest else (release[2],)
            yield EksImage(
                f"bottlerocket-{kind}-{arch}-v{release[2]}", arch, _day(release),
                _BOTTLEROCKET_OWNER, (Device("/dev/xvda", 2), Device("/dev/xvdb", 20)),
                tuple(f"/aws/service/bottlerocket/{kind}/{arch}/{one}/image_id" for one in names),
            )  # fmt: skip


def _windows(
    version: str, year: str, release: tuple[str, str, str, str], *, latest: bool
) -> EksImage:
    kind = f"Windows_Server-{year}-English-Core-EKS_Optimized-{version}"
    return EksImage(
        f"{kind}-{release[3]}", "x86_64", _day(release), _WINDOWS_OWNER,
        (Device("/dev/sda1", 50),),
        (f"/aws/service/ami-windows-latest/{kind}/image_id",) if latest else (),
        "windows",
    )  # fmt: skip
