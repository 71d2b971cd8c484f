"""The keys of `top`, and what its columns and signs mean."""

from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

KEYS: Final = (
    " [enter] open  [e] explain  [/] filter  [s] sort  [p] pools  [d] decisions  [m] money"
    "  [w] waiting  [:] go to  [?] keys"
)
KEYS_NARROW: Final = " [enter] open [e] explain [/] filter [s] sort [:] go to [?] keys [Esc] back"
_KEYS: Final = (
    ("↑ ↓ j k PgUp PgDn g G", "move"),
    ("enter", "open: pool → nodes → pods → explanation"),
    ("e", "explain what the cursor is on: why it stays, goes or waits, and what would help"),
    ("/", "filter: words that a row must have, !word for words that it must not"),
    (":", "go anywhere: nodes, pools, pending, decisions, money, faults, node/NAME, pod/NS/NAME, NW-1204"),
    ("s  S", "order by the next column; turn the order round"),
    ("n p d m w", "nodes, pools, decisions, money (again: by namespace, by workload), waiting pods"),
    ("Ctrl-Z", "only faults, or everything again"),
    ("Ctrl-W", "more columns, or fewer again"),
    ("space", "hold what is shown; in a simulation, hold time"),
    ("+ -", "let simulated time pass faster, slower"),
    ("Esc", "clear the filter, else back"),
    ("q", "quit"),
)  # fmt: skip
_SIGNS: Final = (
    ("~", "an estimate: a price that no list has, or a saving reckoned from prices"),
    ("?", "nobody knows: no price, no metrics API, or no word about it yet"),
    ("NEXT", "keep: it stays, and why (NW-4xxx, how long the reason lasts) · go: it goes · waits: for what"),
    ("CPU/MEM", "what pods ask for, in percent of what there is for them; green above 90, yellow above 60"),
    ("IDLE", "what is paid for and nobody asks for; unused is what is asked for and not used"),
)  # fmt: skip


def help_text() -> RenderableType:
    """Write the page of keys."""
    return Group(
        Text("Keys", style="bold"),
        _grid(_KEYS),
        Text(""),
        Text("Signs and columns", style="bold"),
        _grid(_SIGNS),
        Text(""),
        Text("Nothing here changes the cluster.", style="dim"),
    )


def _grid(rows: tuple[tuple[str, str], ...]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 2))
    table.add_column(no_wrap=True, style="cyan")
    table.add_column()
    for row in rows:
        table.add_row(*row)
    return table
