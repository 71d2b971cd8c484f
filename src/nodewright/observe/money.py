"""Metrics of money: the bill of what is there, and what commands that have ended changed about it.

The bill is added up anew for each page from the machines that are there. Prices are those of the latest
World that had any. What a command saved is known when the last of its nodes is gone: what those cost,
less what the nodes cost that were made for them, as they really are.
"""

from collections.abc import Callable, Mapping
from typing import Final

from nodewright.core.disruption.cost import Prices
from nodewright.core.money import Bill, add_up
from nodewright.model.command import read_record
from nodewright.model.instance import NANO
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.world import World
from nodewright.observe.families_money import COST, NAMESPACES_MAX
from nodewright.observe.page import Page

OTHER: Final = "other"
_COMMANDS_MAX: Final = 10_000

type Add = Callable[..., None]


class Money:
    """Knows prices, writes the bill and sums up what was saved."""

    def __init__(self, add: Add) -> None:
        self._add = add
        self._listed: World | None = None
        self._prices: tuple[World, Prices] | None = None
        self._unpriced: set[str] = set()
        self._gone: dict[str, int] = {}

    def learn(self, world: World) -> None:
        """Take note of what is on sale, where a World has that."""
        if world.instance_types:
            # Only what prices are made of is kept: a World holds a whole cluster.
            self._listed = World(
                now_ms=world.now_ms,
                node_pools=world.node_pools,
                node_overlays=world.node_overlays,
                instance_types=world.instance_types,
                options=world.options,
            )

    def bill(self, world: World) -> Bill | None:
        """Give the bill of a World; nothing while no prices are known."""
        prices = self._price_list()
        return None if prices is None else add_up(world, prices)

    def fill(self, page: Page, world: World) -> None:
        """Write the bill."""
        bill = self.bill(world)
        if bill is None:
            return
        page.set("nodewright_cost_per_hour", bill.total / NANO)
        for pool, one in bill.pools.items():
            page.set(COST, one.price / NANO, (pool,))
            page.set("nodewright_idle_cost_per_hour", one.idle / NANO, (pool,))
            page.set("nodewright_nodes_without_price", one.unpriced, (pool,))
            if one.unpriced and pool not in self._unpriced:
                self._add("karpenter_nodepools_cost_tracker_errors_total", one.unpriced, pool)
        self._unpriced = {pool for pool, one in bill.pools.items() if one.unpriced}
        for namespace, amount in narrow(bill.namespaces).items():
            page.set("nodewright_namespace_cost_per_hour", amount / NANO, (namespace,))

    def gone(self, claim: NodeClaim, world: World) -> None:
        """Take note of a machine that is gone; the last one of a command tells what it saved."""
        record, prices = read_record(claim), self._price_list()
        if record is None or prices is None:
            return
        cost = prices.of(claim.metadata.labels)
        if cost is None:
            return
        if len(self._gone) >= _COMMANDS_MAX:
            self._gone.clear()
        total = self._gone.pop(record.id, 0) + cost
        others = (one for one in world.node_claims if one.metadata.name != claim.metadata.name)
        if any(known.id == record.id for known in map(read_record, others) if known is not None):
            self._gone[record.id] = total
            return
        made = [one for one in world.node_claims if one.metadata.name in record.replacements]
        saved = total - sum(prices.of(one.metadata.labels) or 0 for one in made)
        row = (record.reason.lower(), claim.metadata.labels.get(NODEPOOL, ""))
        if saved >= 0:
            self._add("nodewright_savings_per_hour_total", saved / NANO, *row)
        else:
            self._add("nodewright_surcharges_per_hour_total", -saved / NANO, *row)

    def _price_list(self) -> Prices | None:
        listed = self._listed
        if listed is None:
            return None
        if self._prices is None or not is_same_list(self._prices[0], listed):
            self._prices = (listed, Prices(listed))
        return self._prices[1]


def narrow(namespaces: Mapping[str, int], most: int = NAMESPACES_MAX) -> dict[str, int]:
    """Give the dearest namespaces, and the rest in one sum."""
    ordered = sorted(namespaces.items(), key=lambda pair: (-pair[1], pair[0]))
    kept, rest = dict(ordered[:most]), ordered[most:]
    if rest:
        kept[OTHER] = kept.get(OTHER, 0) + sum(amount for _, amount in rest)
    return kept


def is_same_list(before: World, now: World) -> bool:
    """Tell whether the same prices hold in two Worlds, without reading them."""
    has_overlays = bool(before.node_overlays or now.node_overlays)
    if has_overlays and (
        before.node_overlays is not now.node_overlays or before.node_pools is not now.node_pools
    ):
        return False
    mine, others = before.instance_types, now.instance_types
    return mine.keys() == others.keys() and all(mine[pool] is others[pool] for pool in mine)
