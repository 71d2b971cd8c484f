"""Charts as SVG: lines over time and bars with intervals, drawn from numbers, with nothing from elsewhere.

Colours are classes of the page's own style, so that light and dark screens see the same; each line also has its
name at its end of the legend.
"""

from collections.abc import Callable, Sequence
from html import escape
from math import ceil
from typing import Final, NamedTuple

WIDTH: Final = 720
HEIGHT: Final = 220
_LEFT: Final = 64
_RIGHT: Final = 12
_TOP: Final = 12
_BOTTOM: Final = 28
_TICKS: Final = 4
_HOUR_MS: Final = 3_600_000


class Curve(NamedTuple):
    """A line: its name, its colour's number, and its points."""

    name: str
    colour: int
    points: Sequence[tuple[float, float]]


class Bar(NamedTuple):
    """A bar: its name, its colour's number, its length, and half of its interval."""

    name: str
    colour: int
    value: float
    half: float


def draw_lines(title: str, curves: Sequence[Curve], shown: Callable[[float], str]) -> str:
    """Draw values over time; steps, since a machine is there or is not."""
    end = max((x for curve in curves for x, _ in curve.points), default=1.0) or 1.0
    top = _round_up(max((y for curve in curves for _, y in curve.points), default=1.0))
    if shown(0.25) == shown(0.0):
        # Counts have whole ticks.
        top = _TICKS * ceil(top / _TICKS)
    parts = [_axes(top, shown), _hours(end)]
    for curve in curves:
        steps = []
        for index, (x, y) in enumerate(curve.points):
            across, down = _across(x / end), _down(y / top)
            steps.append(f"M{across:.1f} {down:.1f}" if index == 0 else f"H{across:.1f}V{down:.1f}")
        parts.append(f'<path class="line c{curve.colour}" d="{"".join(steps)}"/>')
    return _figure(title, parts, [(curve.name, curve.colour) for curve in curves])


def draw_bars(title: str, bars: Sequence[Bar], shown: Callable[[float], str]) -> str:
    """Draw means as bars, with a whisker for their interval."""
    row, height = 34, 34 * len(bars) + 8
    top = _round_up(max((one.value + one.half for one in bars), default=1.0))
    parts = []
    room = WIDTH - 280
    for index, one in enumerate(bars):
        y = 4 + index * row
        width = one.value / top * room
        parts.append(f'<text class="name" x="172" y="{y + 19}">{escape(_cut(one.name))}</text>')
        parts.append(
            f'<rect class="bar c{one.colour}" x="180" y="{y + 4}" width="{width:.1f}" height="20" rx="3"/>'
        )
        reach = one.half / top * room
        if reach > 0.5:
            low, high = 180 + max(0.0, width - reach), 180 + width + reach
            parts.append(f'<path class="whisker" d="M{low:.1f} {y + 14}H{high:.1f}"/>')
        at = 188 + width + max(0.0, reach)
        parts.append(f'<text class="value" x="{at:.1f}" y="{y + 19}">{shown(one.value)}</text>')
    body = "".join(parts)
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}">{body}</svg>'
    )
    return f"<figure><figcaption>{escape(title)}</figcaption>{svg}</figure>"


def _figure(title: str, parts: Sequence[str], legend: Sequence[tuple[str, int]]) -> str:
    keys = "".join(
        f'<span class="key"><i class="c{colour}"></i>{escape(name)}</span>'
        for name, colour in legend
    )
    body = "".join(parts)
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">{body}</svg>'
    )
    return f"<figure><figcaption>{escape(title)}<span>{keys}</span></figcaption>{svg}</figure>"


def _axes(top: float, shown: Callable[[float], str]) -> str:
    lines = []
    for tick in range(_TICKS + 1):
        value = top * tick / _TICKS
        y = _down(value / top)
        lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>')
        lines.append(f'<text class="tick y" x="{_LEFT - 6}" y="{y + 4:.1f}">{shown(value)}</text>')
    return "".join(lines)


def _hours(end_ms: float) -> str:
    """Write hours, or days where there are many."""
    hours = end_ms / _HOUR_MS
    unit, word = (24.0, "d") if hours > 72 else (1.0, "h")
    count = hours / unit
    step = next((one for one in (0.25, 0.5, 1, 2, 3, 4, 6, 12, 24, 30) if count / one <= 12), 60)
    marks = []
    for index in range(int(count / step) + 1):
        x = _across(index * step / count)
        marks.append(
            f'<text class="tick x" x="{x:.1f}" y="{HEIGHT - 8}">{index * step:g} {word}</text>'
        )
    return "".join(marks)


def _across(share: float) -> float:
    return _LEFT + share * (WIDTH - _LEFT - _RIGHT)


def _down(share: float) -> float:
    return HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)


def _round_up(value: float) -> float:
    """Give the next round number, so that ticks can be read."""
    if value <= 0:
        return 1.0
    scale = 1.0
    while scale * 10 <= value:
        scale *= 10
    while scale > value:
        scale /= 10
    return next(
        scale * one for one in (1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10) if scale * one >= value
    )


def _cut(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"
