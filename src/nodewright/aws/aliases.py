"""Aliases of images: the public parameters that name them, and which machines each image is for.

An image is for one architecture and for machines without accelerators, with GPUs, or with Neuron
devices. One image may serve two of these; then it is listed for each.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.catalog.settings import WINDOWS_BUILDS
from nodewright.model.labels import ARCH, OS, WINDOWS_BUILD
from nodewright.model.metadata import NodeSelectorRequirement

LATEST: Final = "latest"
_GPU: Final = "karpenter.k8s.aws/instance-gpu-count"
_ACCELERATOR: Final = "karpenter.k8s.aws/instance-accelerator-count"
_EKS: Final = "/aws/service/eks/optimized-ami"
_ARCHES: Final = {"x86_64": "amd64", "arm64": "arm64"}

type Conditions = tuple[NodeSelectorRequirement, ...]


class Parameter(msgspec.Struct, frozen=True):
    """A public parameter, and the machines that its image is for."""

    name: str
    conditions: Conditions


def for_arch(arch: str) -> Conditions:
    """Say that an image is for one architecture, in Kubernetes' or EC2's name for it."""
    value = _ARCHES.get(arch, arch)
    return (NodeSelectorRequirement(key=ARCH, operator="In", values=(value,)),)


def _plain(arch: str) -> Conditions:
    return (
        *for_arch(arch),
        NodeSelectorRequirement(key=_GPU, operator="DoesNotExist"),
        NodeSelectorRequirement(key=_ACCELERATOR, operator="DoesNotExist"),
    )


def _gpu(arch: str) -> Conditions:
    return (*for_arch(arch), NodeSelectorRequirement(key=_GPU, operator="Exists"))


def _neuron(arch: str) -> Conditions:
    return (*for_arch(arch), NodeSelectorRequirement(key=_ACCELERATOR, operator="Exists"))


def alias_parameters(family: str, version: str, kubernetes: str) -> tuple[Parameter, ...]:
    """Give the parameters of an alias for a Kubernetes version such as 1.34."""
    match family:
        case "AL2":
            found = _al2(version, kubernetes)
        case "AL2023":
            found = _al2023(version, kubernetes)
        case "Bottlerocket":
            found = _bottlerocket(version, kubernetes)
        case _:
            found = _windows(family, kubernetes)
    return tuple(found)


def _al2(version: str, kubernetes: str) -> Iterator[Parameter]:
    for suffix, kind, conditions in (
        ("", "node", _plain("x86_64")),
        ("-arm64", "arm64-node", _plain("arm64")),
        ("-gpu", "gpu-node", _gpu("x86_64")),
        ("-gpu", "gpu-node", _neuron("x86_64")),
    ):
        last = "recommended" if version == LATEST else f"amazon-eks-{kind}-{kubernetes}-{version}"
        name = f"{_EKS}/{kubernetes}/amazon-linux-2{suffix}/{last}/image_id"
        yield Parameter(name, conditions)


def _al2023(version: str, kubernetes: str) -> Iterator[Parameter]:
    for arch in _ARCHES:
        for variant, conditions in (
            ("standard", _plain(arch)),
            ("nvidia", _gpu(arch)),
            ("neuron", _neuron(arch)),
        ):
            if (arch, variant) == ("arm64", "neuron"):
                continue
            last = (
                "recommended"
                if version == LATEST
                else f"amazon-eks-node-al2023-{arch}-{variant}-{kubernetes}-{version}"
            )
            name = f"{_EKS}/{kubernetes}/amazon-linux-2023/{arch}/{variant}/{last}/image_id"
            yield Parameter(name, conditions)


def _bottlerocket(version: str, kubernetes: str) -> Iterator[Parameter]:
    number = version.removeprefix("v")
    for variant, arch, conditions in (
        ("", "x86_64", _plain("x86_64")),
        ("", "x86_64", _neuron("x86_64")),
        ("", "arm64", _plain("arm64")),
        ("-nvidia", "x86_64", _gpu("x86_64")),
        ("-nvidia", "arm64", _gpu("arm64")),
    ):
        root = f"/aws/service/bottlerocket/aws-k8s-{kubernetes}{variant}"
        yield Parameter(f"{root}/{arch}/{number}/image_id", conditions)


def _windows(family: str, kubernetes: str) -> Iterator[Parameter]:
    year = family.removeprefix("Windows")
    name = (
        f"/aws/service/ami-windows-latest/Windows_Server-{year}-English-Core-EKS_Optimized-"
        f"{kubernetes}/image_id"
    )
    yield Parameter(
        name,
        (
            *for_arch("x86_64"),
            NodeSelectorRequirement(key=OS, operator="In", values=("windows",)),
            NodeSelectorRequirement(
                key=WINDOWS_BUILD, operator="In", values=(WINDOWS_BUILDS[family],)
            ),
        ),
    )
