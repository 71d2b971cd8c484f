"""Explanations for people: the sentence that helps most first, then the way there, then the help.

Labels stand in a column of their own. Widths are counted in cells of the terminal, not in letters, so
that Korean, whose letters are two cells wide, lines up as well.
"""

import json
import shlex
from collections.abc import Iterable
from typing import Final

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.app.explaining import (
    asks,
    change_text,
    placement_words,
    pod_summary,
    pool_summary,
)
from nodewright.cli.bars import dollars
from nodewright.cli.narrow import whole
from nodewright.core.explain.bench import Placement
from nodewright.core.explain.existing import Existing
from nodewright.core.explain.node import NodeStory
from nodewright.core.explain.patch import Op
from nodewright.core.explain.pod import PodStory, PoolStory
from nodewright.core.explain.pool import NodePoolStory
from nodewright.core.scheduling.funnel import Step, resource_order, show_taint
from nodewright.model.quantity import Resources
from nodewright.model.wording import Language, Page, sentence, word
from nodewright.model.wording.amounts import show_amount

_ALSO_MAX: Final = 4
_GROUPS_MAX: Final = 5
_NAMES_MAX: Final = 3


def pod_screen(story: PodStory, language: Language) -> RenderableType:
    """Draw what is to be said of a pod."""
    rows = _grid()
    if story.requests:
        rows.add_row(_label("asks", language), asks(story.requests, story.wants))
    for pool in story.pools:
        _add_pool(rows, pool, language)
    if story.requests:
        rows.add_row(_label("existing", language), _existing(story.existing, language))
    parts: list[RenderableType] = [_headline(story, language)]
    if rows.row_count:
        parts += [Text(""), Padding(rows, (0, 0, 0, 2), expand=False)]
    stuck = story.placement is None and story.requests and not _deferred(story)
    if stuck or story.change is not None:
        parts += [Text(""), _help(story, language)]
    if story.placement is not None and story.placement.also:
        parts += [Text(""), _also(story.placement, language)]
    return Group(*parts)


def _deferred(story: PodStory) -> bool:
    return story.unplaced is not None and story.unplaced.deferred


def _headline(story: PodStory, language: Language) -> Text:
    text = Text()
    if story.placement is not None:
        text.append("✓ ", style="bold green")
    else:
        text.append("… " if _deferred(story) else "✗ ", style="bold red")
    text.append(pod_summary(story, language), style="bold")
    if story.unplaced is not None:
        text.append(f"  {story.unplaced.code}", style="dim")
    return text


def _grid() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _label(name: str, language: Language) -> Text:
    return Text(word(name, language), style="dim")


def _add_pool(rows: Table, pool: PoolStory, language: Language) -> None:
    name = Text(pool.name, style="bold")
    if pool.funnel:
        rows.add_row(name, _funnel(pool.funnel, language, ended=pool.cause is not None))
        name = Text("")
    if pool.cause is not None:
        said = Text("✗ ", style="red")
        said.append(sentence(pool.cause, language), style="")
        said.append(f"  {pool.cause.code}", style="dim")
        rows.add_row(name, said)
    elif pool.makes is not None:
        made = Text("✓ ", style="green")
        made.append(word("pool.makes", language, **placement_words(pool.makes)), style="")
        rows.add_row(name, made)
    if pool.miss is not None and pool.miss.has > 0:
        miss = pool.miss
        said = Text(f"{word('nearest', language)}  ", style="dim")
        shown = {
            "type": miss.instance_type,
            "resource": miss.resource,
            "has": show_amount(miss.has, miss.resource),
            "short": show_amount(miss.needs - miss.has, miss.resource, up=True),
        }
        said.append(word("nearest.text", language, **shown), style="")
        rows.add_row(Text(""), said)


def _funnel(steps: Iterable[Step], language: Language, *, ended: bool) -> Text:
    first, *rest = steps
    text = Text(f"{first.left} {word('rule.types', language)}")
    for step in rest:
        text.append(" ─ ", style="dim")
        text.append(f"{_step(step, language)} ▸ ")
        text.append(str(step.left), style="bold red" if not step.left else "bold")
    if ended:
        text.append(" ✗", style="red")
    return text


def _step(step: Step, language: Language) -> str:
    match step.rule:
        case "labels":
            key, space, rest = step.subject.partition(" ")
            return f"{key.rpartition('/')[2]}{space}{rest}"
        case "resources":
            return step.subject
        case "taints" | "volumes":
            return f"{word(f'rule.{step.rule}', language)} {step.subject}"
        case "daemons":
            return word("daemons", language)
        case _:
            return word(f"rule.{step.rule}", language)


def _existing(existing: Existing, language: Language) -> Text:
    if not existing.count:
        return Text(word("existing.none", language))
    text = Text(word("existing.nodes", language, count=existing.count))
    parts = []
    if existing.takes:
        parts.append(f"{len(existing.takes)} {word('fits', language)}")
    for one in existing.stopped[:_GROUPS_MAX]:
        short = word(f"stopped.{one.reason.code}", language, subject=one.subject)
        said = f"{one.count} {short.rstrip()}"
        if one.most is not None:
            most = {"most": show_amount(one.most, one.subject), "node": one.node}
            said += f" ({word('existing.most', language, **most)})"
        parts.append(said)
    text.append(": " + " · ".join(parts))
    return text


