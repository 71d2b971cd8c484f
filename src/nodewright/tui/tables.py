"""The tables of `top`: their columns, and what each row is called and searched by."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from nodewright.tui.columns import Cell, Column, bar, share_style
from nodewright.view import words
from nodewright.view.values import (
    DecisionRow,
    NodeRow,
    PendingCause,
    PodRow,
    PoolRow,
    Verb,
)

_STATES: Final = {
    "Ready": "green",
    "NotReady": "red",
    "Draining": "yellow",
    "Terminating": "yellow",
}
_VERBS: Final = {Verb.GO: "yellow", Verb.WAIT: "cyan"}
_DECISIONS: Final = {
    "Launch": "green",
    "Replace": "yellow",
    "Delete": "yellow",
    "Propose": "yellow",
    "Refuse": "red",
    "End": "red",
}


class Table(NamedTuple):
    """A kind of table: its columns, how rows are named and found, and what is said of an empty one."""

    columns: tuple[Column, ...]
    name_of: Callable[[Any], str]
    text_of: Callable[[Any], str]
    empty: str
    sort: str = ""


def short_name(name: str) -> str:
    """Give a node's name without its domain."""
    return name.partition(".")[0]


def short_zone(zone: str) -> str:
    """Give a zone without its region: `1a` of `eu-west-1a`."""
    return zone.rpartition("-")[2] or words.UNKNOWN


def _state(row: NodeRow, now_ms: int) -> Cell:
    style = "red" if row.is_fault else _STATES.get(row.state, "cyan")
    return Cell(words.state(row, now_ms), style)


def _next(row: NodeRow, now_ms: int) -> Cell:
    style = "red" if row.is_fault else _VERBS.get(row.next.verb, "")
    return Cell(words.following(row, now_ms), style)


def _cpu(row: NodeRow, _: int) -> Cell:
    return bar(row.cpu.share if row.is_node else None)


def _memory(row: NodeRow, _: int) -> Cell:
    return bar(row.memory.share if row.is_node else None)


def _used(row: NodeRow, _: int) -> str:
    return f"{words.percent(row.cpu.used_share)}/{words.percent(row.memory.used_share)}"


def _percents(row: NodeRow, _: int) -> Cell:
    if not row.is_node:
        return Cell("·")
    text = f"{words.percent(row.cpu.share)}/{words.percent(row.memory.share)}"
    return Cell(text, share_style(row.cpu.share))


def _nothing_last(value: int | None) -> int:
    return -1 if value is None else value


def _may_move(row: PodRow, now_ms: int) -> Cell:
    until = f" {words.wait(row.until_ms, now_ms)}" if row.until_ms is not None else ""
    stands = row.blockers or (row.eviction + until,)
    said = " ".join(part for part in (*stands, row.code) if part)
    return Cell(said, "red" if row.code else "dim" if row.is_daemon else "")


def _budget(row: PoolRow, now_ms: int) -> Cell:
    one = row.tightest
    is_shut = one is not None and one.free == 0
    said = words.budget(row, now_ms)
    if one is not None and one.until_ms is not None and not one.closed_by:
        said += f", until {words.moment(one.until_ms, now_ms)}"
    return Cell(said, "yellow" if is_shut else "")


def limits(row: PoolRow) -> str:
    """Write what a pool has of what it may have, the fullest first."""
    ordered = sorted(row.limits, key=lambda one: -(one.used / one.limit if one.limit else 0))
    return " ".join(
        f"{one.resource} {_amount(one.resource, one.used)}/{_amount(one.resource, one.limit)}"
        for one in ordered
    )


def _amount(resource: str, amount: int) -> str:
    return words.memory(amount) if resource == "memory" else words.cores(amount)


def spenders(row: PoolRow) -> str:
    """Name who spends a pool's budget."""
    first = ", ".join(short_name(one) for one in row.spenders[:2])
    more = len(row.spenders) - 2
    return f"{first} +{more}" if more > 0 else first


def price_change(row: DecisionRow) -> str:
    """Write what a decision makes the cluster cost more or less an hour."""
    amount = row.price_nanousd_hour
    if amount is None:
        return "?" if row.verb in ("Launch", "Replace") else ""
    return f"{'+' if amount > 0 else ''}{words.dollars(amount)}"


