"""Which operating system an image brings, told by its name, and which reader its user data gets.

Images of EKS and Bottlerocket say their Kubernetes release in their names. An image of another name
is somebody's own: what it does with user data is told by the user data itself.
"""

import re
from typing import Final

import msgspec

from nodewright.catalog.settings import AL2, AL2023, BOTTLEROCKET, CUSTOM
from nodewright.sandbox.kubelet.al2 import read_al2
from nodewright.sandbox.kubelet.boot import Boot, BootError
from nodewright.sandbox.kubelet.bottlerocket import read_bottlerocket
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import NODE_CONFIG, decode
from nodewright.sandbox.kubelet.windows import read_windows

_NAMES: Final = (
    (AL2023, re.compile(r"amazon-eks-node-al2023-\w+-\w+-(1\.\d+)-")),
    (AL2, re.compile(r"amazon-eks-(?:(?:arm64|gpu)-)?node-(1\.\d+)-")),
    (BOTTLEROCKET, re.compile(r"bottlerocket-aws-k8s-(1\.\d+)(?:-|$)")),
)
_WINDOWS: Final = re.compile(r"Windows_Server-(2019|2022|2025)-.*EKS_Optimized-(1\.\d+)")


class Image(msgspec.Struct, frozen=True):
    """The family of an image and the kubelet's minor release, where its name tells it."""

    family: str = CUSTOM
    minor: str = ""


def image_of(name: str) -> Image:
    """Tell what an image is by its name."""
    for family, pattern in _NAMES:
        if found := pattern.match(name):
            return Image(family, found[1])
    if found := _WINDOWS.match(name):
        return Image(f"Windows{found[1]}", found[2])
    return Image()


def read_user_data(family: str, user_data: str) -> Boot:
    """Give what an image of a family makes of user data as EC2 keeps it."""
    text = decode(user_data)
    match family:
        case "AL2":
            return read_al2(text)
        case "AL2023":
            return read_al2023(text)
        case "Bottlerocket":
            return read_bottlerocket(text)
        case "Custom":
            return _read_custom(text)
    return read_windows(text)


def _read_custom(text: str) -> Boot:
    if not text.strip():
        raise BootError("user data is empty; nothing on this image starts a kubelet")
    if "<powershell>" in text.lower():
        return read_windows(text)
    if NODE_CONFIG in text or "node.eks.aws/" in text:
        return read_al2023(text)
    if "[settings.kubernetes]" in text or "[settings]" in text:
        return read_bottlerocket(text)
    return read_al2(text)
