"""Values as answers write them: money in the list's currency, shares in percent, instants as RFC 3339."""

from typing import Final

from nodewright.model.instance import NANO
from nodewright.model.instant import print_instant
from nodewright.view.values import Amount, Nano

HOURS_A_MONTH: Final = 730
_DIGITS: Final = 6


def write_money(amount: Nano | None) -> float | None:
    """Write an amount of money; what is not known stays so."""
    return None if amount is None else round(amount / NANO, _DIGITS)


def write_instant(instant_ms: int | None) -> str | None:
    """Write an instant; what is not known stays so."""
    return None if instant_ms is None else print_instant(instant_ms)


def write_share(share: float | None) -> float | None:
    """Write a part of one as percent."""
    return None if share is None else round(100 * share, 1)


def percent_of(part: int | None, whole: int) -> float | None:
    """Give a part as percent of a whole; nothing where either is not known."""
    return None if part is None or whole <= 0 else round(100 * part / whole, 1)


def requested_percent(amount: Amount) -> float | None:
    """Give how much is asked for of what there is."""
    return write_share(amount.share)


def used_percent(amount: Amount) -> float | None:
    """Give how much is used of what there is."""
    return write_share(amount.used_share)
