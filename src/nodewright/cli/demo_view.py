"""How the demo looks: one moment as a screen, and the whole run as a few lines."""

from typing import Final

from rich import box
from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table as RichTable
from rich.text import Text

from nodewright.app.demo import DemoSummary, Frame
from nodewright.cli.bars import bar, dollars
from nodewright.cli.output import Column, Table

_STYLES: Final = {"ready": "green", "draining": "red", "ending": "red"}
_NEWS_MAX: Final = 8
_OTHER_LINES: Final = 9


def screen_of(frame: Frame, height: int) -> Group:
    """Draw one moment, as many nodes and news as the screen has room for."""
    news = min(_NEWS_MAX, len(frame.news))
    room = max(3, height - _OTHER_LINES - news)
    rows = frame.nodes[-room:]
    table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    for title in ("NODE", "STATE", "TYPE", "BOUGHT", "ZONE"):
        table.add_column(title)
    for title in ("PODS", "CPU", "$/HOUR"):
        table.add_column(title, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            Text(row.state, style=_STYLES.get(row.state, "yellow")),
            row.instance_type,
            row.capacity_type,
            row.zone,
            str(row.pods),
            bar(row.cpu_share),
            dollars(row.price),
        )
    hidden = len(frame.nodes) - len(rows)
    return Group(
        _head(frame),
        ProgressBar(total=frame.total_ms, completed=min(frame.elapsed_ms, frame.total_ms)),
        table,
        Text(f"and {hidden} more nodes" if hidden > 0 else "", style="dim"),
        *(Text(line, style="dim") for line in frame.news[-news:] if news),
    )


def _head(frame: Frame) -> Text:
    seconds = frame.elapsed_ms // 1000
    text = Text(f"{seconds // 60:02d}:{seconds % 60:02d}", style="bold")
    text.append(f"   {frame.running} pods run", style="green")
    text.append(f"   {frame.waiting} wait", style="yellow" if frame.waiting else "dim")
    text.append(f"   {len(frame.nodes)} nodes   {dollars(frame.price)} an hour")
    return text


def summary_of(summary: DemoSummary) -> Table:
    """Give the lines that are left when the demo is over."""
    rows = (
        ("virtual minutes", str(summary.minutes)),
        ("pods started", str(summary.pods_started)),
        ("pod made until it runs, median", f"{summary.seconds_until_running_median:.0f} s"),
        ("pod made until it runs, longest", f"{summary.seconds_until_running_longest:.0f} s"),
        ("machines launched", str(summary.machines_launched)),
        ("machines taken back", str(summary.machines_interrupted)),
        ("nodes given back", str(summary.nodes_given_back)),
        ("price an hour, highest", f"${summary.price_highest:.2f}"),
        ("price an hour, at the end", f"${summary.price_at_the_end:.2f}"),
        ("spent", f"${summary.spent:.2f}"),
        ("seed", str(summary.seed)),
    )
    broken = tuple(f"broken promise: {sentence}" for sentence in summary.promises_broken)
    return Table(
        (Column("DEMO"), Column("", right=True)), rows, broken or ("every promise was kept",)
    )
