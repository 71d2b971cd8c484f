"""What could go, for people: the sum first, then each action, then why the others stay, by reason."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nodewright.app.consolidating import Consolidated
from nodewright.cli.bars import dollars, per_month
from nodewright.cli.narrow import whole
from nodewright.model.disruption import Command, Decided, Kept
from nodewright.model.instance import NanoUSD
from nodewright.model.instant import print_instant
from nodewright.model.wording import Language, page, word
from nodewright.model.wording.keeping import kept_sentence
from nodewright.state.snapshot import Snapshot

_ROWS_MAX: Final = 25
_NAMES_MAX: Final = 3


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
        if decided.commands:
            parts += [Text(""), self._commands(decided.commands)]
        for one in decided.forceful[:_ROWS_MAX]:
            parts.append(Text(f"  {one.reason}  {one.node}  {one.detail}", style="yellow"))
        if decided.kept:
            parts += [Text(""), Text(self.word("stay", count=len(decided.kept)), style="bold")]
            parts += self._kept(decided.kept.values())
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

    def _commands(self, commands: Sequence[Command]) -> RenderableType:
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
        shown = Padding(table, (0, 0, 0, 2), expand=False)
        more = len(commands) - _ROWS_MAX
        if more <= 0:
            return shown
        return Group(shown, Text(f"  {self.word('more', count=more)}", style="dim"))

    def _kept(self, kept: Iterable[Kept]) -> list[RenderableType]:
        groups: dict[str, list[Kept]] = {}
        for one in kept:
            groups.setdefault(one.code, []).append(one)
        parts: list[RenderableType] = []
        for code, ones in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
            known = page(code, self._language)
            title = known.title if known is not None else code
            text = Text(f"  {code}  ", style="bold")
            text.append(f"{len(ones)} x {title}", style="not bold")
            parts.append(text)
            first = ones[0]
            said = f"      {first.node}: {kept_sentence(first, self._language)}"
            if first.until_ms is not None:
                said += f" ({self.word('until', when=print_instant(first.until_ms)[:19] + 'Z')})"
            parts.append(Text(said, style="dim"))
            command = f"nodewright explain node/{first.node} {self._source}".rstrip()
            parts.append(whole(f"      {command}"))
        return parts

    def _names(self, names: Sequence[str]) -> str:
        shown = ", ".join(names[:_NAMES_MAX])
        more = len(names) - _NAMES_MAX
        return f"{shown} {word('more', self._language, count=more)}" if more > 0 else shown


def consolidate_screen(
    snapshot: Snapshot, done: Consolidated, language: Language = "en", source: str = ""
) -> RenderableType:
    """Draw an answer; with the name of its source, the way to more can be copied as it stands."""
    return ConsolidateView(language, source).draw(snapshot, done)
