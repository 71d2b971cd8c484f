"""Pages: where one is in `top`, and which rows stand there.

A page is a value with its own filter and order, so that going back shows what was left as it was left.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from nodewright.tui.columns import Column
from nodewright.tui.tables import NODES_NARROW, TABLES, Table, short_name
from nodewright.view.source import Source
from nodewright.view.values import NodeRow, View

NARROW: Final = 110
"""Below so many columns, shares of nodes are numbers without bars."""

EXPLAIN: Final = "explain"
HELP: Final = "help"
MONEY_BY: Final = ("pools", "namespaces", "workloads")


class Page(msgspec.Struct, frozen=True):
    """One page: what it shows, of what, filtered and ordered how, and where its cursor was."""

    kind: str = "nodes"
    subject: str = ""
    filter: str = ""
    sort: str = ""
    is_reversed: bool = False
    only_faults: bool = False
    is_wide: bool = False
    cursor: str = ""

    @property
    def table(self) -> Table:
        """The table that it shows."""
        return TABLES[self.kind]

    @property
    def is_text(self) -> bool:
        """Whether it is a text to be read, not a table."""
        return self.kind not in TABLES


def columns_of(page: Page, width: int) -> tuple[Column, ...]:
    """Give the columns of a page for a width."""
    if page.kind == "nodes" and width < NARROW:
        return NODES_NARROW
    return page.table.columns


def rows_of(page: Page, view: View, source: Source) -> list[Any]:
    """Give the rows of a page, filtered and in order."""
    table = page.table
    rows = list(_all_rows(page, view, source))
    if page.only_faults:
        rows = [row for row in rows if _is_fault(row)]
    if page.filter:
        wanted = page.filter.lower().split()
        rows = [row for row in rows if _matches(table.text_of(row).lower(), wanted)]
    column = _sorting(page)
    if column is not None and column.key is not None:
        key: Callable[[Any], Any] = column.key
        rows.sort(key=lambda row: (key(row), table.name_of(row)))
        if column.reverse is not page.is_reversed:
            rows.reverse()
    elif page.is_reversed:
        rows.reverse()
    return rows


def _all_rows(page: Page, view: View, source: Source) -> Sequence[Any]:
    match page.kind:
        case "nodes" if page.subject:
            return [row for row in view.nodes if row.node_pool == page.subject]
        case "pods":
            return source.pods_of(page.subject)
        case "pools":
            return view.pools
        case "decisions":
            return view.decisions
        case "money":
            return {
                "pools": view.money.pools,
                "namespaces": view.money.namespaces,
                "workloads": view.money.workloads,
            }[page.subject]
        case "pending":
            return view.pending
        case _:
            return view.nodes


def _is_fault(row: Any) -> bool:
    """Tell whether something is wrong with a row: a node's own fault, or what stands in the way."""
    if isinstance(row, NodeRow):
        return row.is_fault
    if hasattr(row, "is_refused"):
        return bool(row.is_refused)
    return bool(getattr(row, "code", "")) or bool(getattr(row, "unpriced", 0))


def _matches(text: str, wanted: Sequence[str]) -> bool:
    """Tell whether a text has every word that is wanted, and none that is written with a `!`."""
    return all((word[1:] not in text) if word[:1] == "!" else word in text for word in wanted)


def _sorting(page: Page) -> Column | None:
    wanted = page.sort or page.table.sort
    return next((one for one in page.table.columns if wanted and one.name == wanted), None)


def next_sort(page: Page) -> str:
    """Give what the page is ordered by next: each column that can be in turn."""
    names = [one.name for one in page.table.columns if one.key is not None]
    now = page.sort or page.table.sort
    return names[(names.index(now) + 1) % len(names)] if now in names else names[0]


def title_of(page: Page, shown: int, total: int) -> str:
    """Name a page in one line: what it shows, of how many, in which order, and what is filtered."""
    what = page.kind
    if page.kind == "pods":
        what = f"pods of {short_name(page.subject)}"
    elif page.kind == "money":
        what = f"money by {page.subject.removesuffix('s')}"
    elif page.kind == "nodes" and page.subject:
        what = f"nodes of {page.subject}"
    elif page.is_text:
        return "keys" if page.kind == HELP else f"explain {page.subject}"
    count = str(total) if shown == total else f"{shown} of {total}"
    said = [f"{what} {count}"]
    order = page.sort or page.table.sort
    if order:
        said.append(f"by {order}{' reversed' if page.is_reversed else ''}")
    if page.filter:
        said.append(f"filter {page.filter!r}")
    if page.only_faults:
        said.append("only faults")
    return " · ".join(said)


def count_rows(page: Page, view: View, source: Source) -> int:
    """Count the rows of a page before anything is filtered."""
    return len(_all_rows(page, view, source))
