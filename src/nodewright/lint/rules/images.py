"""Images and metadata settings that a Kubernetes version has left behind.

There are no AL2 images from 1.33 on. The alias of a v1 class is judged by its validation; here are
the other ways to say AL2, and the hop limit of 1 that keeps pods from the metadata service.
"""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.lint.finding import Edit, Finding, Replace
from nodewright.lint.raw import dig, items, mapping, text
from nodewright.lint.stream import Stream
from nodewright.lint.views import NodeClass, PodView
from nodewright.model.path import Path
from nodewright.model.validation_ec2nodeclass import AL2_MINOR_MAX, WINDOWS2025_MINOR_MIN

_HOPS: Final[Path] = ("spec", "metadataOptions", "httpPutResponseHopLimit")
_LB_CONTROLLER: Final = "aws-load-balancer-controller"
_ALIAS: Final[Path] = ("spec", "amiSelectorTerms", 0, "alias")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield AL2 where it ends, and metadata that a load balancer controller cannot reach."""
    minor = stream.told.kubernetes_minor
    for node_class in stream.classes:
        if minor is not None and minor > AL2_MINOR_MAX:
            yield from _check_al2(node_class, minor)
        if minor is not None and minor < WINDOWS2025_MINOR_MIN:
            yield from _check_windows(node_class, minor)
        if node_class.era == "v1":
            yield from _check_hops(node_class, stream.pods)


def _check_al2(node_class: NodeClass, minor: int) -> Iterator[Finding]:
    family = node_class.spec.get("amiFamily")
    alias = text(dig(node_class.manifest.raw, _ALIAS))
    if alias.partition("@")[0] == "al2":
        path, edits = _ALIAS, _to_al2023(node_class, alias)
    elif family == "AL2" or (node_class.era == "v1alpha" and family is None):
        path = ("spec", "amiFamily") if family else ("spec",)
        edits = ()
    else:
        return
    default = " (the default of its time)" if family is None and not alias else ""
    yield Finding(
        "NW-3058",
        node_class.manifest,
        path,
        f"AL2{default} has no images for Kubernetes 1.{minor}",
        "use al2023@latest (user data becomes a NodeConfig) or bottlerocket@latest",
        edits,
        on="value" if path != ("spec",) else "key",
    )


def _check_windows(node_class: NodeClass, minor: int) -> Iterator[Finding]:
    if text(dig(node_class.manifest.raw, _ALIAS)).startswith("windows2025@"):
        yield Finding(
            "NW-3058",
            node_class.manifest,
            _ALIAS,
            f"there are no Windows 2025 images for Kubernetes 1.{minor}",
            f"use windows2022@latest, or move to 1.{WINDOWS2025_MINOR_MIN}",
        )


def _to_al2023(node_class: NodeClass, alias: str) -> tuple[Edit, ...]:
    """Move the alias where nothing else of the class speaks AL2's language."""
    if node_class.spec.get("userData") or node_class.spec.get("amiFamily") or alias != "al2@latest":
        return ()
    return (Replace(_ALIAS, "al2023@latest"),)


def _check_hops(node_class: NodeClass, pods: tuple[PodView, ...]) -> Iterator[Finding]:
    hops: Any = dig(node_class.manifest.raw, _HOPS)
    if hops is not None and hops != 1:
        return
    for pod in pods:
        if pod.manifest.kind != "Deployment" or pod.manifest.name != _LB_CONTROLLER:
            continue
        if pod.spec.get("hostNetwork") is True or _knows_its_vpc(pod):
            continue
        yield Finding(
            "NW-3058",
            node_class.manifest,
            _HOPS,
            f"with a hop limit of 1 {_LB_CONTROLLER} cannot ask the metadata service for its VPC",
            "set httpPutResponseHopLimit: 2, or give the controller --aws-vpc-id and --aws-region",
            on="key",
            lowered_to="warning",
        )


def _knows_its_vpc(pod: PodView) -> bool:
    words = [
        text(argument)
        for container in items(pod.spec.get("containers"))
        for field in ("args", "command")
        for argument in items(mapping(container).get(field))
    ]
    return any(word.startswith("--aws-vpc-id") for word in words)
