"""Money: the bill of a view by pool, namespace and workload, and what decisions saved day by day."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from nodewright.catalog.pricelist import currency_of
from nodewright.model.instant import print_instant
from nodewright.view.values import DecisionRow, Nano, SpendRow, View
from nodewright.web.answers.money import Money, MoneyRow, Saving, SavingsDay
from nodewright.web.writing.numbers import HOURS_A_MONTH, percent_of, write_money

ROWS_MAX: Final = 200
SAVINGS_MAX: Final = 100
OTHERS: Final = "all others"
_HOUR_MS: Final = 3_600_000
_SAVING: Final = ("Replace", "Delete")


def write_money_page(view: View, revision: int) -> Money:
    """Write the page of money."""
    money, origin = view.money, view.origin
    total = money.total_nanousd_hour
    commands = [one for one in view.decisions if one.verb in _SAVING and not one.code]
    return Money(
        revision=revision,
        at=print_instant(view.now_ms),
        currency=currency_of(origin.region) if origin.region else "USD",
        price_per_hour=write_money(total),
        price_per_month=write_money(total * HOURS_A_MONTH),
        workload_idle_per_hour=write_money(money.workload_idle_nanousd_hour),
        infra_idle_per_hour=write_money(money.infra_idle_nanousd_hour),
        nodes_without_price=money.unpriced,
        price_source=origin.price_source,
        pools=_pools(money.pools, total),
        namespaces=_owners(money.namespaces, total),
        workloads=_owners(money.workloads, total),
        days=tuple(_days(commands, view.now_ms)),
        savings=tuple(_saving(one) for one in commands[:SAVINGS_MAX]),
    )


def _pools(rows: Sequence[SpendRow], total: Nano) -> tuple[MoneyRow, ...]:
    return tuple(
        MoneyRow(
            name=one.name,
            nodes=one.nodes,
            pods=one.pods,
            price_per_hour=write_money(one.price_nanousd_hour),
            workload_idle_per_hour=None,
            infra_idle_per_hour=write_money(one.idle_nanousd_hour),
            percent=percent_of(one.price_nanousd_hour, total),
            nodes_without_price=one.unpriced,
        )
        for one in _narrow(rows)
    )


def _owners(rows: Sequence[SpendRow], total: Nano) -> tuple[MoneyRow, ...]:
    return tuple(
        MoneyRow(
            name=one.name,
            nodes=one.nodes,
            pods=one.pods,
            price_per_hour=write_money(one.price_nanousd_hour),
            workload_idle_per_hour=write_money(one.idle_nanousd_hour),
            infra_idle_per_hour=None,
            percent=percent_of(one.price_nanousd_hour, total),
        )
        for one in _narrow(rows)
    )


def _narrow(rows: Sequence[SpendRow]) -> list[SpendRow]:
    """Give the dearest rows, and the rest as one."""
    kept, rest = list(rows[:ROWS_MAX]), rows[ROWS_MAX:]
    if rest:
        idle = [one.idle_nanousd_hour for one in rest]
        kept.append(
            SpendRow(
                name=OTHERS,
                price_nanousd_hour=sum(one.price_nanousd_hour for one in rest),
                idle_nanousd_hour=None if None in idle else sum(each or 0 for each in idle),
                nodes=sum(one.nodes for one in rest),
                pods=sum(one.pods for one in rest),
            )
        )
    return kept


def _days(commands: Sequence[DecisionRow], now_ms: int) -> list[SavingsDay]:
    by_day: dict[str, list[DecisionRow]] = {}
    for one in commands:
        day = f"{datetime.fromtimestamp(one.at_ms / 1000, UTC):%Y-%m-%d}"
        by_day.setdefault(day, []).append(one)
    return [_day(day, rows, now_ms) for day, rows in sorted(by_day.items())]


def _day(day: str, rows: Sequence[DecisionRow], now_ms: int) -> SavingsDay:
    known = [
        (one.at_ms, -one.price_nanousd_hour) for one in rows if one.price_nanousd_hour is not None
    ]
    until_now = sum(saved * (now_ms - at_ms) // _HOUR_MS for at_ms, saved in known)
    return SavingsDay(
        day=day,
        commands=len(rows),
        saved_per_hour=write_money(sum(saved for _, saved in known)) or 0.0,
        saved_until_now=write_money(until_now) or 0.0,
        unknown=len(rows) - len(known),
    )


def _saving(one: DecisionRow) -> Saving:
    saved = None if one.price_nanousd_hour is None else -one.price_nanousd_hour
    return Saving(
        decision=one.id,
        at=print_instant(one.at_ms),
        reason=one.reason,
        state=one.outcome,
        text=one.text,
        saved_per_hour=write_money(saved),
    )
