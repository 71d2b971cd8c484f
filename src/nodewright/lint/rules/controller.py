"""The controller's own pods: off its own nodes, and with enough nodes for its replicas."""

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.lint.finding import Finding, Join, Replace
from nodewright.lint.raw import dig, items, mapping, text
from nodewright.lint.settings import is_controller
from nodewright.lint.stream import Stream
from nodewright.lint.views import pod_path
from nodewright.model.labels import NODEPOOL
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

_REQUIRED: Final[Path] = (
    "affinity",
    "nodeAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
)
_OWN: Final = (NODEPOOL, PROVISIONER_NAME)
# Labels that only nodes have which somebody else made.
_FOREIGN: Final = (
    "eks.amazonaws.com/nodegroup",
    "eks.amazonaws.com/compute-type",
    "alpha.eksctl.io/nodegroup-name",
    "node.kubernetes.io/lifecycle",
)
_OLD_IMAGE: Final = re.compile(r":v?0\.(\d+)\.")
_FIRST_WITH_NODEPOOLS: Final = 32
_REPLICAS: Final = 2


class _Home(msgspec.Struct, frozen=True):
    """Where an object says on which nodes the controller runs."""

    manifest: Manifest
    path: Path
    spec: dict[str, Any]

    @property
    def terms_path(self) -> Path:
        return (*self.path, *_REQUIRED)

    @property
    def terms(self) -> list[dict[str, Any]]:
        return [mapping(term) for term in items(dig(self.spec, _REQUIRED))]


def check(stream: Stream) -> Iterator[Finding]:
    """Yield controllers that may run on nodes of their own, or that have too few nodes."""
    for home in _homes(stream):
        yield from _check_place(home, stream)
        yield from _check_replicas(home, stream)


def _homes(stream: Stream) -> Iterator[_Home]:
    for manifest in stream.manifests:
        path = pod_path(manifest)
        if path is not None and is_controller(manifest):
            yield _Home(manifest, path, mapping(dig(manifest.raw, path)))
    for values in stream.values:
        if "affinity" in values.raw:
            yield _Home(values, (), values.raw)


def _check_place(home: _Home, stream: Stream) -> Iterator[Finding]:
    if _selects_foreign(home.spec):
        return
    terms = home.terms
    keeps_off = [_keeps_off(term) for term in terms]
    if any(keeps_off) and not all(keeps_off):
        yield _ored(home, terms, keeps_off.index(False))
    elif not all(_is_safe(term) for term in terms):
        yield Finding(
            "NW-3030",
            home.manifest,
            (*home.terms_path, [_is_safe(term) for term in terms].index(False)),
            "this node selector term lets the controller run on a node that it made itself",
            f"add the expression {NODEPOOL} DoesNotExist",
        )
    elif not terms:
        preferred = dig(home.spec, _REQUIRED[:2])
        what = "only prefers other nodes" if preferred else "has no node affinity"
        yield Finding(
            "NW-3030",
            home.manifest,
            (*home.path, "affinity") if "affinity" in home.spec else home.path,
            f"the controller {what}, so it may be put on a node that it made itself",
            f"require {NODEPOOL} DoesNotExist in one nodeSelectorTerm",
            on="key",
        )
    yield from _old_key(home, terms, stream)


def _ored(home: _Home, terms: list[dict[str, Any]], other: int) -> Finding:
    can_join = len(terms) == 2 and all(set(term) == {"matchExpressions"} for term in terms)
    return Finding(
        "NW-3030",
        home.manifest,
        (*home.terms_path, other),
        "node selector terms are alternatives: the controller may run wherever this one holds, "
        "or the one that keeps it off its own nodes",
        "put the expressions of both terms into one",
        (Join(home.terms_path),) if can_join else (),
    )


def _keeps_off(term: dict[str, Any]) -> bool:
    return any(
        text(one.get("key")) in _OWN and text(one.get("operator")) == "DoesNotExist"
        for one in map(mapping, items(term.get("matchExpressions")))
    )


def _is_safe(term: dict[str, Any]) -> bool:
    return _keeps_off(term) or any(
        text(one.get("key")) in _FOREIGN and text(one.get("operator")) in ("In", "Exists")
        for one in map(mapping, items(term.get("matchExpressions")))
    )


def _selects_foreign(spec: dict[str, Any]) -> bool:
    return any(key in _FOREIGN for key in mapping(spec.get("nodeSelector")))


def _old_key(home: _Home, terms: list[dict[str, Any]], stream: Stream) -> Iterator[Finding]:
    if _is_old(home) or not any(pool.era != "v1alpha" for pool in stream.pools):
        return
    for index, term in enumerate(terms):
        keys = [text(mapping(one).get("key")) for one in items(term.get("matchExpressions"))]
        if PROVISIONER_NAME in keys and NODEPOOL not in keys:
            place = keys.index(PROVISIONER_NAME)
            path = (*home.terms_path, index, "matchExpressions", place, "key")
            yield Finding(
                "NW-3030",
                home.manifest,
                path,
                f"no node carries {PROVISIONER_NAME} any more, so this keeps the controller off "
                "nothing",
                f"use {NODEPOOL}",
                (Replace(path, NODEPOOL),),
            )


def _is_old(home: _Home) -> bool:
    """Tell whether the controller's image is older than NodePools."""
    for container in items(home.spec.get("containers")):
        form = _OLD_IMAGE.search(text(mapping(container).get("image")))
        if form is not None and int(form[1]) < _FIRST_WITH_NODEPOOLS:
            return True
    return False


def _check_replicas(home: _Home, stream: Stream) -> Iterator[Finding]:
    nodes = stream.of_kind("Node")
    path: Path = ("spec", "replicas") if home.manifest.kind else ("replicas",)
    count = dig(home.manifest.raw, path)
    wanted = count if isinstance(count, int) else _REPLICAS
    if not nodes:
        return
    room = [node for node in nodes if not _is_own(node)]
    if len(room) < wanted:
        yield Finding(
            "NW-3031",
            home.manifest,
            path,
            f"{wanted} replicas keep apart by host, and {len(room)} node"
            f"{'' if len(room) == 1 else 's'} of these files can take one",
            "set replicas to 1, or let the node group have two nodes",
        )


def _is_own(node: Manifest) -> bool:
    labels = mapping(dig(node.raw, ("metadata", "labels")))
    return any(key in labels for key in _OWN) or labels.get(_FOREIGN[1]) == "fargate"
