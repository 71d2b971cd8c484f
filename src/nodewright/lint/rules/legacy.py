"""Names of the past: API versions, labels, annotations, taints and launch templates."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.convert.renames import ANNOTATIONS
from nodewright.lint.finding import Edit, Finding, Remove, Rename, Replace
from nodewright.lint.raw import dig, items, mapping, text
from nodewright.lint.stream import Stream
from nodewright.lint.views import PodView, Pool
from nodewright.model.kinds import LEGACY
from nodewright.model.labels import DISRUPTED_TAINT, NODEPOOL, UNREGISTERED_TAINT, normalize_key
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.path import Path

NOT_READY: Final = "karpenter.sh/not-ready"
_OLD_KINDS: Final = {(kind.api_version, kind.kind) for kind in LEGACY}
_OLD_TAINTS: Final = {NOT_READY: UNREGISTERED_TAINT, "karpenter.sh/disruption": DISRUPTED_TAINT}


def check(stream: Stream) -> Iterator[Finding]:
    """Yield everything that has another name today."""
    for manifest in stream.manifests:
        if (manifest.api_version, manifest.kind) in _OLD_KINDS:
            yield Finding(
                "NW-2123",
                manifest,
                ("apiVersion",),
                f"{manifest.api_version} {manifest.kind} is an API of the past",
                f"rewrite it as v1: nodewright convert {manifest.file}",
            )
    for node_class in stream.classes:
        if node_class.spec.get("launchTemplate") is not None:
            yield Finding(
                "NW-2127",
                node_class.manifest,
                ("spec", "launchTemplate"),
                "v1 has no launch templates of your own, and convert refuses this one",
                "write its image, user data, disks and groups into the fields of their names",
            )
    for pool in stream.pools:
        yield from _check_taints(pool)
        yield from _check_keys(pool)
    for pod in stream.pods:
        yield from _check_pod(pod)


def _check_taints(pool: Pool) -> Iterator[Finding]:
    for field in ("taints", "startupTaints"):
        for path, taint in pool.taints(field):
            key = text(taint.get("key"))
            if key == NOT_READY or (key == UNREGISTERED_TAINT and pool.era == "v1"):
                why = (
                    "belongs to the past: nobody removes it, and nodes never become ready"
                    if key == NOT_READY
                    else "is put on every node by the autoscaler itself"
                )
                yield Finding(
                    "NW-2119",
                    pool.manifest,
                    (*path, "key"),
                    f"the taint {key} {why}",
                    f"remove it; new nodes carry {UNREGISTERED_TAINT} without being told",
                    (Remove(path),),
                )


def _check_keys(pool: Pool) -> Iterator[Finding]:
    for wish in pool.wishes:
        today = normalize_key(wish.key)
        if today != wish.key:
            yield Finding(
                "NW-2124",
                pool.manifest,
                (*wish.path, "key"),
                f"the label {wish.key} is the old name of {today}",
                f"write {today}",
                (Replace((*wish.path, "key"), today),),
                lowered_to="info",
            )


def _check_pod(pod: PodView) -> Iterator[Finding]:
    annotations = mapping(pod.metadata.get("annotations"))
    for key in annotations:
        if key in ANNOTATIONS:
            path = (*pod.metadata_path, "annotations", key)
            yield _renamed(
                pod, path, ANNOTATIONS[key], "annotation", ANNOTATIONS[key] in annotations
            )
    selector = mapping(pod.spec.get("nodeSelector"))
    if PROVISIONER_NAME in selector:
        path = (*pod.path, "nodeSelector", PROVISIONER_NAME)
        yield _renamed(pod, path, NODEPOOL, "label", NODEPOOL in selector)
    for index, toleration in enumerate(pod.tolerations):
        key = text(mapping(toleration).get("key"))
        if key in _OLD_TAINTS:
            path = (*pod.path, "tolerations", index, "key")
            yield Finding(
                "NW-2119",
                pod.manifest,
                path,
                f"no node carries the taint {key} any more",
                f"tolerate {_OLD_TAINTS[key]}",
                (Replace(path, _OLD_TAINTS[key]),),
            )
    yield from _check_affinity(pod)


def _check_affinity(pod: PodView) -> Iterator[Finding]:
    at: Path = (*pod.path, "affinity", "nodeAffinity")
    for path, expression in _expressions(dig(pod.manifest.raw, at), at):
        if text(expression.get("key")) == PROVISIONER_NAME:
            # The autoscaler's own deployment may be of the version that had this label.
            if text(expression.get("operator")) == "DoesNotExist":
                continue
            yield Finding(
                "NW-2124",
                pod.manifest,
                (*path, "key"),
                f"the label {PROVISIONER_NAME} is the old name of {NODEPOOL}",
                f"write {NODEPOOL}",
                (Replace((*path, "key"), NODEPOOL),),
            )


def _expressions(value: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    if isinstance(value, dict):
        for key, entry in value.items():
            if key == "matchExpressions":
                for index, one in enumerate(items(entry)):
                    if isinstance(one, dict):
                        yield (*path, key, index), one
            else:
                yield from _expressions(entry, (*path, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _expressions(entry, (*path, index))


def _renamed(pod: PodView, path: Path, today: str, what: str, taken: bool) -> Finding:
    edits: tuple[Edit, ...] = (Remove(path),) if taken else (Rename(path, today),)
    return Finding(
        "NW-2124",
        pod.manifest,
        path,
        f"the {what} {path[-1]} is the old name of {today}, and nothing reads it any more",
        f"write {today}",
        edits,
        on="key",
    )
