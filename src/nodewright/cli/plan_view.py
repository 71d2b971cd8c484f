"""A plan for people: the sum first, then nodes to make, nodes that fill up, and who stays behind."""

from collections.abc import Iterable, Mapping
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.app.planning import Planned
from nodewright.cli.bars import bar, dollars, per_month
from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.plan import Plan, PlannedNode, Unplaced
from nodewright.state.snapshot import Snapshot

_ROWS_MAX: Final = 25
_NAMES_MAX: Final = 3
_POOLS_MAX: Final = 4


def plan_screen(snapshot: Snapshot, planned: Planned) -> RenderableType:
    """Draw a plan."""
    plan = planned.plan
    parts: list[RenderableType] = [_head(snapshot, planned), _sums(plan)]
    if plan.new_nodes:
        parts += [Text(""), _title("nodes to make", len(plan.new_nodes))]
        parts.append(_new_nodes(snapshot, plan))
    if plan.existing_nodes:
        parts += [Text(""), _title("existing nodes that take pods", len(plan.existing_nodes))]
        parts.append(_existing(plan))
    if plan.unschedulable:
        parts += [Text(""), _title("pods left behind", len(plan.unschedulable))]
        parts += _left_behind(plan.unschedulable)
    return Group(*parts)


def _head(snapshot: Snapshot, planned: Planned) -> Text:
    metadata = snapshot.metadata
    about = [part for part in (metadata.cluster or metadata.name, metadata.region) if part]
    about.append(f"as of {print_instant(snapshot.world.now_ms)[:19]}Z")
    about.append(f"decided in {planned.seconds * 1000:.0f} ms")
    return Text(" · ".join(about), style="dim")


def _sums(plan: Plan) -> Text:
    on_new = sum(len(node.pods) for node in plan.new_nodes)
    on_old = sum(len(node.pods) for node in plan.existing_nodes)
    behind = len(plan.unschedulable)
    text = Text()
    text.append(f"PODS {on_new + on_old + behind}", style="bold")
    text.append(f"  {on_new} on new nodes  {on_old} on existing nodes  ")
    text.append(f"{behind} left behind", style="bold red" if behind else "")
    text.append(f"    NODES +{len(plan.new_nodes)}", style="bold")
    mark = "~" if any(node.offering.price_is_estimate for node in plan.new_nodes) else ""
    text.append(f"    {mark}{dollars(plan.price)}/h", style="bold")
    text.append(f"  {mark}{per_month(plan.price)}/mo")
    if plan.lower_bound is not None:
        text.append(f"    no plan can cost less than {dollars(plan.lower_bound)}/h", style="dim")
    return text


def _title(words: str, count: int) -> Text:
    return Text(f"{words} ({count})", style="bold")


