"""The head of every page: the cluster at a glance."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from nodewright.catalog.pricelist import currency_of
from nodewright.model.wording.amounts import show_amount
from nodewright.view.values import Amount, View
from nodewright.web.answers.shared import Head, Origin, Share
from nodewright.web.writing.numbers import (
    HOURS_A_MONTH,
    requested_percent,
    used_percent,
    write_instant,
    write_money,
)

_SOURCES: Final[Mapping[str, Origin]] = {"snapshot": "snapshot", "simulation": "simulation"}
_VERSION: Final = version("nodewright")


def write_head(view: View, revision: int) -> Head:
    """Write the head of a view."""
    head, money, origin = view.head, view.money, view.origin
    is_priced = money.unpriced < head.nodes + head.claims or not head.nodes + head.claims
    total = money.total_nanousd_hour if is_priced else None
    per_month = None if total is None else total * HOURS_A_MONTH
    kinds = {"spot": head.spot, "on-demand": head.on_demand, "reserved": head.reserved}
    return Head(
        cluster=origin.name,
        region=origin.region,
        source=_SOURCES.get(origin.kind, "live"),
        version=_VERSION,
        kubernetes=origin.kubernetes,
        leader=origin.leader,
        at=write_instant(view.now_ms) or "",
        revision=revision,
        currency=currency_of(origin.region) if origin.region else "USD",
        nodes=head.nodes,
        capacity_types={name: count for name, count in kinds.items() if count},
        pods=head.pods,
        pods_pending=head.pods_pending,
        cpu=_share(head.cpu, "cpu"),
        memory=_share(head.memory, "memory"),
        price_per_hour=write_money(total),
        price_per_month=write_money(per_month),
        price_is_estimate=bool(money.estimated),
        nodes_without_price=money.unpriced,
        idle_per_hour=write_money(money.infra_idle_nanousd_hour) if is_priced else None,
        saved_today=write_money(money.saved_today_nanousd),
    )


def _share(amount: Amount, resource: str) -> Share:
    return Share(
        requested=show_amount(amount.requested, resource),
        allocatable=show_amount(amount.allocatable, resource),
        requested_percent=requested_percent(amount),
        used_percent=used_percent(amount),
    )
