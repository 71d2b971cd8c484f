"""The grid: a table of any length of which only the visible lines are drawn.

Rows are values and keep their place by name: when they are sorted anew or some come and go, the cursor
stays on the row that it is on. Nothing is laid out for rows that nobody sees, so five thousand cost no
more than fifty.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from nodewright.tui.columns import GAP, MARK, Cell, Column, Placed, narrow, place, style_of

_HEAD = Style(bold=True, dim=True)
_CURSOR = Style(reverse=True)


class Grid(ScrollView, can_focus=True):
    """A table with a cursor; drawn line by line."""

    DEFAULT_CSS = "Grid { height: 1fr; scrollbar-size-vertical: 1; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("up,k", "move(-1)", "up"),
        ("down,j", "move(1)", "down"),
        ("pageup,ctrl+b", "page(-1)", "page up"),
        ("pagedown,ctrl+f", "page(1)", "page down"),
        ("home,g", "jump(0)", "first"),
        ("end,G", "jump(-1)", "last"),
        ("enter", "open", "open"),
    ]

    class Opened(Message):
        """A row was chosen."""

        def __init__(self, row: Any) -> None:
            super().__init__()
            self.row = row

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Any] = ()
        self.cursor = 0
        self.empty_text = ""
        self._columns: Sequence[Column] = ()
        self._placed: list[Placed] = []
        self._name_of: Callable[[Any], str] = str
        self._is_wide = False
        self._now_ms = 0

    @property
    def row(self) -> Any | None:
        """The row that the cursor is on, if there is any."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def set_columns(
        self, columns: Sequence[Column], name_of: Callable[[Any], str], *, is_wide: bool
    ) -> None:
        """Show other columns; rows are told apart by their names."""
        self._columns, self._name_of, self._is_wide = columns, name_of, is_wide

    def set_rows(self, rows: Sequence[Any], now_ms: int, select: str = "") -> None:
        """Show these rows; the cursor stays on its row, or goes to the one that is named."""
        wanted = select or (self._name_of(self.row) if self.row is not None else "")
        was = self.cursor
        self.rows, self._now_ms = rows, now_ms
        found = next((at for at, row in enumerate(rows) if self._name_of(row) == wanted), None)
        self.cursor = found if found is not None else max(0, min(was, len(rows) - 1))
        self.virtual_size = Size(self.size.width, len(rows) + 1)
        self._place()
        if found is not None and (select or found != was):
            self._show_cursor()
        self.refresh()

    def set_now(self, now_ms: int) -> None:
        """Let ages and waits go on."""
        self._now_ms = now_ms
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Choose columns for the new width."""
        self._place()
        self.virtual_size = Size(event.size.width, len(self.rows) + 1)

    def _place(self) -> None:
        # While it is hidden it has no width; columns of other rows must not stay.
        columns = narrow(self._columns, self.rows, self._now_ms)
        width = self.size.width
        self._placed = place(columns, width, is_wide=self._is_wide) if width else []
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line: the head stays on top, rows scroll under it."""
        width = self.size.width
        if y == 0:
            return self._head(width)
        at = y - 1 + self.scroll_offset.y
        if at < len(self.rows):
            return self._line(at, width)
        if not self.rows and y == 2:
            return Strip([Segment(f"  {self.empty_text}", style_of("dim"))]).adjust_cell_length(
                width
            )
        return Strip.blank(width)

    def _head(self, width: int) -> Strip:
        parts = [" " * (len(MARK) + GAP)]
        for column, size in self._placed:
            title = column.title[:size]
            parts.append(title.rjust(size) if column.right else title.ljust(size))
            parts.append(" " * GAP)
        return Strip([Segment("".join(parts), _HEAD)]).adjust_cell_length(width)

    def _line(self, at: int, width: int) -> Strip:
        row, is_here = self.rows[at], at == self.cursor
        segments = [Segment(f"{MARK} " if is_here else "  ")]
        for column, size in self._placed:
            drawn = column.draw(row, self._now_ms)
            cell = drawn if isinstance(drawn, Cell) else Cell(drawn)
            segments += _write(cell, size, column.right)
            segments.append(Segment(" " * GAP))
        if not is_here:
            return Strip(segments).adjust_cell_length(width)
        # The line of the cursor has one colour: it must be seen at once, also without any.
        text = "".join(one.text for one in segments)
        return Strip([Segment(fit(text, width), _CURSOR)])

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self._move_to(self.cursor + by)

    def action_page(self, by: int) -> None:
        """Move the cursor by a screen."""
        self._move_to(self.cursor + by * max(1, self.size.height - 2))

    def action_jump(self, to: int) -> None:
        """Move the cursor to the first or the last row."""
        self._move_to(len(self.rows) - 1 if to < 0 else to)

    def action_open(self) -> None:
        """Choose the row that the cursor is on."""
        if self.row is not None:
            self.post_message(self.Opened(self.row))

    def on_click(self, event: events.Click) -> None:
        """Move the cursor to the row that was clicked; a second click opens it."""
        at = event.y - 1 + self.scroll_offset.y
        if event.y > 0 and at < len(self.rows):
            if at == self.cursor:
                self.action_open()
            self._move_to(at)

    def _move_to(self, at: int) -> None:
        self.cursor = max(0, min(at, len(self.rows) - 1))
        self._show_cursor()
        self.refresh()

    def _show_cursor(self) -> None:
        """Scroll so that the cursor is seen under the head."""
        height = max(1, self.size.height - 1)
        top = self.scroll_offset.y
        if self.cursor < top:
            self.scroll_to(y=self.cursor, animate=False, immediate=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw anew what has scrolled; the head stays."""
        super().watch_scroll_y(old_value, new_value)
        self.refresh(Region(0, 0, self.size.width, self.size.height))


def _write(cell: Cell, size: int, right: bool) -> list[Segment]:
    if not cell.dim and not cell.tail:
        return [Segment(fit(cell.text, size, right=right), style_of(cell.style))]
    return [
        Segment(cell.text, style_of(cell.style)),
        Segment(cell.dim, style_of("dim")),
        Segment(fit(cell.tail, max(0, size - len(cell.text) - len(cell.dim)))),
    ]


def fit(text: str, size: int, *, right: bool = False) -> str:
    """Write a text into so many cells; what is too long ends in an ellipsis."""
    length = cell_len(text)
    if length > size:
        return f"{set_cell_size(text, max(0, size - 1))}…"
    room = " " * (size - length)
    return room + text if right else text + room
