"""Bars and money, drawn the same way on every screen."""

from typing import Final

from rich.text import Text

from nodewright.model.instance import NANO, NanoUSD

_WIDTH: Final = 10
_HOURS_PER_MONTH: Final = 730


def bar(share: float | None) -> Text:
    """Draw how full something is: green above 90 %, yellow above 60 %, red below."""
    if share is None:
        return Text("·".ljust(_WIDTH) + "    ?")
    filled = min(_WIDTH, max(0, round(share * _WIDTH)))
    style = "green" if share > 0.9 else "yellow" if share > 0.6 else "red"
    text = Text("▇" * filled, style=style)
    text.append("░" * (_WIDTH - filled), style="dim")
    text.append(f" {share:4.0%}")
    return text


def dollars(price: NanoUSD) -> str:
    """Write a price per hour: two digits for large sums, four for small ones."""
    amount = price / NANO
    return f"${amount:,.2f}" if amount >= 10 else f"${amount:.4f}"


def per_month(price: NanoUSD) -> str:
    """Write what a price per hour comes to in a month of 730 hours."""
    return f"${price / NANO * _HOURS_PER_MONTH:,.0f}"
