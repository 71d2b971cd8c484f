"""A plan for people: the sum first, then nodes to make, nodes that fill up, and who stays behind.

Where the screen is narrow, columns that only repeat or decorate are left out before any is cut short.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.app.planning import Planned
from nodewright.cli.bars import bar, dollars, per_month
from nodewright.cli.narrow import Narrowing, whole
from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.plan import Plan, PlannedNode, Unplaced, group_causes
from nodewright.model.wording import Language, word
from nodewright.model.wording.verdict import refusal_sentence, unplaced_summary
from nodewright.state.snapshot import Snapshot

_ROWS_MAX: Final = 25
_NAMES_MAX: Final = 3
_POOLS_MAX: Final = 4
_RIGHT: Final = ("", "pods", "price")
_COLUMNS: Final = (
    ("", "pool", "type", "capacity", "zone", "cpu", "memory", "pods", "price", "or"),
    ("", "pool", "type", "capacity", "zone", "cpu", "memory", "pods", "price"),
    ("", "pool", "type", "capacity", "zone", "pods", "price", "or"),
    ("", "pool", "type", "capacity", "zone", "pods", "price"),
    ("", "type", "zone", "pods", "price"),
)
"""What a row of a node to make shows, the wider choice first."""


class PlanView:
    """Draws one plan in one language."""

    def __init__(self, snapshot: Snapshot, language: Language, source: str) -> None:
        self._snapshot = snapshot
        self._language: Language = language
        self._source = source

    def word(self, name: str, /, **values: str | int) -> str:
        """Give a word of this screen."""
        return word(f"plan.{name}", self._language, **values)

    def draw(self, planned: Planned) -> RenderableType:
        """Draw the plan."""
        plan = planned.plan
        parts: list[RenderableType] = [self._head(planned), self._sums(plan)]
        if plan.new_nodes:
            parts += [Text(""), self._title("make", len(plan.new_nodes)), self._new_nodes(plan)]
        if plan.existing_nodes:
            parts += [Text(""), self._title("fill", len(plan.existing_nodes))]
            parts.append(self._existing(plan))
        if plan.unschedulable:
            parts += [Text(""), self._title("left", len(plan.unschedulable))]
            parts += self._left_behind(plan.unschedulable)
        return Group(*parts)

    def _head(self, planned: Planned) -> Text:
        metadata = self._snapshot.metadata
        about = [part for part in (metadata.cluster or metadata.name, metadata.region) if part]
        when = f"{print_instant(self._snapshot.world.now_ms)[:19]}Z"
        about.append(self.word("as-of", when=when))
        about.append(self.word("took", count=round(planned.seconds * 1000)))
        return Text(" · ".join(about), style="dim")

    def _sums(self, plan: Plan) -> Text:
        on_new = sum(len(node.pods) for node in plan.new_nodes)
        on_old = sum(len(node.pods) for node in plan.existing_nodes)
        behind = len(plan.unschedulable)
        text = Text()
        text.append(f"{self.word('pods')} {on_new + on_old + behind}", style="bold")
        text.append(f"  {self.word('new', count=on_new)}  {self.word('old', count=on_old)}  ")
        text.append(self.word("behind", count=behind), style="bold red" if behind else "")
        text.append(f"    {self.word('nodes', count=len(plan.new_nodes))}", style="bold")
        mark = "~" if any(node.offering.price_is_estimate for node in plan.new_nodes) else ""
        text.append(f"    {mark}{dollars(plan.price)}/h", style="bold")
        text.append(f"  {mark}{per_month(plan.price)}/mo")
        if plan.lower_bound is not None:
            least = self.word("bound", price=dollars(plan.lower_bound))
            text.append(f"    {least}", style="dim")
        return text

    def _title(self, name: str, count: int) -> Text:
        return Text(self.word(name, count=count), style="bold")

    def _new_nodes(self, plan: Plan) -> RenderableType:
        types = {
            (pool, one.name): one
            for pool, many in self._snapshot.world.instance_types.items()
            for one in many
        }
        alike = _alike(plan.new_nodes)
        rows = [self._cells(nodes, types) for nodes in alike[:_ROWS_MAX]]
        tables = [self._table(columns, rows) for columns in _COLUMNS]
        if len(alike) <= _ROWS_MAX:
            return Narrowing(*tables)
        rest = sum(len(nodes) for nodes in alike[_ROWS_MAX:])
        more = Text(f"  {self.word('more-nodes', count=rest)}", style="dim")
        return Group(Narrowing(*tables), more)

    def _cells(
        self, nodes: list[PlannedNode], types: Mapping[tuple[str, str], InstanceType]
    ) -> dict[str, str | Text]:
        first = nodes[0]
        offering = first.offering
        machine = types[(first.node_pool, offering.instance_type)]
        more = len(first.instance_types) - 1
        others = self.word("more-types", count=more) if more else self.word("one-type")
        return {
            "": f"{len(nodes)} x" if len(nodes) > 1 else "",
            "pool": first.node_pool,
            "type": offering.instance_type,
            "capacity": offering.capacity_type,
            "zone": offering.zone,
            "cpu": bar(_share(nodes, machine, "cpu")),
            "memory": bar(_share(nodes, machine, "memory")),
            "pods": str(sum(len(node.pods) for node in nodes)),
            "price": f"{'~' if offering.price_is_estimate else ''}{dollars(_total(nodes))}",
            "or": Text(others, style="dim"),
        }

    def _table(
        self, columns: Iterable[str], rows: Iterable[Mapping[str, str | Text]]
    ) -> RenderableType:
        table = _grid()
        shown = tuple(columns)
        for name in shown:
            title = "CPU" if name == "cpu" else self.word(name) if name else ""
            table.add_column(title, justify="right" if name in _RIGHT else "left", no_wrap=True)
        for row in rows:
            table.add_row(*(row[name] for name in shown))
        return Padding(table, (0, 0, 0, 2), expand=False)

    def _existing(self, plan: Plan) -> RenderableType:
        tables = []
        for with_names in (True, False):
            table = _grid()
            table.add_column(self.word("node"), no_wrap=True)
            table.add_column(self.word("pods"), justify="right", no_wrap=True)
            if with_names:
                table.add_column("", no_wrap=True)
            for node in plan.existing_nodes[:_ROWS_MAX]:
                names = [Text(self._names(node.pods), style="dim")] if with_names else []
                table.add_row(node.name, f"+{len(node.pods)}", *names)
            tables.append(Padding(table, (0, 0, 0, 2), expand=False))
        if len(plan.existing_nodes) <= _ROWS_MAX:
            return Narrowing(*tables)
        rest = len(plan.existing_nodes) - _ROWS_MAX
        more = Text(f"  {self.word('more-nodes', count=rest)}", style="dim")
        return Group(Narrowing(*tables), more)

    def _left_behind(self, unplaced: Mapping[str, Unplaced]) -> list[RenderableType]:
        """Draw one entry for each cause, with the pods that it keeps behind."""
        ordered = group_causes(unplaced)
        parts: list[RenderableType] = []
        for keys in ordered[:_ROWS_MAX]:
            parts += self._cause(keys, unplaced[keys[0]])
        if len(ordered) > _ROWS_MAX:
            left = ordered[_ROWS_MAX:]
            counts = {"pods": sum(len(keys) for keys in left), "causes": len(left)}
            parts.append(Text(f"  {self.word('more-causes', **counts)}", style="dim"))
        return parts

    def _cause(self, keys: Sequence[str], one: Unplaced) -> list[RenderableType]:
        sign = Text(f"… {self.word('waits')} " if one.deferred else "✗ ")
        sign.stylize("yellow" if one.deferred else "bold red")
        text = Text(f"{one.code}  ", style="bold")
        if len(keys) > 1:
            text.append(self.word("some", count=len(keys)))
        text.append(
            f"{self._names(keys)}: {unplaced_summary(one, self._language)}", style="not bold"
        )
        others = [pool for pool in one.node_pools if pool is not one.nearest]
        lines = []
        for pool in others[:_POOLS_MAX]:
            said = refusal_sentence(pool, self._language)
            lines.append(f"{pool.name}: {said}  {pool.code}")
        if len(others) > _POOLS_MAX:
            lines.append(self.word("more-pools", count=len(others) - _POOLS_MAX))
        first = Table.grid()
        first.add_row(sign, text)
        command = f"nodewright explain pod/{keys[0]} {self._source}".rstrip()
        return [
            Padding(first, (0, 0, 0, 2), expand=False),
            *(Padding(Text(line, style="dim"), (0, 0, 0, 6), expand=False) for line in lines),
            whole(f"      {command}"),
        ]

    def _names(self, keys: Iterable[str]) -> str:
        names = list(keys)
        shown = ", ".join(names[:_NAMES_MAX])
        more = len(names) - _NAMES_MAX
        return f"{shown} {word('more', self._language, count=more)}" if more > 0 else shown


def plan_screen(
    snapshot: Snapshot, planned: Planned, language: Language = "en", source: str = ""
) -> RenderableType:
    """Draw a plan; with the name of its source, the way to more can be copied as it stands."""
    return PlanView(snapshot, language, source).draw(planned)


def _grid() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")


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