NODES_NARROW: Final = (
    Column("NODE", lambda row, _: short_name(row.name), lambda row: row.name, 15, rank=0, name="name"),
    Column("TYPE", lambda row, _: row.instance_type or "?", lambda row: row.instance_type, 12, rank=2, name="type"),
    Column("CAP", lambda row, _: words.capacity(row), lambda row: row.capacity_type, 4, rank=4, name="capacity"),
    Column("CPU/MEM", _percents, lambda row: row.cpu.share or 0, 7, right=True, rank=1, name="cpu"),
    Column("$/H", lambda row, _: words.price(row), lambda row: _nothing_last(row.price_nanousd_hour), 6, right=True, rank=3, reverse=True, name="price"),
    Column("STATE", _state, lambda row: row.state, 12, rank=1, name="state"),
    Column("NEXT", _next, lambda row: (row.next.verb.value, row.next.code), name="next"),
    Column("PODS", lambda row, _: words.count_pods(row), lambda row: row.pods, 7, right=True, rank=6, wide_only=True, name="pods"),
    Column("IDLE", lambda row, _: words.dollars(row.idle_nanousd_hour), lambda row: _nothing_last(row.idle_nanousd_hour), 7, right=True, rank=7, reverse=True, wide_only=True, name="idle $"),
)  # fmt: skip
"""The columns of nodes where there is little room."""

NODES: Final = (
    Column("NODE", lambda row, _: short_name(row.name), lambda row: row.name, 20, rank=0, name="name"),
    Column("TYPE", lambda row, _: row.instance_type or "?", lambda row: row.instance_type, 14, rank=1, name="type"),
    Column("CAP", lambda row, _: words.capacity(row), lambda row: row.capacity_type, 4, rank=2, name="capacity"),
    Column("ZONE", lambda row, _: short_zone(row.zone), lambda row: row.zone, 4, rank=5, name="zone"),
    Column("CPU", _cpu, lambda row: row.cpu.share or 0, 14, rank=2, name="cpu"),
    Column("MEM", _memory, lambda row: row.memory.share or 0, 14, rank=3, name="memory"),
    Column("USED", _used, lambda row: row.cpu.used_share or 0, 7, right=True, rank=8, wide_only=True, name="used"),
    Column("PODS", lambda row, _: words.count_pods(row), lambda row: row.pods, 8, right=True, rank=4, name="pods"),
    Column("$/H", lambda row, _: words.price(row), lambda row: _nothing_last(row.price_nanousd_hour), 7, right=True, rank=2, reverse=True, name="price"),
    Column("IDLE", lambda row, _: words.dollars(row.idle_nanousd_hour), lambda row: _nothing_last(row.idle_nanousd_hour), 7, right=True, rank=7, reverse=True, wide_only=True, name="idle $"),
    Column("AGE", lambda row, now_ms: words.age(row.made_ms, now_ms), lambda row: -(row.made_ms or 0), 4, right=True, rank=5, name="age"),
    Column("POOL", lambda row, _: row.node_pool or "-", lambda row: row.node_pool, 12, rank=9, wide_only=True, name="pool"),
    Column("STATE", _state, lambda row: row.state, 13, rank=1, name="state"),
    Column("NEXT", _next, lambda row: (row.next.verb.value, row.next.code), name="next"),
)  # fmt: skip

PODS: Final = (
    Column("POD", lambda row, _: row.key, lambda row: row.key, 40, rank=0, name="name"),
    Column("CPU", lambda row, _: words.cores(row.cpu), lambda row: row.cpu, 5, right=True, rank=1, reverse=True, name="cpu"),
    Column("USED", lambda row, _: "?" if row.cpu_used is None else words.cores(row.cpu_used), lambda row: row.cpu_used or 0, 5, right=True, rank=6, wide_only=True, name="used"),
    Column("MEM", lambda row, _: words.memory(row.memory), lambda row: row.memory, 6, right=True, rank=2, reverse=True, name="memory"),
    Column("$/H", lambda row, _: words.dollars(row.price_nanousd_hour), lambda row: _nothing_last(row.price_nanousd_hour), 7, right=True, rank=3, reverse=True, name="price"),
    Column("AGE", lambda row, now_ms: words.age(row.since_ms, now_ms), lambda row: -(row.since_ms or 0), 4, right=True, rank=4, name="age"),
    Column("WORKLOAD", lambda row, _: row.workload or "-", lambda row: row.workload, 30, rank=7, wide_only=True, name="workload"),
    Column("MAY MOVE", _may_move, lambda row: (not row.code, row.eviction), name="may move"),
)  # fmt: skip

