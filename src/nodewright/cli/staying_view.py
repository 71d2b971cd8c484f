"""Why a node stays or goes, and the week of budgets, for people."""

from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.cli.bars import dollars
from nodewright.core.explain.calendar import PoolCalendar
from nodewright.core.explain.staying import Staying, went_for
from nodewright.model.disruption import Kept
from nodewright.model.instant import print_instant
from nodewright.model.nodepool import DISRUPTION_REASONS
from nodewright.model.wording import Language, word
from nodewright.model.wording.keeping import kept_sentence

_PLACES_MAX: Final = 4
_SPANS_MAX: Final = 40


def staying_part(staying: Staying, name: str, language: Language) -> RenderableType:
    """Draw whether a node goes: the answer first, then who blocks, then rule by rule."""
    verdict = went_for(staying) if staying.goes else staying.kept
    head = Text()
    sign, style = ("→ ", "bold yellow") if staying.goes else ("■ ", "bold green")
    head.append(sign + word("goes" if staying.goes else "stays", language), style=style)
    if verdict is not None:
        head.append(f": {kept_sentence(verdict, language)}  {verdict.code}", style="not bold")
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(no_wrap=True, style="dim")
    rows.add_column(overflow="fold")
    if staying.price_per_day is not None:
        rows.add_row("", word("stays.costs", language, day=dollars(staying.price_per_day)))
    if verdict is not None and verdict.blockers:
        rows.add_row(word("stays.blocked-by", language), ", ".join(verdict.blockers))
    if verdict is not None and verdict.until_ms is not None:
        rows.add_row("", word("stays.until", language, when=_clock(verdict.until_ms)))
    if staying.command is not None:
        kinds = [one.offering.instance_type for one in staying.command.replacements]
        targets = [one for one in staying.command.moves.values() if isinstance(one, str)]
        places = list(dict.fromkeys([*targets, *kinds]))
        if places:
            shown = ", ".join(places[:_PLACES_MAX])
            rows.add_row("", word("stays.becomes", language, places=shown))
        price = dollars(staying.command.savings)
        rows.add_row("", word("stays.saves", language, price=price))
    for one in staying.rules:
        if one.applies:
            rows.add_row(one.reason, _said(one.verdict, language))
    del name
    return Group(head, Padding(rows, (0, 0, 0, 2), expand=False))


def _said(verdict: Kept | None, language: Language) -> Text:
    if verdict is None:
        return Text("✓", style="green")
    said = Text("✗ ", style="red")
    said.append(kept_sentence(verdict, language), style="")
    said.append(f"  {verdict.code}", style="dim")
    if verdict.until_ms is not None:
        until = word("stays.until", language, when=_clock(verdict.until_ms))
        said.append(f"  {until}", style="dim")
    return said


def calendar_screen(pools: tuple[PoolCalendar, ...], language: Language) -> RenderableType:
    """Draw how many nodes may go at once, span by span."""
    if not pools:
        return Text(word("budgets.none", language))
    parts: list[RenderableType] = [Text(word("budgets.title", language), style="bold")]
    for one in pools:
        going = f"  {one.going}/{one.total}" if one.going else f"  {one.total}"
        parts += [Text(""), Text(one.node_pool + going, style="bold")]
        if one.problem:
            parts.append(Text(f"  ✗ {one.problem}  NW-4103", style="red"))
        if one.paused_until_ms is not None:
            parts.append(Text(f"  {one.pause_reason}  NW-4108", style="yellow"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(word("budgets.from", language), no_wrap=True)
        for reason in DISRUPTION_REASONS:
            table.add_column(reason, justify="right")
        for span in one.spans[:_SPANS_MAX]:
            counts = (_count(span.allowed[reason], language) for reason in DISRUPTION_REASONS)
            table.add_row(_clock(span.from_ms), *counts)
        parts.append(Padding(table, (0, 0, 0, 2), expand=False))
    return Group(*parts)


def _count(allowed: int | None, language: Language) -> str:
    return word("budgets.all", language) if allowed is None else str(allowed)


def _clock(instant_ms: int) -> str:
    return f"{print_instant(instant_ms)[:16].replace('T', ' ')}Z"
