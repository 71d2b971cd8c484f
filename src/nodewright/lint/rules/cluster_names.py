"""Manifests that were copied from another cluster."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.lint.finding import Finding
from nodewright.lint.raw import items, mapping, text
from nodewright.lint.rules.security_groups import OWNED_PREFIX
from nodewright.lint.stream import Stream
from nodewright.lint.views import NodeClass
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

_DISCOVERY: Final = "karpenter.sh/discovery"
_BY_CONVENTION: Final = re.compile(
    r"(?:.*/)?(?:KarpenterNodeRole|KarpenterNodeInstanceProfile|NodewrightNodeRole)-(.+)"
)
_SELECTORS: Final = ("subnetSelector", "securityGroupSelector")
_TERMS: Final = ("subnetSelectorTerms", "securityGroupSelectorTerms")


class _Mention(msgspec.Struct, frozen=True):
    """A place that names a cluster."""

    manifest: Manifest
    path: Path
    cluster: str
    how: str


def check(stream: Stream) -> Iterator[Finding]:
    """Yield mentions of another cluster than the one that the settings name.

    Without settings each class must agree with itself: files may hold several clusters.
    """
    told = [
        _Mention(one.manifest, one.cluster_name[0], one.cluster_name[1], "the setting")
        for one in stream.settings
        if _is_name(one.cluster_name[1])
    ]
    groups = [
        [one for one in _mentions(node_class) if _is_name(one.cluster)]
        for node_class in stream.classes
    ]
    if told:
        groups = [[*told, *(mention for group in groups for mention in group)]]
    for group in groups:
        for mention in group[1:]:
            if mention.cluster != group[0].cluster:
                yield _finding(mention, group[0])


def _is_name(cluster: str) -> bool:
    return bool(cluster) and not set(cluster) & set("$*,<{") and "YOUR_" not in cluster


def _finding(mention: _Mention, first: _Mention) -> Finding:
    where = first.manifest.where(first.path)
    return Finding(
        "NW-3060",
        mention.manifest,
        mention.path,
        f"{mention.how} names the cluster {mention.cluster}, and {where} names {first.cluster}",
        "use one cluster's name everywhere",
    )


def _mentions(node_class: NodeClass) -> Iterator[_Mention]:
    for field in _SELECTORS:
        yield from _tags(node_class, node_class.spec.get(field), ("spec", field))
    for field in _TERMS:
        for index, term in enumerate(items(node_class.spec.get(field))):
            path = ("spec", field, index, "tags")
            yield from _tags(node_class, mapping(term).get("tags"), path)
    for field in ("role", "instanceProfile"):
        form = _BY_CONVENTION.fullmatch(text(node_class.spec.get(field)))
        if form is not None:
            yield _Mention(node_class.manifest, ("spec", field), form[1], f"this {field}")


def _tags(node_class: NodeClass, tags: Any, path: Path) -> Iterator[_Mention]:
    for key, value in mapping(tags).items():
        here = (*path, key)
        if key == _DISCOVERY and text(value):
            yield _Mention(node_class.manifest, here, text(value), f"the tag {_DISCOVERY}")
        elif key.startswith(OWNED_PREFIX):
            cluster = key.removeprefix(OWNED_PREFIX)
            yield _Mention(node_class.manifest, here, cluster, "the tag")
