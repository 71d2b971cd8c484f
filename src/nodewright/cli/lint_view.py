"""Findings as a good compiler prints them: code, headline, the line underlined, the way out."""

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from nodewright.cli.output import screen
from nodewright.lint.codes import SEVERITIES, Severity
from nodewright.lint.finding import Finding
from nodewright.model.path import show_path

_STYLES: Final[dict[Severity, str]] = {
    "error": "bold red",
    "warning": "bold yellow",
    "info": "bold blue",
}
_PIPE_WIDTH: Final = 120
_LINE_MAX: Final = 400
_SHOWN_MAX: Final = 200
"""More findings than this scroll by unread; programs get all of them."""


def show_findings(findings: Sequence[Finding], texts: Mapping[str, str], mended: int) -> None:
    """Print findings with the lines they are about, then one line that sums them up."""
    console = screen()
    width = console.width if console.is_terminal else _PIPE_WIDTH
    lines = {name: text.splitlines() for name, text in texts.items()}
    for finding in findings[:_SHOWN_MAX]:
        _show(console, finding, lines.get(finding.manifest.file, []), width)
    if len(findings) > _SHOWN_MAX:
        rest = len(findings) - _SHOWN_MAX
        console.print(f"… and {rest} more findings (-o json lists all)\n")
    console.print(_sum(findings, mended))


def _show(console: Console, finding: Finding, lines: Sequence[str], width: int) -> None:
    severity, mark = finding.severity, finding.mark
    head = Text()
    head.append(f"{severity}[{finding.code}]", style=_STYLES[severity])
    head.append(f": {_plain(finding.message)}", style="bold")
    _print_wrapped(console, head, width, len(severity) + len(finding.code) + 4)
    gutter = len(str(mark.line))
    place = f"{finding.manifest.file}:{mark.line}:{mark.column}"
    what = f"  {finding.subject} {show_path(finding.path)}".rstrip()
    arrow = Text(f"{' ' * gutter}--> ", style="blue")
    arrow.append(place, style="")
    if len(arrow) + len(what) <= width:
        arrow.append(_plain(what), style="dim")
    console.print(arrow, soft_wrap=True)
    if 0 < mark.line <= len(lines):
        _show_line(console, finding, lines[mark.line - 1], gutter, width)
    if finding.help:
        advice = Text(f"{' ' * gutter} = ", style="blue")
        advice.append("help: ", style="bold")
        advice.append(_plain(finding.help))
        _print_wrapped(console, advice, width, gutter + 9)
    console.print()


def _show_line(console: Console, finding: Finding, line: str, gutter: int, width: int) -> None:
    line = _plain(line[:_LINE_MAX].replace("\t", " ").rstrip())
    begin, end = _span(finding, line)
    room = max(width - gutter - 3, 20)
    cut = max(0, min(begin - 4, len(line) - room)) if end > room else 0
    shown = line[cut : cut + room]
    if cut:
        shown = f"…{shown[1:]}"
    if cut + room < len(line):
        shown = f"{shown[:-1]}…"
    bar = Text(f"{' ' * gutter} |", style="blue")
    console.print(bar, soft_wrap=True)
    source = Text(f"{finding.mark.line} | ", style="blue")
    source.append(shown, style="")
    console.print(source, soft_wrap=True)
    under = Text(f"{' ' * gutter} | ", style="blue")
    underline = "^" * max(1, min(end, cut + room) - begin)
    under.append(" " * (begin - cut) + underline, style=_STYLES[finding.severity])
    console.print(under, soft_wrap=True)


def _span(finding: Finding, line: str) -> tuple[int, int]:
    """Give what of a line is underlined; what goes on beyond its mark, to the end of the line."""
    mark = finding.mark
    begin = min(mark.column - 1, len(line))
    is_open = line[begin : begin + 1] in ("{", "[")
    if mark.line != mark.end_line or mark.column >= mark.end_column or is_open:
        return begin, max(len(line), begin + 1)
    return begin, max(min(mark.end_column - 1, len(line)), begin + 1)


def _print_wrapped(console: Console, text: Text, width: int, indent: int) -> None:
    """Print a text in lines of the width, later ones under the first word."""
    words = text.plain
    if len(words) <= width or width < 2 * indent:
        console.print(text, soft_wrap=True)
        return
    rows = textwrap.wrap(
        words, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
    styled = text.copy()
    first = rows[0]
    console.print(styled[: len(first)], soft_wrap=True)
    style = (
        "bold"
        if any(str(span.style) == "bold" and span.end == len(words) for span in text.spans)
        else ""
    )
    for row in rows[1:]:
        console.print(Text(row, style=style), soft_wrap=True)


def _sum(findings: Sequence[Finding], mended: int) -> Text:
    done = f"{mended} mended; " if mended else ""
    if not findings:
        return Text(f"{done}no findings", style="green")
    counts = Counter(finding.severity for finding in findings)
    parts = [
        f"{counts[severity]} {_plural(severity, counts[severity])}"
        for severity in SEVERITIES
        if counts[severity]
    ]
    fixable = sum(bool(finding.edits) for finding in findings)
    tail = f" ({fixable} can be mended with --fix)" if fixable else ""
    return Text(f"{done}{', '.join(parts)}{tail}")


def _plural(severity: Severity, count: int) -> str:
    if severity == "info":
        return "note" if count == 1 else "notes"
    return severity if count == 1 else f"{severity}s"


def _plain(text: str) -> str:
    """Disarm what could steer a terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
