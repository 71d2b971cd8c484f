"""Columns: what of a row stands where, and which of them a narrow screen leaves out.

A column gives its cell from a row and the instant; colour only repeats what the cell says. Columns are
chosen by their rank until the screen is full, and stand in the order in which they are listed.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from rich.cells import cell_len
from rich.style import Style

FULL: Final = "▇"
FREE: Final = "░"
BAR_WIDTH: Final = 10
MARK: Final = "▸"
GAP: Final = 1
_REST_MIN: Final = 20
_REST_MIN_WIDE: Final = 12


class Cell(NamedTuple):
    """A text with a colour that repeats what the text says; then a part that stands back, then the rest."""

    text: str
    style: str = ""
    dim: str = ""
    tail: str = ""

    @property
    def whole(self) -> str:
        """All of its text."""
        return self.text + self.dim + self.tail


type Draw = Callable[[Any, int], str | Cell]
type Key = Callable[[Any], Any]


class Column(NamedTuple):
    """One column: its head, its cell, what it is sorted by, and how it gives way.

    A lower rank stays longer. It is as wide as its cells need, up to its width; a width of 0 takes what
    is left. `wide_only` ones stand only on wide screens, or where they were asked for.
    """

    title: str
    draw: Draw
    key: Key | None = None
    width: int = 0
    right: bool = False
    rank: int = 5
    reverse: bool = False
    wide_only: bool = False
    name: str = ""


class Placed(NamedTuple):
    """A column with the width that it got."""

    column: Column
    width: int


def place(columns: Sequence[Column], width: int, *, is_wide: bool = False) -> list[Placed]:
    """Choose the columns that fit, and give what is left to the one that takes the rest."""
    rest = next((one for one in columns if one.width == 0), None)
    least = _REST_MIN_WIDE if is_wide else _REST_MIN
    room = width - len(MARK) - GAP
    if rest is not None:
        room -= least + GAP
    chosen: set[int] = set()
    ranked = sorted(range(len(columns)), key=lambda number: columns[number].rank)
    for number in ranked:
        one = columns[number]
        if one is rest or (one.wide_only and not is_wide):
            continue
        if one.width + GAP <= room:
            room -= one.width + GAP
            chosen.add(number)
        elif not one.wide_only:
            break
    room += least if rest is not None else 0
    return [
        Placed(one, one.width or max(least, room))
        for number, one in enumerate(columns)
        if one is rest or number in chosen
    ]


def narrow(
    columns: Sequence[Column], rows: Sequence[Any], now_ms: int, sample: int = 200
) -> tuple[Column, ...]:
    """Make columns no wider than the cells of the first rows need."""
    found = []
    for one in columns:
        if one.width:
            drawn = (one.draw(row, now_ms) for row in rows[:sample])
            texts = (each.whole if isinstance(each, Cell) else each for each in drawn)
            needed = max(map(cell_len, texts), default=0)
            found.append(one._replace(width=min(one.width, max(len(one.title), needed))))
        else:
            found.append(one)
    return tuple(found)


def bar(share: float | None, width: int = BAR_WIDTH) -> Cell:
    """Draw how full something is, with the number: green above 90 %, yellow above 60 %, red below."""
    if share is None:
        return Cell("·")
    filled = min(width, max(0, round(share * width)))
    style = share_style(share)
    return Cell(FULL * filled, style, FREE * (width - filled), f" {share * 100:3.0f}")


def share_style(share: float | None) -> str:
    """Give the colour of a share."""
    if share is None:
        return ""
    return "green" if share > 0.9 else "yellow" if share > 0.6 else "red"


def style_of(name: str) -> Style:
    """Read a style by its name, once."""
    found = _STYLES.get(name)
    if found is None:
        found = _STYLES[name] = Style.parse(name)
    return found


_STYLES: Final[dict[str, Style]] = {}
