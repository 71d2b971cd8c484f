"""A forecast as a table: one row for each number, one column for each policy."""

from collections.abc import Callable
from typing import Final

from nodewright.cli.output import Column, Row, Table
from nodewright.forecast.page import is_bound
from nodewright.forecast.report import Forecast, Standing
from nodewright.forecast.statistics import Estimate
from nodewright.forecast.wording import LINES, Line, state_model


def forecast_table(found: Forecast) -> Table:
    """Lay policies side by side; behind each mean stands half of its 95 % interval."""
    rows: list[Row] = []
    for line in LINES:
        cells = [_cell(line, one) for one in found.policies]
        if any(cell != NOTHING for cell in cells):
            rows.append((line.title, *cells))
    columns = (Column("OVER ALL"), *(Column(one.policy, right=True) for one in found.policies))
    first = found.policies[0]
    notes = ["", *state_model(found), *_verdicts(found, first)]
    return Table(columns, tuple(rows), tuple(notes))


NOTHING: Final = "-"


def _cell(line: Line, one: Standing) -> str:
    value = one.values[line.key]
    return NOTHING if is_bound(one) and line.key != "cost" else _shown(value, line.shown)


def _shown(value: Estimate, shown: Callable[[float], str]) -> str:
    text = shown(value.mean)
    return text if not value.half else f"{text} ± {shown(value.half)}"


def _verdicts(found: Forecast, first: Standing) -> list[str]:
    """Say of each other policy how its cost compares, and whether that is more than chance."""
    lines = []
    for one in found.policies[1:]:
        cost, base = one.against_first["cost"], first.values["cost"].mean
        share = cost.mean / base if base else 0.0
        sure = cost.half is not None and abs(cost.mean) > cost.half
        word = "more" if cost.mean >= 0 else "less"
        doubt = "" if sure else ", which may be chance"
        lines.append(f"{one.policy} costs {abs(share):.1%} {word} than {first.policy}{doubt}")
    return lines
