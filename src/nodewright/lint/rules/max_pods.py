"""More pods on a node than it has addresses for."""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.catalog.capacity import eni_limited_pods
from nodewright.catalog.settings import DEFAULT
from nodewright.catalog.table import bundled_table
from nodewright.lint.finding import Finding
from nodewright.lint.raw import dig, items, mapping, word
from nodewright.lint.stream import Stream
from nodewright.lint.views import Pool
from nodewright.model.path import Path
from nodewright.state.manifests import Manifest

_CNI: Final = "aws-node"
_PREFIXES: Final = "ENABLE_PREFIX_DELEGATION"
_IN_POOL: Final[dict[str, Path]] = {
    "v1alpha": ("spec", "kubeletConfiguration", "maxPods"),
    "v1beta1": ("spec", "template", "spec", "kubelet", "maxPods"),
}
_IN_CLASS: Final[Path] = ("spec", "kubelet", "maxPods")


def check(stream: Stream) -> Iterator[Finding]:
    """Yield maxPods that some type of a pool has too few addresses for."""
    delegates = _delegates_prefixes(stream)
    if delegates:
        return
    for manifest, path, pool in _settings(stream):
        wanted = dig(manifest.raw, path)
        if not isinstance(wanted, int) or isinstance(wanted, bool):
            continue
        short = _short_types(stream, pool, wanted)
        if not short:
            continue
        name, room = short[0]
        more = f" and {len(short) - 1} more types" if len(short) > 1 else ""
        yield Finding(
            "NW-3044",
            manifest,
            path,
            f"maxPods {wanted} is more than the network interfaces of {name} ({room}){more} give "
            "addresses for",
            f"lower it, allow larger types only, or switch on {_PREFIXES} in the CNI (aws-node)",
            lowered_to="warning" if delegates is False else None,
        )


def _settings(stream: Stream) -> Iterator[tuple[Manifest, Path, Pool]]:
    """Give each place where maxPods may stand, with a pool that it counts for."""
    first_of_class: dict[str, Pool] = {}
    for pool in stream.pools:
        first_of_class.setdefault(pool.class_name, pool)
        if pool.era in _IN_POOL and pool.is_of_ec2:
            yield pool.manifest, _IN_POOL[pool.era], pool
    for node_class in stream.classes:
        user = first_of_class.get(node_class.name)
        if user is not None:
            yield node_class.manifest, _IN_CLASS, user


def _short_types(stream: Stream, pool: Pool, wanted: int) -> list[tuple[str, int]]:
    shapes = bundled_table().shapes_by_name
    names = stream.instances.named(stream.instances.left(pool.effective_wishes))
    rooms = ((name, eni_limited_pods(shapes[name], DEFAULT, 0)) for name in names)
    return sorted(((name, room) for name, room in rooms if room < wanted), key=lambda one: one[1])


def _delegates_prefixes(stream: Stream) -> bool | None:
    """Tell whether the CNI of the stream delegates prefixes; None where it is not there."""
    for daemon in stream.pods:
        if daemon.manifest.kind != "DaemonSet" or daemon.manifest.name != _CNI:
            continue
        for container in items(daemon.spec.get("containers")):
            for entry in items(mapping(container).get("env")):
                if _is_set(mapping(entry)):
                    return True
        return False
    return None


def _is_set(entry: dict[str, Any]) -> bool:
    return entry.get("name") == _PREFIXES and word(entry.get("value")).lower() == "true"
