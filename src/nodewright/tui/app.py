"""`top`: one screen that shows a page of a view, and the keys that lead from page to page.

The source runs beside it. Whenever a new view lies on its desk, and at most ten times a second, the rows of
the page are filtered and sorted anew and the visible ones are drawn. Whatever takes longer (an explanation)
is made in a thread, and the page says so until it is there.
"""

import asyncio
import gc
from collections.abc import Callable
from typing import Any, ClassVar, Final

from msgspec.structs import replace
from rich.console import RenderableType
from rich.text import Text
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from nodewright.model.errors import UserError
from nodewright.model.world import World
from nodewright.tui.going import GoTo, read_goal, target_of
from nodewright.tui.grid import Grid
from nodewright.tui.head import Clock, head_lines
from nodewright.tui.help import KEYS, KEYS_NARROW, help_text
from nodewright.tui.pages import (
    EXPLAIN,
    HELP,
    MONEY_BY,
    Page,
    columns_of,
    count_rows,
    next_sort,
    rows_of,
    title_of,
)
from nodewright.tui.panel import PANEL_LINES, panel_lines
from nodewright.view.source import Source

FRAME_S: Final = 0.1
TICK_S: Final = 1.0
_PANEL_HEIGHT_MIN: Final = 22
_LIVE_TICK_MS: Final = 1_000

type Explain = Callable[[World, str], RenderableType]
"""Explains a target such as `node/NAME`; a mistake is a UserError."""