def _grid(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for title, justify in columns:
        table.add_column(title, justify="right" if justify == "right" else "left", no_wrap=True)
    return table


def _new_nodes(snapshot: Snapshot, plan: Plan) -> RenderableType:
    table = _grid(
        ("", "right"),
        ("POOL", ""),
        ("TYPE", ""),
        ("CAPACITY", ""),
        ("ZONE", ""),
        ("CPU", ""),
        ("MEMORY", ""),
        ("PODS", "right"),
        ("$/H", "right"),
        ("OR", ""),
    )
    types = {
        (pool, one.name): one
        for pool, many in snapshot.world.instance_types.items()
        for one in many
    }
    alike = _alike(plan.new_nodes)
    for nodes in alike[:_ROWS_MAX]:
        first = nodes[0]
        offering = first.offering
        machine = types[(first.node_pool, offering.instance_type)]
        more = len(first.instance_types) - 1
        table.add_row(
            f"{len(nodes)} x" if len(nodes) > 1 else "",
            first.node_pool,
            offering.instance_type,
            offering.capacity_type,
            offering.zone,
            bar(_share(nodes, machine, "cpu")),
            bar(_share(nodes, machine, "memory")),
            str(sum(len(node.pods) for node in nodes)),
            f"{'~' if offering.price_is_estimate else ''}{dollars(_total(nodes))}",
            Text(f"{more} more types" if more else "only this type", style="dim"),
        )
    parts: list[RenderableType] = [Padding(table, (0, 0, 0, 2), expand=False)]
    if len(alike) > _ROWS_MAX:
        rest = sum(len(nodes) for nodes in alike[_ROWS_MAX:])
        parts.append(Text(f"  and {rest} more nodes (-o json lists all)", style="dim"))
    return Group(*parts)


def _alike(nodes: Iterable[PlannedNode]) -> list[list[PlannedNode]]:
    groups: dict[tuple[str, str, str, str], list[PlannedNode]] = {}
    for node in nodes:
        offering = node.offering
        key = (node.node_pool, offering.instance_type, offering.capacity_type, offering.zone)
        groups.setdefault(key, []).append(node)
    return sorted(groups.values(), key=lambda many: (-_total(many), many[0].node_pool))


def _total(nodes: list[PlannedNode]) -> NanoUSD:
    return NanoUSD(sum(node.offering.price for node in nodes))


def _share(nodes: list[PlannedNode], machine: InstanceType, resource: str) -> float | None:
    whole = machine.allocatable.get(resource, 0) * len(nodes)
    asked = sum(node.requests.get(resource, 0) for node in nodes)
    return asked / whole if whole > 0 else None


def _existing(plan: Plan) -> RenderableType:
    table = _grid(("NODE", ""), ("PODS", "right"), ("", ""))
    for node in plan.existing_nodes[:_ROWS_MAX]:
        table.add_row(node.name, f"+{len(node.pods)}", Text(_names(node.pods), style="dim"))
    parts: list[RenderableType] = [Padding(table, (0, 0, 0, 2), expand=False)]
    if len(plan.existing_nodes) > _ROWS_MAX:
        rest = len(plan.existing_nodes) - _ROWS_MAX
        parts.append(Text(f"  and {rest} more nodes (-o json lists all)", style="dim"))
    return Group(*parts)


def _left_behind(unplaced: Mapping[str, Unplaced]) -> list[RenderableType]:
    """Draw one entry for each cause, with the pods that it keeps behind."""
    causes: dict[tuple[bool, *tuple[str, ...]], list[str]] = {}
    for key, one in unplaced.items():
        causes.setdefault((one.deferred, *one.grouping), []).append(key)
    ordered = sorted(causes.values(), key=lambda keys: (-len(keys), keys[0]))
    parts: list[RenderableType] = []
    for keys in ordered[:_ROWS_MAX]:
        parts += _cause(keys, unplaced[keys[0]])
    if len(ordered) > _ROWS_MAX:
        rest = sum(len(keys) for keys in ordered[_ROWS_MAX:])
        causes_left = len(ordered) - _ROWS_MAX
        parts.append(
            Text(f"  and {rest} more pods, {causes_left} causes (-o json lists all)", style="dim")
        )
    return parts


def _cause(keys: list[str], one: Unplaced) -> list[RenderableType]:
    text = Text("  ")
    text.append(
        "… waits " if one.deferred else "✗ ", style="yellow" if one.deferred else "bold red"
    )
    text.append(f"{one.code}  ", style="bold")
    if len(keys) > 1:
        text.append(f"{len(keys)} pods, ", style="bold")
    text.append(f"{_names(keys)}: {one.summary}")
    others = [pool for pool in one.node_pools if pool is not one.nearest]
    return [
        text,
        *(
            Text(f"      {pool.name}: {pool.reason}  {pool.code}", style="dim")
            for pool in others[:_POOLS_MAX]
        ),
        *(
            [Text(f"      and {rest} more NodePools", style="dim")]
            if (rest := len(others) - _POOLS_MAX) > 0
            else []
        ),
        Text(f"      nodewright explain pod/{keys[0]}", style="dim"),
    ]


def _names(keys: Iterable[str]) -> str:
    names = list(keys)
    shown = ", ".join(names[:_NAMES_MAX])
    return f"{shown} and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else shown
