"""Where the money goes: what nodes cost, shared out by what their pods ask for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.cost import Prices
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.pod import Workload
from nodewright.model.world import World
from nodewright.observe.money import is_same_list
from nodewright.view.nodes import Part
from nodewright.view.usage import Used
from nodewright.view.values import Nano, PoolRow, SpendRow

WORKLOADS_MAX: Final = 1_000
OTHERS: Final = "others"
_REPLICA_SET: Final = "ReplicaSet"


class Market:
    """The price list of the latest World that had one, read once for as long as it stays the same."""

    def __init__(self) -> None:
        self._listed: World | None = None
        self._estimates: dict[tuple[str, str, str, str], bool] = {}
        self.prices = Prices(World(now_ms=0))

    def learn(self, world: World) -> None:
        """Take note of what is on sale, where a World has that."""
        if not world.instance_types:
            return
        if self._listed is None or not is_same_list(self._listed, world):
            self.prices = Prices(world)
            self._estimates = {}
        # Only what prices are made of is kept: a World holds a whole cluster.
        self._listed = World(
            now_ms=world.now_ms,
            node_pools=world.node_pools,
            node_overlays=world.node_overlays,
            instance_types=world.instance_types,
            options=world.options,
        )

    def is_estimate(self, labels: Mapping[str, str]) -> bool:
        """Tell whether the price of a node with these labels is only an estimate."""
        pool, name = labels.get(NODEPOOL, ""), labels.get(INSTANCE_TYPE, "")
        key = (pool, name, labels.get(ZONE, ""), labels.get(CAPACITY_TYPE, ""))
        if key not in self._estimates:
            found = self.prices.type_of(pool, name)
            self._estimates[key] = found is not None and any(
                one.price_is_estimate
                for one in found.offerings
                if (one.zone, one.capacity_type) == key[2:]
            )
        return self._estimates[key]


class Spent(msgspec.Struct):
    """Sums while a bill is added up."""

    price: Nano = 0
    pods: int = 0


class Ledger:
    """Shares out what nodes cost, by workload."""

    def __init__(self, replica_sets: Sequence[Workload]) -> None:
        self.workloads: dict[str, Spent] = {}
        self.idle_of_workloads: Nano = 0
        self._deployments = {
            f"{one.metadata.namespace or 'default'}/{_REPLICA_SET}/{one.metadata.name}": owner.name
            for one in replica_sets
            for owner in one.metadata.owner_references[:1]
            if owner.kind == "Deployment"
        }

    def enter(self, part: Part, price: Nano) -> Nano:
        """Take note of a node with its price; give what of it nobody asks for."""
        shares = part.share_out(price)
        for name, (_, pods) in part.weights.items():
            spent = self.workloads.get(name)
            if spent is None:
                spent = self.workloads[name] = Spent()
            spent.price += shares.get(name, 0)
            spent.pods += pods
        return price - sum(shares.values())

    def enter_use(self, part: Part, price: Nano, used: Used) -> None:
        """Take note of what a node's pods ask for and do not use."""
        unused = 0.0
        for asked, used_now, room in (
            (part.cpu, used.cpu, part.cpu_room),
            (part.memory, used.memory, part.memory_room),
        ):
            if room > 0:
                unused += max(0, min(asked, room) - used_now) / room / 2
        self.idle_of_workloads += int(price * unused)

    def by_workload(self) -> tuple[SpendRow, ...]:
        """Give what workloads cost, dearest first; of a great many the rest is one row."""
        named: dict[str, Spent] = {}
        for name, spent in self.workloads.items():
            _merge(named, self._workload(name), spent)
        return _rows(named)

    def by_namespace(self) -> tuple[SpendRow, ...]:
        """Give what namespaces cost, dearest first."""
        spaces: dict[str, Spent] = {}
        for name, spent in self.workloads.items():
            _merge(spaces, name.partition("/")[0], spent)
        return _rows(spaces)

    def _workload(self, name: str) -> str:
        """Name a workload as people do: by its Deployment, where it is one's ReplicaSet."""
        owner = self._deployments.get(name)
        return f"{name.partition('/')[0]}/Deployment/{owner}" if owner is not None else name


def by_pool(pools: Iterable[PoolRow]) -> tuple[SpendRow, ...]:
    """Give what pools cost, dearest first."""
    rows = [
        SpendRow(
            one.name,
            one.price_nanousd_hour,
            one.idle_nanousd_hour,
            nodes=one.nodes + one.claims,
            unpriced=one.unpriced,
        )
        for one in pools
    ]
    return tuple(sorted(rows, key=lambda one: (-one.price_nanousd_hour, one.name)))


def _merge(into: dict[str, Spent], name: str, spent: Spent) -> None:
    found = into.get(name)
    if found is None:
        found = into[name] = Spent()
    found.price += spent.price
    found.pods += spent.pods


def _rows(named: Mapping[str, Spent]) -> tuple[SpendRow, ...]:
    ordered = sorted(named.items(), key=lambda pair: (-pair[1].price, pair[0]))
    rows = [SpendRow(name, one.price, pods=one.pods) for name, one in ordered[:WORKLOADS_MAX]]
    rest = [one for _, one in ordered[WORKLOADS_MAX:]]
    if rest:
        price, pods = sum(one.price for one in rest), sum(one.pods for one in rest)
        rows.append(SpendRow(f"{len(rest)} {OTHERS}", price, pods=pods))
    return tuple(rows)