class TopApp(App[None]):
    """Shows a source."""

    CSS = """
    Screen { layout: vertical; background: ansi_default; color: ansi_default; }
    #head, #title, #panel, #keys { height: auto; background: ansi_default; }
    #title { color: ansi_default; text-style: dim; }
    #keys { dock: bottom; height: 1; text-style: dim; }
    #ask { dock: bottom; height: 1; border: none; padding: 0 1; display: none; }
    #text { display: none; height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    Grid { background: ansi_default; }
    """
    TITLE = "nodewright top"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        ("q,ctrl+c", "quit", "quit"),
        ("escape", "leave", "back"),
        ("slash", "ask('/')", "filter"),
        ("colon", "ask(':')", "go to"),
        ("question_mark", "help", "keys"),
        ("e", "explain", "explain"),
        ("s", "sort", "sort"),
        ("S", "reverse", "reverse"),
        ("n", "show('nodes')", "nodes"),
        ("p", "show('pools')", "pools"),
        ("d", "show('decisions')", "decisions"),
        ("m", "show('money')", "money"),
        ("w", "show('pending')", "waiting pods"),
        ("space", "hold", "pause"),
        ("ctrl+z", "faults", "only faults"),
        ("ctrl+w", "wide", "wide"),
        ("plus,equals_sign", "pace(2)", "faster"),
        ("minus", "pace(0.5)", "slower"),
    ]

    def __init__(self, source: Source, explain: Explain, speed: float = 0.0) -> None:
        super().__init__(ansi_color=True)
        self.source = source
        self.failure: UserError | None = None
        self.page = Page()
        self.pages: list[Page] = []
        self.is_held = False
        self._explain = explain
        self._speed = speed
        self._view = source.desk.view
        self._ticks = 0
        self._asking = ""

    def compose(self) -> ComposeResult:
        """Lay the screen out: head, title, table or text, the latest decisions, keys."""
        yield Static(id="head")
        yield Static(id="title")
        yield Grid()
        with VerticalScroll(id="text"):
            yield Static(id="words")
        yield Static(id="panel")
        yield Static(id="keys", markup=False)
        yield Input(id="ask")

    def on_mount(self) -> None:
        """Begin: show what is there, and follow the source."""
        self.query_one(Grid).focus()
        self._show()
        self._follow()
        self.set_interval(TICK_S, self._tick)

    @work(exclusive=True, group="source")
    async def _follow(self) -> None:
        """Keep the source running, and show each view that it lays down."""
        running = asyncio.create_task(self.source.run())
        seen = self.source.desk.revision
        try:
            while True:
                coming = asyncio.create_task(self.source.desk.wait(seen))
                await asyncio.wait({coming, running}, return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    coming.cancel()
                    await running
                    return
                seen = coming.result()
                if not self.is_held:
                    self._take()
                await asyncio.sleep(FRAME_S)
        except UserError as error:
            self.failure = error
            self.exit()
        finally:
            running.cancel()

    def _take(self) -> None:
        self._view = self.source.desk.view
        self._ticks = 0
        self._show()

    def _tick(self) -> None:
        """Let ages and countdowns go on between two views."""
        if not self.is_held and self._view.origin.kind == "live":
            self._ticks += 1
            self.query_one(Grid).set_now(self._view.now_ms + self._ticks * _LIVE_TICK_MS)
            self._draw_head()

    def _show(self, select: str = "") -> None:
        """Draw the page as the view has it now."""
        self._draw_head()
        self._draw_keys()
        page, grid = self.page, self.query_one(Grid)
        grid.display = not page.is_text
        self.query_one("#text").display = page.is_text
        if page.is_text:
            self._title(title_of(page, 0, 0))
        else:
            rows = rows_of(page, self._view, self.source)
            grid.empty_text = self._empty(page)
            columns = columns_of(page, self.size.width)
            grid.set_columns(columns, page.table.name_of, is_wide=page.is_wide or self._is_roomy())
            grid.set_rows(rows, self._view.now_ms, select)
            total = count_rows(page, self._view, self.source)
            self._title(title_of(page, len(rows), total))
        self._draw_panel()

    def _is_roomy(self) -> bool:
        return self.size.width >= 170

    def _empty(self, page: Page) -> str:
        if not self._view.now_ms:
            return "waiting for the first look"
        return "nothing matches; Esc clears the filter" if page.filter else page.table.empty

    def _title(self, said: str) -> None:
        room = max(0, self.size.width - len(said) - 4)
        self.query_one("#title", Static).update(Text(f"─ {said} {'─' * room}", no_wrap=True))

    def _draw_head(self) -> None:
        clock = Clock(self._ticks * _LIVE_TICK_MS, is_held=self.is_held)
        lines = head_lines(self._view, self.size.width or 80, clock)
        self.query_one("#head", Static).update(Text("\n").join(lines))

    def _draw_keys(self) -> None:
        keys = KEYS if self.size.width > len(KEYS) else KEYS_NARROW
        self.query_one("#keys", Static).update(Text(keys, no_wrap=True))

    def _draw_panel(self) -> None:
        panel = self.query_one("#panel", Static)
        wanted = self.page.kind == "nodes" and self.size.height >= _PANEL_HEIGHT_MIN
        lines = panel_lines(self._view, self.size.width) if wanted else []
        panel.display = bool(lines)
        if lines:
            panel.update(Text("\n").join(lines[: PANEL_LINES + 1]))

    def on_resize(self, event: events.Resize) -> None:
        """Lay everything out for the new size."""
        del event
        self.call_after_refresh(self._show)

    def on_grid_opened(self, message: Grid.Opened) -> None:
        """Go from a row to what is in it: pool → nodes → pods → explanation."""
        self._open(message.row)

    def _open(self, row: Any) -> None:
        match self.page.kind:
            case "nodes" if row.is_node:
                self._go(Page("pods", row.name))
            case "pools":
                self._go(Page("nodes", row.name))
            case "money" if self.page.subject == "pools":
                self._go(Page("nodes", row.name))
            case "money":
                return
            case _:
                self.action_explain()

    def _go(self, page: Page) -> None:
        grid = self.query_one(Grid)
        cursor = "" if self.page.is_text or grid.row is None else self.page.table.name_of(grid.row)
        self.pages.append(replace(self.page, cursor=cursor))
        self.page = page
        grid.cursor = 0
        grid.scroll_to(y=0, animate=False)
        grid.rows = ()
        self._show()
        (self.query_one("#text") if page.is_text else grid).focus()

    def action_leave(self) -> None:
        """Clear what is filtered, else go back to the page before."""
        if self.page.filter or self.page.only_faults:
            self.page = replace(self.page, filter="", only_faults=False)
            self._show()
        elif self.pages:
            self.page = self.pages.pop()
            grid = self.query_one(Grid)
            grid.rows = ()
            self._show(self.page.cursor)
            (self.query_one("#text") if self.page.is_text else grid).focus()

    def action_show(self, kind: str) -> None:
        """Show one of the tables; money goes on to the next kind of sums."""
        if kind == "money":
            at = MONEY_BY.index(self.page.subject) + 1 if self.page.kind == "money" else 0
            page = Page("money", MONEY_BY[at % len(MONEY_BY)])
            if self.page.kind == "money":
                self.page = page
                self._show()
                return
            self._go(page)
        elif self.page.kind != kind or self.page.subject:
            self._go(Page(kind))

    def action_sort(self) -> None:
        """Order by the next column."""
        if not self.page.is_text:
            self.page = replace(self.page, sort=next_sort(self.page), is_reversed=False)
            self._show()

    def action_reverse(self) -> None:
        """Turn the order round."""
        if not self.page.is_text:
            self.page = replace(self.page, is_reversed=not self.page.is_reversed)
            self._show()

    def action_faults(self) -> None:
        """Show only what is wrong, or everything again."""
        if not self.page.is_text:
            self.page = replace(self.page, only_faults=not self.page.only_faults)
            self._show()

    def action_wide(self) -> None:
        """Show more columns, or fewer again."""
        self.page = replace(self.page, is_wide=not self.page.is_wide)
        self._show()

    def action_hold(self) -> None:
        """Hold what is shown, and time itself where that can be; or let both go on."""
        self.is_held = not self.is_held
        self.source.set_pace(0.0 if self.is_held else self._speed)
        if not self.is_held:
            self._take()
        self._draw_head()

    def action_pace(self, factor: float) -> None:
        """Let simulated time pass faster or slower."""
        self._speed = min(3_600.0, max(0.5, self._speed * factor))
        if not self.is_held and self.source.set_pace(self._speed):
            self.notify(f"{self._speed:g} virtual seconds a second", timeout=2)

    def action_ask(self, sign: str) -> None:
        """Ask for a filter or for where to go."""
        if sign == "/" and self.page.is_text:
            return
        self._asking = sign
        ask = self.query_one("#ask", Input)
        ask.value = self.page.filter if sign == "/" else ""
        ask.placeholder = (
            "filter: words that a row must have, !word for not"
            if sign == "/"
            else "nodes · pools · pending · decisions · money · faults · node/NAME · pod/NS/NAME · NW-1204"
        )
        ask.display = True
        ask.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter while it is typed."""
        if self._asking == "/":
            self.page = replace(self.page, filter=event.value.strip())
            self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go where was asked for."""
        sign, value = self._asking, event.value.strip()
        self._end_asking()
        if sign == ":" and value:
            self._go_to(value)

    def on_key(self, event: events.Key) -> None:
        """Leave the question by Esc."""
        if self._asking and event.key == "escape":
            event.stop()
            event.prevent_default()
            self._end_asking()

    def _end_asking(self) -> None:
        self._asking = ""
        ask = self.query_one("#ask", Input)
        ask.display = False
        (self.query_one("#text") if self.page.is_text else self.query_one(Grid)).focus()

    def _go_to(self, value: str) -> None:
        goal = read_goal(value, self._view)
        match goal:
            case GoTo(is_end=True):
                self.exit()
            case GoTo(page=Page() as page):
                self._go(page)
            case GoTo(target=str() as target) if target:
                self._explain_target(target)
            case _:
                self.notify(f"there is nothing called {value!r}", severity="warning", timeout=4)

    def action_help(self) -> None:
        """Show the keys."""
        self._go(Page(HELP))
        self._write(help_text())

    def action_explain(self) -> None:
        """Explain what the cursor is on."""
        row = self.query_one(Grid).row
        if self.page.is_text or row is None:
            return
        target = target_of(self.page, row)
        if target:
            self._explain_target(target)
        else:
            self.notify("there is nothing to explain here", timeout=3)

    def _explain_target(self, target: str) -> None:
        self._go(Page(EXPLAIN, target))
        self._write(Text("deciding …", style="dim"))
        self._make(target)

    @work(thread=True, exclusive=True, group="explain")
    def _make(self, target: str) -> None:
        """Make an explanation beside the screen."""
        world = self.source.world()
        made: RenderableType = Text("the cluster is not known yet", style="yellow")
        if world is not None:
            gc.disable()
            try:
                made = self._explain(world, target)
            except UserError as error:
                made = Text(f"{error.message}\n{error.advice}", style="yellow")
            finally:
                gc.enable()
        self.call_from_thread(self._write_if, target, made)

    def _write_if(self, target: str, made: RenderableType) -> None:
        """Show an explanation, unless one has gone elsewhere meanwhile."""
        if self.page.is_text and self.page.subject == target:
            self._write(made)

    def _write(self, made: RenderableType) -> None:
        self.query_one("#words", Static).update(made)
        self.query_one("#text", VerticalScroll).scroll_home(animate=False)
