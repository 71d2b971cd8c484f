"""Why a node stays or goes, and the week of budgets, for people."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.cli.bars import dollars
from nodewright.core.explain.calendar import PoolCalendar
from nodewright.core.explain.staying import Check, Rule, Staying, went_for
from nodewright.model.disruption import Kept
from nodewright.model.instant import print_instant
from nodewright.model.nodepool import DISRUPTION_REASONS
from nodewright.model.wording import Language, word
from nodewright.model.wording.keeping import kept_sentence

_PLACES_MAX: Final = 4
_SPANS_MAX: Final = 40


def staying_part(staying: Staying, language: Language) -> RenderableType:
    """Draw whether a node goes: the answer first, then who blocks, then every rule and reason."""
    verdict = went_for(staying) if staying.goes else staying.kept
    head = Text()
    sign, style = ("→ ", "bold yellow") if staying.goes else ("■ ", "bold green")
    head.append(sign + word("goes" if staying.goes else "stays", language), style=style)
    if verdict is not None:
        head.append(f": {kept_sentence(verdict, language)}  {verdict.code}", style="not bold")
    parts: list[RenderableType] = [head, *_facts(staying, verdict, language)]
    if staying.checks:
        parts += [Text(""), Text(f"  {word('stays.rules', language)}", style="dim")]
        parts += [_checked(one, language) for one in staying.checks]
    if staying.rules:
        parts += [Text(""), Text(f"  {word('stays.reasons', language)}", style="dim")]
        rows = Table.grid(padding=(0, 2, 0, 0))
        rows.add_column(no_wrap=True)
        rows.add_column(overflow="fold")
        for rule in staying.rules:
            rows.add_row(rule.reason, _said(rule, language))
        parts.append(Padding(rows, (0, 0, 0, 2), expand=False))
    return Group(*parts)


def _facts(staying: Staying, verdict: Kept | None, language: Language) -> Iterator[Text]:
    """Draw what it costs, who blocks, when that may change, and what becomes of it."""
    if staying.price_per_day is not None:
        yield Text("  " + word("stays.costs", language, day=dollars(staying.price_per_day)))
    if verdict is not None and verdict.blockers:
        blockers = ", ".join(verdict.blockers)
        yield Text(f"  {word('stays.blocked-by', language)} {blockers}")
    if verdict is not None and verdict.until_ms is not None:
        yield Text("  " + word("stays.until", language, when=_clock(verdict.until_ms)))
    if staying.command is not None:
        kinds = [one.offering.instance_type for one in staying.command.replacements]
        targets = [one for one in staying.command.moves.values() if isinstance(one, str)]
        places = list(dict.fromkeys([*targets, *kinds]))
        if places:
            shown = ", ".join(places[:_PLACES_MAX])
            yield Text("  " + word("stays.becomes", language, places=shown))
        price = dollars(staying.command.savings)
        yield Text("  " + word("stays.saves", language, price=price))


def _checked(check: Check, language: Language) -> Text:
    """Draw one rule: what it asks, and why it says no."""
    if check.verdict is None:
        return Text("  ✓ ", style="green").append(
            word(f"check.{check.name}", language), style="dim"
        )
    return Text("  ").append_text(_refusal(check.verdict, language))


def _said(rule: Rule, language: Language) -> Text:
    if not rule.applies:
        return Text(f"- {word(f'stays.not-{rule.reason}', language)}", style="dim")
    if rule.verdict is None:
        return Text("✓ ", style="green").append(word("stays.yes", language), style="")
    return _refusal(rule.verdict, language)


def _refusal(verdict: Kept, language: Language) -> Text:
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
        count = word("budgets.nodes", language, count=one.total)
        if one.going:
            count = word("budgets.going", language, count=one.going, total=one.total)
        parts += [
            Text(""),
            Text(one.node_pool, style="bold").append(f"  {count}", style="not bold"),
        ]
        parts += [Text(f"  {said}", style="dim") for said in one.written]
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
            table.add_row(_day(span.from_ms), *counts)
        parts.append(Padding(table, (0, 0, 0, 2), expand=False))
        more = len(one.spans) - _SPANS_MAX
        if more > 0:
            said = word("budgets.more", language, count=more)
            parts.append(Text(f"  {said}", style="dim"))
    return Group(*parts)


def _count(allowed: int | None, language: Language) -> str:
    return word("budgets.all", language) if allowed is None else str(allowed)


def _day(instant_ms: int) -> str:
    """Write an instant with the day of its week, by which schedules go."""
    return f"{datetime.fromtimestamp(instant_ms / 1000, UTC):%a} {_clock(instant_ms)}"


def _clock(instant_ms: int) -> str:
    return f"{print_instant(instant_ms)[:16].replace('T', ' ')}Z"
