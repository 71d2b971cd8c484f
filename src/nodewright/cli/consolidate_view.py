"""What could go, for people: the sum first, then each action, then why the others stay, by reason."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.app.consolidating import Consolidated
from nodewright.cli.bars import dollars, per_month
from nodewright.cli.narrow import whole
from nodewright.core.explain.staying import HOURS_PER_DAY
from nodewright.model.disruption import Command, Decided, Forceful, Kept
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.wording import Language, page, word
from nodewright.model.wording.keeping import kept_sentence
from nodewright.state.snapshot import Snapshot

_ROWS_MAX: Final = 25
_NAMES_MAX: Final = 3
_BUDGET: Final = "pdb/"

type Prices = Mapping[str, NanoUSD]


class ConsolidateView:
    """Draws one answer in one language."""

    def __init__(self, language: Language, source: str) -> None:
        self._language: Language = language
        self._source = source

    def word(self, name: str, /, **values: str | int) -> str:
        """Give a word of this screen."""
        return word(f"consolidate.{name}", self._language, **values)

    def draw(self, snapshot: Snapshot, done: Consolidated) -> RenderableType:
        """Draw the answer."""
        decided = done.decided
        about = [
            part
            for part in (
                snapshot.metadata.cluster or snapshot.metadata.name,
                f"{print_instant(snapshot.world.now_ms)[:19]}Z",
                self.word("took", count=round(done.seconds * 1000)),
            )
            if part
        ]
        parts: list[RenderableType] = [Text(" · ".join(about), style="dim"), self._sums(decided)]
        if decided.commands or decided.forceful:
            parts += [Text(""), self._commands(decided.commands, decided.forceful)]
        if decided.kept:
            parts += [Text(""), Text(self.word("stay", count=len(decided.kept)), style="bold")]
            parts += self._kept(decided.kept.values(), done.prices)
        return Group(*parts)

    def _sums(self, decided: Decided) -> Text:
        gone = sum(len(one.nodes) for one in decided.commands)
        made = sum(len(one.replacements) for one in decided.commands)
        moves = sum(len(one.moves) for one in decided.commands)
        saved = NanoUSD(decided.price_before - decided.price_after)
        text = Text(self.word("go", count=gone), style="bold")
        text.append(f"  {self.word('made', count=made)}  {self.word('moves', count=moves)}")
        before, after = dollars(decided.price_before), dollars(decided.price_after)
        text.append(f"    {before}/h → {after}/h", style="bold")
        text.append(f"  {self.word('saves', month=per_month(saved))}")
        return text

    def _commands(
        self, commands: Sequence[Command], forceful: Sequence[Forceful]
    ) -> RenderableType:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for title in ("reason", "nodes", "becomes", "pods", "saves-hour"):
            right = title in ("pods", "saves-hour")
            table.add_column(self.word(title), justify="right" if right else "left")
        for one in commands[:_ROWS_MAX]:
            kinds = [node.offering.instance_type for node in one.replacements]
            table.add_row(
                one.reason,
                self._names([node.node for node in one.nodes]),
                self._names(kinds) if kinds else "-",
                str(len(one.moves)),
                dollars(one.savings),
            )
        for forced in forceful[:_ROWS_MAX]:
            name = f"{forced.node} ({forced.detail})"
            table.add_row(forced.reason, name, "-", "", "", style="yellow")
        shown = Padding(table, (0, 0, 0, 2), expand=False)
        more = max(0, len(commands) - _ROWS_MAX) + max(0, len(forceful) - _ROWS_MAX)
        if more <= 0:
            return shown
        return Group(shown, Text(f"  {self.word('more', count=more)}", style="dim"))

    def _kept(self, kept: Iterable[Kept], prices: Prices) -> list[RenderableType]:
        """Draw why nodes stay: first what holds back the most money."""
        groups: dict[str, list[Kept]] = {}
        for one in kept:
            groups.setdefault(one.code, []).append(one)
        parts: list[RenderableType] = []
        held = {code: _sum(ones, prices) for code, ones in groups.items()}
        for code, ones in sorted(
            groups.items(), key=lambda item: (-held[item[0]], -len(item[1]), item[0])
        ):
            known = page(code, self._language)
            title = known.title if known is not None else code
            text = Text(f"  {code}  ", style="bold")
            text.append(f"{len(ones)} x {title}", style="not bold")
            if held[code]:
                text.append(f"  {self.word('held', day=dollars(held[code]))}", style="not bold dim")
            parts.append(text)
            parts += self._blockers(ones, prices)
            first = ones[0]
            said = f"      {first.node}: {kept_sentence(first, self._language)}"
            if first.until_ms is not None:
                said += f" ({self.word('until', when=print_instant(first.until_ms)[:19] + 'Z')})"
            parts.append(Text(said, style="dim"))
            command = f"nodewright explain node/{first.node} {self._source}".rstrip()
            parts.append(whole(f"      {command}"))
        return parts

    def _blockers(self, ones: Sequence[Kept], prices: Prices) -> Iterator[Text]:
        """Draw the budgets and workloads that hold the most money, where several nodes are held."""
        by_blocker: dict[str, list[Kept]] = {}
        for one in ones:
            budgets = [name for name in one.blockers if name.startswith(_BUDGET)]
            for name in budgets:
                by_blocker.setdefault(name.removeprefix(_BUDGET), []).append(one)
        money = {name: _sum(held, prices) for name, held in by_blocker.items()}
        for name in sorted(by_blocker, key=lambda name: (-money[name], name))[:_NAMES_MAX]:
            said = self.word("holds", blocker=name, count=len(by_blocker[name]))
            day = self.word("held", day=dollars(money[name]))
            yield Text(f"      {said}, {day}" if money[name] else f"      {said}")

    def _names(self, names: Sequence[str]) -> str:
        shown = ", ".join(names[:_NAMES_MAX])
        more = len(names) - _NAMES_MAX
        return f"{shown} {word('more', self._language, count=more)}" if more > 0 else shown


def _sum(kept: Iterable[Kept], prices: Prices) -> NanoUSD:
    """Give what nodes cost a day together."""
    return NanoUSD(HOURS_PER_DAY * sum(prices.get(one.node, 0) for one in kept))


def consolidate_screen(
    snapshot: Snapshot, done: Consolidated, language: Language = "en", source: str = ""
) -> RenderableType:
    """Draw an answer; with the name of its source, the way to more can be copied as it stands."""
    return ConsolidateView(language, source).draw(snapshot, done)
