"""Use: what the metrics API says that nodes and pods really use; without it nobody knows."""

from collections.abc import Mapping

import msgspec

from nodewright.model.quantity import BadQuantity, Milli, parse_quantity


class Used(msgspec.Struct, frozen=True):
    """Cores and memory in use, in thousandths."""

    cpu: Milli
    memory: Milli


class Usage(msgspec.Struct, frozen=True):
    """What is in use, by node and by pod (`namespace/name`), and when that was measured."""

    at_ms: int
    nodes: Mapping[str, Used] = {}
    pods: Mapping[str, Used] = {}


class _Meta(msgspec.Struct, frozen=True):
    name: str = ""
    namespace: str = ""


class _Container(msgspec.Struct, frozen=True):
    usage: dict[str, str] = {}


class _Item(msgspec.Struct, frozen=True):
    metadata: _Meta = _Meta()
    usage: dict[str, str] = {}
    containers: tuple[_Container, ...] = ()


class _List(msgspec.Struct, frozen=True):
    items: tuple[_Item, ...] = ()


def read_usage(nodes: bytes, pods: bytes, at_ms: int) -> Usage:
    """Read the lists of NodeMetrics and PodMetrics; an amount that cannot be read is left out."""
    return Usage(
        at_ms,
        {
            one.metadata.name: used
            for one in _items(nodes)
            if (used := _used(one.usage)) is not None
        },
        {
            f"{one.metadata.namespace}/{one.metadata.name}": Used(
                sum(each.cpu for each in parts), sum(each.memory for each in parts)
            )
            for one in _items(pods)
            if (parts := [used for each in one.containers if (used := _used(each.usage))])
        },
    )


def _items(data: bytes) -> tuple[_Item, ...]:
    try:
        return msgspec.json.decode(data, type=_List).items
    except msgspec.DecodeError:
        return ()


def _used(amounts: Mapping[str, str]) -> Used | None:
    try:
        return Used(parse_quantity(amounts["cpu"]), parse_quantity(amounts["memory"]))
    except (KeyError, BadQuantity):
        return None
