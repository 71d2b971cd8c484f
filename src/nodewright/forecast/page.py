"""A forecast as one page of HTML that needs nothing else: no script, no font, no request."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from nodewright.forecast.charts import Bar, Curve, draw_bars, draw_lines
from nodewright.forecast.measured import Point
from nodewright.forecast.report import Forecast, Standing
from nodewright.forecast.wording import LINES, Line, state_model

_COLOURS: Final = 6
_STYLE: Final = """
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#667080;--line:#d8dde3;--paper:#fff;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#97a1af;--line:#343b45;--paper:#14181d;--card:#1b2027}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);margin:0 auto;max-width:60rem;padding:2rem 1rem}
h1{font-size:1.5rem;margin:0}p{color:var(--soft);margin:.3rem 0}
table{border-collapse:collapse;width:100%;margin:1.2rem 0;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}td small{color:var(--soft)}
td.best{font-weight:600}.wide{overflow-x:auto}
figure{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:1rem 0;padding:.8rem}
figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;font-weight:600;margin-bottom:.4rem}
.key{font-weight:400;margin-left:1rem;color:var(--soft)}.key i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.3rem;vertical-align:-1px}
svg{width:100%;height:auto;display:block}text{font:12px system-ui,sans-serif;fill:var(--soft)}
text.y,text.name{text-anchor:end}text.x{text-anchor:middle}text.name,text.value{font-size:13px;fill:var(--ink)}
.grid{stroke:var(--line);fill:none}.line{fill:none;stroke-width:1.6}.whisker{stroke:var(--ink);stroke-width:2;fill:none}
"""
_PALETTE: Final = ("#2f6fde", "#d9542b", "#2a9d63", "#9058c9", "#c28a00", "#12939a")


def write_page(found: Forecast) -> str:
    """Write the whole page."""
    colours = "".join(
        f".line.c{i}{{stroke:{one}}}.bar.c{i}{{fill:{one}}}i.c{i}{{background:{one}}}"
        for i, one in enumerate(_PALETTE)
    )
    title = f"Forecast of {found.ground.workload}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        *(f"<p>{escape(line)}</p>" for line in state_model(found)),
        draw_bars("Cost", _bars(found, "cost"), lambda value: f"${value:,.2f}"),
        f'<div class="wide">{_table(found)}</div>',
        *_curves(found),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}{colours}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _bars(found: Forecast, key: str) -> list[Bar]:
    return [
        Bar(one.policy, index % _COLOURS, one.values[key].mean, one.values[key].half or 0.0)
        for index, one in enumerate(found.policies)
    ]


def _curves(found: Forecast) -> list[str]:
    """Draw what happened over time, for the first seed."""
    seed = found.ground.seeds[0]
    real = [one for one in enumerate(found.policies) if not is_bound(one[1])]
    every = list(enumerate(found.policies))
    return [
        _curve(f"Price per hour, seed {seed}", every, lambda p: p.price_hour, "${:,.2f}"),
        _curve(f"Nodes, seed {seed}", real, lambda p: float(p.nodes), "{:,.0f}"),
        _curve(f"Pods that wait, seed {seed}", real, lambda p: float(p.waiting), "{:,.0f}"),
        _curve(f"Cpu paid for, seed {seed}", real, lambda p: p.cpu_allocatable, "{:,.0f}"),
    ]


def _curve(
    title: str,
    standings: Sequence[tuple[int, Standing]],
    value: Callable[[Point], float],
    shown: str,
) -> str:
    curves = [
        Curve(one.policy, index % _COLOURS, [(float(p.at_ms), value(p)) for p in one.series])
        for index, one in standings
    ]
    return draw_lines(title, curves, shown.format)


def is_bound(one: Standing) -> bool:
    """Tell whether a standing is a bound, which has no nodes and no pods."""
    return one.values["nodeHours"].mean == 0


def _table(found: Forecast) -> str:
    head = "".join(f"<th>{escape(one.policy)}</th>" for one in found.policies)
    rows = [f"<tr><td>{escape(line.title)}</td>{_cells(line, found)}</tr>" for line in LINES]
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cells(line: Line, found: Forecast) -> str:
    cells = []
    for one in found.policies:
        value = one.values[line.key]
        if is_bound(one) and line.key != "cost":
            cells.append("<td>-</td>")
            continue
        half = f" <small>± {line.shown(value.half)}</small>" if value.half else ""
        cells.append(f"<td>{line.shown(value.mean)}{half}</td>")
    return "".join(cells)
