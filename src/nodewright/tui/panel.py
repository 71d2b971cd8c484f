"""The panel under the nodes: what was done last, and what waits."""

from typing import Final

from rich.text import Text

from nodewright.tui.grid import fit
from nodewright.tui.tables import price_change
from nodewright.view import words
from nodewright.view.decisions import is_quiet
from nodewright.view.values import DecisionRow, View

PANEL_LINES: Final = 5
_STYLES: Final = {"Launch": "green", "Refuse": "red", "End": "red"}
_FIXED: Final = 3 + 9 + 8 + 10 + 15


def panel_lines(view: View, width: int) -> list[Text]:
    """Write the latest decisions that changed something, and the largest group of pods that wait."""
    shown = [row for row in view.decisions if not is_quiet(row)] or list(view.decisions)
    lines = [_line(row, width) for row in shown[:PANEL_LINES]]
    refused = [one for one in view.pending if one.is_refused]
    if refused:
        first = refused[0]
        said = f"   {first.count} pods wait: {first.title} {first.code} · {first.summary}"
        lines.insert(0, Text(fit(said, width - 1), style="red"))
    if not lines:
        return []
    head = "decisions" if shown else "waiting"
    return [Text(f"─ {head} {'─' * max(0, width - len(head) - 4)}", style="dim"), *lines]


def _line(row: DecisionRow, width: int) -> Text:
    line = Text(f"   {words.clock(row.at_ms)} ")
    line.append(fit(row.verb, 8), style=_STYLES.get(row.verb, "yellow"))
    line.append(fit(row.text, max(10, width - _FIXED)))
    line.append(fit(price_change(row), 9, right=True))
    return line.append(f" {row.id}", style="dim")