def _help(story: PodStory, language: Language) -> RenderableType:
    found = story.change
    rows = _grid()
    label = Text(word("change", language), style="bold green")
    if found is None:
        rows.add_row(label, word("change.none", language))
        return Padding(rows, (0, 0, 0, 2), expand=False)
    rows.add_row(label, Text(change_text(found, language), style="bold"))
    where = found.placement
    costs = (
        word("change.existing", language, node=where.node)
        if where.node
        else word("change.costs", language, **placement_words(where))
    )
    if where.shared_with and not where.node:
        costs += f", {word('shared', language, count=where.shared_with)}"
    rows.add_row("", costs)
    if not where.node:
        rows.add_row("", word("change.extra", language, price=dollars(found.extra)))
    patches = found.patches()
    if story.owner and any(target.startswith("pod/") for target in patches):
        rows.add_row("", Text(word("change.template", language, owner=story.owner), style="dim"))
    lines = [whole(_command(target, ops, language)) for target, ops in patches.items()]
    return Group(Padding(rows, (0, 0, 0, 2), expand=False), Text(""), *lines)


def _command(target: str, ops: Iterable[Op], language: Language) -> str:
    """Write a patch so that it can be copied; a pod's is for its template as well."""
    patch = json.dumps(msgspec.to_builtins(ops), ensure_ascii=False, separators=(",", ":"))
    if target.startswith("pod/"):
        return f"{word('change.where', language, target=target)} {patch}"
    return f"kubectl patch {target} --type=json -p {shlex.quote(patch)}"


def _also(placement: Placement, language: Language) -> Text:
    text = Text(f"  {word('considered', language)}  ", style="dim")
    text.append(", ".join(placement.also[:_ALSO_MAX]), style="")
    more = len(placement.also) - _ALSO_MAX
    if more > 0:
        text.append(f" {word('more', language, count=more)}", style="dim")
    return text


def node_screen(story: NodeStory, language: Language) -> RenderableType:
    """Draw what is to be said of a node."""
    head = Text(story.name, style="bold")
    about = [story.state, story.node_pool, story.instance_type, story.capacity_type, story.zone]
    head.append("  " + " · ".join(part for part in about if part))
    if story.price is not None:
        head.append(f" · {dollars(story.price)}/h")
    rows = _grid()
    rows.add_row(_label("free", language), _amounts(story.free, story.allocatable))
    if story.daemons_expected:
        rows.add_row(_label("daemons", language), _amounts(story.daemons_expected))
    if story.taints:
        rows.add_row(_label("rule.taints", language), ", ".join(map(show_taint, story.taints)))
    rows.add_row(_label("node.pods", language), _names(story.pods, language))
    rows.add_row(_label("node.takes", language), _names(story.takes, language))
    for one in story.refuses[:_GROUPS_MAX]:
        said = word(f"stopped.{one.reason.code}", language, subject=one.subject)
        rows.add_row(
            _label("node.refuses", language),
            f"{_names(one.pods, language)}: {said}  {one.reason.code}",
        )
    return Group(head, Text(""), Padding(rows, (0, 0, 0, 2), expand=False))


def pool_screen(story: NodePoolStory, language: Language) -> RenderableType:
    """Draw what is to be said of a NodePool."""
    head = Text("✓ " if story.made is not None else "✗ ", style="bold")
    head.append(f"{story.name}: {pool_summary(story, language)}")
    if story.cause is not None:
        head.append(f"  {story.cause.code}", style="dim")
    rows = _grid()
    ended = story.made is None
    rows.add_row(_label("made", language), _funnel(story.funnel, language, ended=ended))
    if story.made is not None:
        made = story.made
        ends = {
            "cheap": made.cheapest,
            "cheap_price": dollars(made.price),
            "large": made.largest,
            "cpu": show_amount(made.free.get("cpu", 0), "cpu"),
            "memory": show_amount(made.free.get("memory", 0), "memory"),
        }
        rows.add_row("", word("pool.range", language, **ends))
        if made.daemons:
            rows.add_row(_label("daemons", language), _amounts(made.daemons))
    rows.add_row(_label("limits", language), _limits(story, language))
    if story.taints:
        rows.add_row(_label("rule.taints", language), ", ".join(map(show_taint, story.taints)))
    nodes = _names(story.nodes, language)
    if story.plans:
        nodes += f" · {word('pool.planned', language, count=len(story.plans))}"
    rows.add_row(_label("pool.nodes", language), nodes)
    rows.add_row(_label("only", language), _names(story.only, language))
    return Group(head, Text(""), Padding(rows, (0, 0, 0, 2), expand=False))


def _limits(story: NodePoolStory, language: Language) -> str:
    if not story.limits:
        return word("limits.none", language)
    return " · ".join(
        f"{one.resource} {show_amount(one.used, one.resource)}"
        f"/{show_amount(one.limit, one.resource)}"
        for one in story.limits
    )


def code_screen(page: Page, language: Language) -> RenderableType:
    """Draw the page of a code."""
    head = Text(f"{page.code}  ", style="bold")
    head.append(page.title, style="bold")
    rows = _grid()
    rows.add_row(_label("why", language), page.why)
    rows.add_row(_label("what", language), page.what)
    return Group(head, Text(""), Padding(rows, (0, 0, 0, 2), expand=False))


def _amounts(amounts: Resources, whole: Resources | None = None) -> str:
    parts = []
    for name in resource_order(amounts):
        shown = f"{name} {show_amount(amounts[name], name)}"
        if whole and name in whole:
            shown += f"/{show_amount(whole[name], name)}"
        parts.append(shown)
    return " · ".join(parts) or "?"


def _names(names: Iterable[str], language: Language) -> str:
    known = list(names)
    if len(known) <= _NAMES_MAX:
        return ", ".join(known) or "0"
    more = word("more", language, count=len(known) - _NAMES_MAX)
    return f"{', '.join(known[:_NAMES_MAX])} {more}"
