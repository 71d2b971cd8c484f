"""`nodewright diff`: what a changed NodePool, class or policy would do, before it is applied."""

from collections import Counter
from typing import Annotated, Final

from cyclopts import Parameter
from rich.console import Group, RenderableType
from rich.text import Text

from nodewright.app.differing import Edited, change_document, edit_world
from nodewright.app.manifests import open_sources
from nodewright.cli.bars import dollars
from nodewright.cli.cluster import PlaceOption, open_world
from nodewright.cli.errors import EXIT_FINE, EXIT_FOUND
from nodewright.cli.files import FilesArgument, check_files
from nodewright.cli.language import LanguageOption, choose_language
from nodewright.cli.output import OutputOption, emit
from nodewright.core.disruption.change import Change, judge_change
from nodewright.model.duration import print_duration
from nodewright.model.wording import Language, word
from nodewright.model.wording.keeping import kept_sentence

_ROWS_MAX: Final = 10


def diff(
    *files: FilesArgument,
    snapshot: Annotated[
        str, Parameter(help="A snapshot file to compare with; else the live cluster.")
    ] = "",
    place: PlaceOption = PlaceOption(),  # noqa: B008 - frozen: sharing the default is safe
    output: OutputOption = "table",
    lang: LanguageOption = None,
) -> int:
    """Say what manifests would do if they were applied: which nodes drift, and who blocks them.

    Reads NodePools, EC2NodeClasses and NodePolicies; other objects are left out. Says how long it
    takes at present budgets, and the price while it rolls and after. Nothing is changed anywhere.
    Status 0: no node drifts. Status 1: some do.

    $ nodewright diff nodepool.yaml --snapshot cluster.json
    $ nodewright diff manifests/ --context prod --region eu-west-1
    $ nodewright diff nodepool.yaml --snapshot cluster.json -o json
    """
    check_files(files, "diff")
    sources = open_sources(files)
    taken = open_world(snapshot, place)
    edited = edit_world(taken, sources)
    change = judge_change(taken.world, edited.world)
    language = choose_language(lang, output)
    emit(
        change_document(edited, change, language),
        output,
        lambda: _screen(edited, change, language),
    )
    return EXIT_FOUND if change.drifts else EXIT_FINE


def _screen(edited: Edited, change: Change, language: Language) -> RenderableType:
    parts: list[RenderableType] = []
    for kind, name, fields in edited.changes:
        text = Text(f"{kind}/{name}", style="bold")
        text.append(f"  {', '.join(fields) or word('diff.new', language)}", style="not bold")
        parts.append(text)
    if not edited.changes:
        parts.append(Text(word("diff.same", language), style="bold"))
    parts.append(Text(""))
    head = Text(word("diff.drifts", language, count=len(change.drifts)), style="bold")
    head.append(f"  {word('diff.blocked', language, count=len(change.blocked))}")
    parts.append(head)
    for pool, count in sorted(change.by_pool.items()):
        share = word("diff.of", language, count=count, total=change.totals.get(pool, count))
        parts.append(Text(f"  {pool}: {share}"))
    reasons = Counter(change.drifts.values())
    for reason, count in sorted(reasons.items()):
        parts.append(Text(f"  {count} x {reason}", style="dim"))
    for name, kept in list(change.blocked.items())[:_ROWS_MAX]:
        parts.append(Text(f"  ✗ {name}: {kept_sentence(kept, language)}  {kept.code}"))
    more = len(change.blocked) - _ROWS_MAX
    if more > 0:
        parts.append(Text(f"  {word('more', language, count=more)}", style="dim"))
    parts += [
        Text(f"  ? {word('diff.selectors', language, name=name)}", style="yellow")
        for name in change.selectors
    ]
    if change.drifts:
        took = (
            word("diff.never", language)
            if change.rounds_ms is None
            else word("diff.takes", language, time=print_duration(change.rounds_ms))
        )
        parts.append(Text(took))
        prices = (change.price_before, change.price_rolling, change.price_after)
        names = ("before", "rolling", "after")
        said = {name: f"{dollars(price)}/h" for name, price in zip(names, prices, strict=True)}
        parts.append(Text(word("diff.price", language, **said)))
    return Group(*parts)
