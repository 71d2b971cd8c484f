"""Narrow screens: of several ways to draw the same, the first that fits is taken.

What is to be copied is never broken: the terminal wraps it, and copying gives it back in one piece.
"""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType
from rich.measure import Measurement
from rich.text import Text


def whole(line: str) -> Text:
    """Draw a line that no layout breaks or cuts; it must stand by itself, not within a table."""
    return Text(line, style="dim", no_wrap=True, overflow="ignore")


class Narrowing:
    """Draws the widest of some renderables that the screen has room for, else the last."""

    def __init__(self, *choices: RenderableType) -> None:
        self._choices = choices

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        *wider, last = self._choices
        roomy = options.update(width=10_000)
        for choice in wider:
            if Measurement.get(console, roomy, choice).maximum <= options.max_width:
                yield choice
                return
        yield last