POOLS: Final = (
    Column("POOL", lambda row, _: row.name, lambda row: row.name, 16, rank=0, name="name"),
    Column("NODES", lambda row, _: f"{row.nodes}+{row.claims}" if row.claims else str(row.nodes), lambda row: row.nodes, 6, right=True, rank=1, reverse=True, name="nodes"),
    Column("SPOT", lambda row, _: str(row.spot), lambda row: row.spot, 5, right=True, rank=5, reverse=True, name="spot"),
    Column("CPU", lambda row, _: bar(row.cpu.share), lambda row: row.cpu.share or 0, 14, rank=4, name="cpu"),
    Column("MEM", lambda row, _: bar(row.memory.share), lambda row: row.memory.share or 0, 14, rank=6, name="memory"),
    Column("$/H", lambda row, _: words.dollars(row.price_nanousd_hour), lambda row: row.price_nanousd_hour, 9, right=True, rank=2, reverse=True, name="price"),
    Column("IDLE", lambda row, _: words.dollars(row.idle_nanousd_hour), lambda row: row.idle_nanousd_hour, 9, right=True, rank=5, reverse=True, name="idle $"),
    Column("LIMITS", lambda row, _: limits(row), None, 20, rank=7),
    Column("SPENT BY", lambda row, _: spenders(row), None, 22, rank=8),
    Column("BUDGET", _budget, None),
)  # fmt: skip

DECISIONS: Final = (
    Column("TIME", lambda row, _: words.clock(row.at_ms), lambda row: row.at_ms, 8, rank=0, reverse=True, name="time"),
    Column("VERB", lambda row, _: Cell(row.verb, _DECISIONS.get(row.verb, "")), lambda row: row.verb, 7, rank=0, name="verb"),
    Column("WHAT", lambda row, _: row.text, None),
    Column("CODE", lambda row, _: row.code, lambda row: row.code, 8, rank=3, name="code"),
    Column("$/H", lambda row, _: price_change(row), lambda row: row.price_nanousd_hour or 0, 8, right=True, rank=1, name="price"),
    Column("ID", lambda row, _: row.id, None, 14, rank=2),
)  # fmt: skip

SPENDING: Final = (
    Column("NAME", lambda row, _: row.name, lambda row: row.name, 46, rank=0, name="name"),
    Column("$/H", lambda row, _: words.dollars(row.price_nanousd_hour), lambda row: row.price_nanousd_hour, 10, right=True, rank=1, reverse=True, name="price"),
    Column("$/MONTH", lambda row, _: words.per_month(row.price_nanousd_hour), None, 10, right=True, rank=2),
    Column("NODES", lambda row, _: str(row.nodes) if row.nodes else "", lambda row: row.nodes, 6, right=True, rank=4, reverse=True, name="nodes"),
    Column("PODS", lambda row, _: str(row.pods) if row.pods else "", lambda row: row.pods, 6, right=True, rank=3, reverse=True, name="pods"),
    Column("IDLE", lambda row, _: "" if row.idle_nanousd_hour is None else words.dollars(row.idle_nanousd_hour), None),
)  # fmt: skip

PENDING: Final = (
    Column("PODS", lambda row, _: str(row.count), lambda row: row.count, 5, right=True, rank=0, reverse=True, name="pods"),
    Column("CODE", lambda row, _: Cell(row.code, "red" if row.is_refused else ""), lambda row: row.code, 8, rank=1, name="code"),
    Column("WAITS", lambda row, now_ms: words.age(row.since_ms, now_ms), lambda row: -(row.since_ms or 0), 5, right=True, rank=2, name="waits"),
    Column("CAUSE", lambda row, _: row.title, lambda row: row.title, 34, rank=3, name="cause"),
    Column("WHY", lambda row, _: row.summary, None),
)  # fmt: skip


def _search_node(row: NodeRow) -> str:
    bought = f"{row.node_pool} {row.instance_type} {row.capacity_type} {row.zone}"
    following = f"{row.next.verb.value} {row.next.code} {row.next.reason}"
    return f"{row.name} {row.claim} {bought} {row.state} {following}"


def _search_cause(row: PendingCause) -> str:
    return f"{row.code} {row.title} {row.summary} {' '.join(one.key for one in row.pods)}"


TABLES: Final[dict[str, Table]] = {
    "nodes": Table(NODES, lambda row: row.name, _search_node, "no node", "idle $"),
    "pods": Table(
        PODS,
        lambda row: row.key,
        lambda row: f"{row.key} {row.workload} {row.code}",
        "no pod runs here",
    ),
    "pools": Table(POOLS, lambda row: row.name, lambda row: row.name, "there is no NodePool"),
    "decisions": Table(
        DECISIONS,
        lambda row: row.id,
        lambda row: f"{row.verb} {row.text} {row.code} {row.id} {row.reason}",
        "nothing was decided yet",
    ),
    "money": Table(SPENDING, lambda row: row.name, lambda row: row.name, "nothing costs anything"),
    "pending": Table(
        PENDING, lambda row: f"{row.code} {row.title} {row.summary}", _search_cause, "no pod waits"
    ),
}
