"""Existing nodes: which take a pod, and what stopped the others, grouped by rule."""

from collections.abc import Iterable

import msgspec

from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.hosts import Host
from nodewright.core.scheduling.wishes import Shape, Wish
from nodewright.model.quantity import Milli
from nodewright.model.reason import Reason


class Stopped(msgspec.Struct, frozen=True):
    """Nodes that one rule stopped, and the one among them that came nearest."""

    reason: Reason
    subject: str
    count: int
    node: str
    most: Milli | None = None


class Existing(msgspec.Struct, frozen=True):
    """What existing nodes say to a pod."""

    count: int = 0
    takes: tuple[str, ...] = ()
    stopped: tuple[Stopped, ...] = ()


def ask_nodes(board: Board, shape: Shape, wish: Wish) -> Existing:
    """Ask every existing node, and group those that refuse by what stopped them."""
    takes: list[str] = []
    groups: dict[tuple[Reason, str], list[Host]] = {}
    for host in board.hosts:
        reason = board.on_host(shape, wish, host)
        if reason is None:
            takes.append(host.name)
        else:
            groups.setdefault((reason, subject_of(reason, shape, wish, host)), []).append(host)
    stopped = [
        _stopped(reason, subject, hosts) for (reason, subject), hosts in sorted_groups(groups)
    ]
    return Existing(len(board.hosts), tuple(takes), tuple(stopped))


def sorted_groups[Held](
    groups: dict[tuple[Reason, str], list[Held]],
) -> Iterable[tuple[tuple[Reason, str], list[Held]]]:
    """Order groups: the largest first, then by code and subject."""
    return sorted(groups.items(), key=lambda one: (-len(one[1]), one[0][0].code, one[0][1]))


def subject_of(reason: Reason, shape: Shape, wish: Wish, host: Host) -> str:
    """Name the label or resource because of which a node refuses a pod, where it is one."""
    match reason:
        case Reason.NODE_FULL:
            return _lacking(shape, host)
        case Reason.LABELS_CLASH | Reason.LABEL_UNDEFINED:
            clash = host.requirements.clash(wish.requirements, frozenset())
            return clash.key if clash is not None else ""
        case _:
            return ""


def _lacking(shape: Shape, host: Host) -> str:
    """Name the resource that a node has too little of, or its pods where it is overfull."""
    for name, amount in shape.requests.items():
        if amount > host.available.get(name, 0):
            return name
    return min(host.available, key=lambda name: host.available[name], default="")


def _stopped(reason: Reason, subject: str, hosts: list[Host]) -> Stopped:
    if reason is not Reason.NODE_FULL:
        return Stopped(reason, subject, len(hosts), hosts[0].name)
    best = max(hosts, key=lambda host: host.available.get(subject, 0))
    return Stopped(reason, subject, len(hosts), best.name, max(0, best.available.get(subject, 0)))
