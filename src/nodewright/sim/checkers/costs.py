"""A promise about money: what a cluster is said to cost is the sum over its machines, whatever happens.

The sum is made here once more, machine by machine from the market's own prices, and held against the
bill that metrics, status and screens show: at every change of what is paid for, and once a minute with all
pods. Where machines are many, those that change together are added up together, a few seconds later. A
total that is carried along instead of added up drifts with moving spot prices, and falls below zero when an
end is seen twice.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.disruption.cost import Prices
from nodewright.core.money import add_up
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, REGISTERED, ZONE
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS
from nodewright.model.world import World
from nodewright.sim.apiserver import DELETED, MODIFIED, Change
from nodewright.sim.checkers.checker import Checker, Scene

_GATHER_MS: Final = 5_000
_FEW: Final = 100


class CostTotal(Checker):
    """The bill is the sum over the machines that are there, and nothing on it is below zero."""

    name = "cost-total"

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._listed: tuple[int, tuple[str, ...], Prices] | None = None
        self._is_due = False
        self._compared_at: tuple[int, int] | None = None
        self._change_count = 0
        self._machines: tuple[tuple[Node, ...], tuple[NodeClaim, ...]] | None = None
        self.api.listen(NODES, self._changed)
        self.api.listen(NODE_CLAIMS, self._changed)
        self.api.listen(NODE_POOLS, self._pool_changed)
        self.api.listen(PODS, self._pod_changed)

    def look(self) -> None:
        """Compare with all pods, after any of them or the prices have changed."""
        now = (self._change_count, self.scene.ec2.market.step(self.loop.now_ms()))
        if now != self._compared_at:
            self._compared_at = now
            self._compare(tuple(self.api.each(PODS)))

    def told(self, world: World, prices: Prices) -> int:
        """Give what the cluster is said to cost."""
        bill = add_up(world, prices)
        if bill.idle < 0 or min(bill.namespaces.values(), default=0) < 0:
            self.complain(f"a part of the bill is below zero: {bill}")
        if sum(bill.namespaces.values()) + bill.idle != bill.total:
            self.complain(f"the parts of the bill are not the whole: {bill}")
        return bill.total

    def _pool_changed(self, change: Change) -> None:
        if change.verb != MODIFIED:
            self._paid_otherwise()

    def _pod_changed(self, change: Change) -> None:
        old, new = change.old, change.new
        # A pod whose spec was not touched still has the same one.
        if (
            change.verb != MODIFIED
            or old.spec is not new.spec
            or old.status.phase != new.status.phase
        ):
            self._change_count += 1

    def _changed(self, change: Change) -> None:
        self._machines = None
        # Most changes are about other things than what is paid for.
        if change.verb == DELETED or _paid_for(change.old) != _paid_for(change.new):
            self._paid_otherwise()

    def _paid_otherwise(self) -> None:
        self._change_count += 1
        if max(self.api.count(NODES), self.api.count(NODE_CLAIMS)) <= _FEW:
            self._compare(())
        elif not self._is_due:
            # A thousand nodes that come together are added up a few times, not a thousand.
            self._is_due = True
            self.loop.after_ms(_GATHER_MS, self._compare_now)

    def _compare_now(self) -> None:
        self._is_due = False
        self._compare(())

    def _compare(self, pods: tuple[Pod, ...]) -> None:
        if self._machines is None:
            # The same objects as long as none of them changes: what is made of them is known then.
            self._machines = (tuple(self.api.each(NODES)), tuple(self.api.each(NODE_CLAIMS)))
        nodes, claims = self._machines
        world = World(
            now_ms=self.loop.now_ms(),
            pods=pods,
            nodes=nodes,
            node_claims=claims,
            node_pools=tuple(self.api.each(NODE_POOLS)),
        )
        said, real = self.told(world, self._prices(world)), sum(self._each_price(world))
        if said != real:
            self.complain(
                f"the cluster is said to cost {said} nano-dollars an hour, and costs {real}"
            )

    def _prices(self, world: World) -> Prices:
        market = self.scene.ec2.market
        step = market.step(world.now_ms)
        pools = tuple(one.metadata.name for one in world.node_pools)
        if self._listed is None or self._listed[:2] != (step, pools):
            types = market.instance_types(world.now_ms)
            listed = World(now_ms=world.now_ms, instance_types=dict.fromkeys(pools, types))
            self._listed = (step, pools, Prices(listed))
        return self._listed[2]

    def _each_price(self, world: World) -> Iterator[int]:
        """Give what each machine costs that a claim or a node stands for."""
        market = self.scene.ec2.market
        pools = {one.metadata.name for one in world.node_pools}
        machines = {
            one.status.provider_id: one.metadata.labels
            for one in world.node_claims
            if one.status.provider_id
        }
        for node in world.nodes:
            # Before a node is registered, its claim knows best what it is.
            name, labels = node.spec.provider_id or node.metadata.name, node.metadata.labels
            if name not in machines or labels.get(REGISTERED) == "true":
                machines[name] = labels
        for labels in machines.values():
            key = (
                labels.get(INSTANCE_TYPE, ""),
                labels.get(ZONE, ""),
                labels.get(CAPACITY_TYPE, ""),
            )
            if labels.get(NODEPOOL) in pools and market.has(key):
                yield market.price(key, world.now_ms)


def _paid_for(thing: Node | NodeClaim | None) -> object:
    """Give what of an object a bill looks at."""
    match thing:
        case NodeClaim():
            return (thing.metadata.labels, thing.status.provider_id)
        case Node():
            return (thing.metadata.labels, thing.spec.provider_id)
        case None:
            return None
