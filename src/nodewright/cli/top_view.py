"""`top --once`: the cluster at a glance and its nodes, as plain text or as rows."""

from datetime import UTC
from typing import Final

from nodewright.cli.output import Cell, Column, Table
from nodewright.view import words
from nodewright.view.values import Amount, MoneyView, NodeRow, PendingCause, View

_COLUMNS: Final = (
    Column("NODE"),
    Column("POOL"),
    Column("TYPE"),
    Column("CAP"),
    Column("ZONE"),
    Column("CPU%", right=True),
    Column("MEM%", right=True),
    Column("PODS", right=True),
    Column("$/H", right=True),
    Column("IDLE$/H", right=True),
    Column("AGE", right=True),
    Column("STATE"),
    Column("NEXT"),
)


def nodes_table(view: View) -> Table:
    """Lay the nodes out, the one with the most idle money first, and say the rest under them."""
    rows = sorted(view.nodes, key=lambda one: (-(one.idle_nanousd_hour or 0), one.name))
    return Table(_COLUMNS, tuple(_row(one, view.now_ms) for one in rows), tuple(_notes(view)))


def _row(row: NodeRow, now_ms: int) -> tuple[str | Cell, ...]:
    return (
        row.name,
        row.node_pool or "-",
        row.instance_type or words.UNKNOWN,
        words.capacity(row),
        row.zone or words.UNKNOWN,
        words.percent(row.cpu.share),
        words.percent(row.memory.share),
        words.count_pods(row),
        words.price(row),
        words.dollars(row.idle_nanousd_hour).removeprefix("$"),
        words.age(row.made_ms, now_ms),
        Cell(words.state(row, now_ms), "red" if row.is_fault else ""),
        words.following(row, now_ms),
    )


def _notes(view: View) -> list[str]:
    head, money = view.head, view.money
    bought = f"{head.spot} spot, {head.on_demand} on-demand, {head.reserved} reserved"
    lines = [
        "",
        f"nodes {head.nodes} ({bought}) · coming {head.claims} · faults {head.faults}",
        f"pods {head.pods}, {head.pods_pending} pending, {head.pods_refused} refused",
        f"cpu {_meter(head.cpu)} · memory {_meter(head.memory)}",
        _money(money),
    ]
    if money.unpriced:
        unknown = words.several(money.unpriced, "node")
        lines.append(f"no known price, and not in the cost: {unknown}")
    if view.origin.price_source:
        at_ms = view.origin.priced_at_ms
        when = "" if at_ms is None else f", {words.age(at_ms, view.now_ms)} old"
        lines.append(f"prices: {view.origin.price_source}{when}")
    for pool in view.pools:
        spent = f", spent by {', '.join(pool.spenders[:3])}" if pool.spenders else ""
        nodes, room = words.several(pool.nodes, "node"), words.budget(pool, view.now_ms)
        lines.append(f"pool {pool.name}: {nodes}, {room}{spent}")
    lines += [_cause(one, view.now_ms) for one in view.pending]
    lines += [
        f"{words.clock(one.at_ms, UTC)}Z {one.verb:<7} {one.text}  {one.id}"
        for one in view.decisions[:5]
    ]
    return lines


def _money(money: MoneyView) -> str:
    mark = money.estimated > 0
    cost = words.dollars(money.total_nanousd_hour, mark=mark)
    parts = (
        f"cost {cost}/h ({words.per_month(money.total_nanousd_hour, mark=mark)} a month)",
        f"idle {words.dollars(money.infra_idle_nanousd_hour, mark=True)}/h",
        f"unused {words.dollars(money.workload_idle_nanousd_hour, mark=True)}/h",
        f"saved today {words.dollars(money.saved_today_nanousd, mark=True)}",
    )
    return " · ".join(parts)


def _meter(amount: Amount) -> str:
    used = words.percent(amount.used_share)
    return f"{words.percent(amount.share)} % requested, {used}{' %' if used != '?' else ''} used"


def _cause(one: PendingCause, now_ms: int) -> str:
    code = f" {one.code}" if one.code else ""
    since = words.age(one.since_ms, now_ms)
    return f"waiting {since}: {words.several(one.count, 'pod')}, {one.title}{code}: {one.summary}"
