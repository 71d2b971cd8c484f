"""Money: what the machines of a World cost, for whom, and how much of it nobody asked for.

The bill is added up from the machines that are there, each time anew: nothing is carried over, so it
cannot drift, and it cannot fall below zero. A machine counts from its launch until its claim is gone.
What a node costs is shared out among its pods by what they ask for, half by cores and half by memory; the
rest is idle. What a price list does not know is counted, and not taken for free.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.disruption.cost import Prices
from nodewright.core.recall import Recall
from nodewright.core.scheduling.hosts import Joined, join
from nodewright.core.scheduling.requests import pod_requests
from nodewright.model.instance import NanoUSD
from nodewright.model.pod import Pod
from nodewright.model.quantity import BadQuantity, Milli
from nodewright.model.world import World

_TERMINAL: Final = ("Succeeded", "Failed")
_SHARED: Final = ("cpu", "memory")
_weights: Final = Recall[tuple[Mapping[str, int], int]](2_500)


class Spend(msgspec.Struct, frozen=True):
    """What the machines of one pool cost an hour, the part that is idle, and how many have no price."""

    nodes: int = 0
    price: NanoUSD = NanoUSD(0)
    idle: NanoUSD = NanoUSD(0)
    unpriced: int = 0


class Bill(msgspec.Struct, frozen=True):
    """What a cluster costs an hour: by pool, and by the namespaces whose pods ask for it."""

    pools: Mapping[str, Spend] = {}
    namespaces: Mapping[str, NanoUSD] = {}

    @property
    def total(self) -> NanoUSD:
        """What everything costs."""
        return NanoUSD(sum(one.price for one in self.pools.values()))

    @property
    def idle(self) -> NanoUSD:
        """What is paid for and not asked for."""
        return NanoUSD(sum(one.idle for one in self.pools.values()))

    @property
    def unpriced(self) -> int:
        """How many machines have no known price."""
        return sum(one.unpriced for one in self.pools.values())


def add_up(world: World, prices: Prices) -> Bill:
    """Give the bill of a World; pools without machines are on it with nothing."""
    pools = {pool.metadata.name: Spend() for pool in world.node_pools}
    namespaces: dict[str, int] = {}
    pods = _by_node(world.pods)
    for one in join(world):
        pool = one.pool
        if not pool or not is_paid(one):
            continue
        before = pools.get(pool, Spend())
        price = prices.of(one.labels())
        if price is None:
            pools[pool] = Spend(before.nodes + 1, before.price, before.idle, before.unpriced + 1)
            continue
        here = pods.get(one.node.metadata.name, ()) if one.node is not None else ()
        shares = _share_out(price, one, here)
        for namespace, amount in shares.items():
            namespaces[namespace] = namespaces.get(namespace, 0) + amount
        idle = price - sum(shares.values())
        pools[pool] = Spend(
            before.nodes + 1,
            NanoUSD(before.price + price),
            NanoUSD(before.idle + idle),
            before.unpriced,
        )
    paid = {name: NanoUSD(amount) for name, amount in sorted(namespaces.items())}
    return Bill(dict(sorted(pools.items())), paid)


def is_paid(one: Joined) -> bool:
    """Tell whether there is a machine: a claim alone is only the wish for one."""
    return one.node is not None or (one.claim is not None and bool(one.claim.status.provider_id))


def _by_node(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    found: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.spec.node_name and pod.status.phase not in _TERMINAL:
            found.setdefault(pod.spec.node_name, []).append(pod)
    return found


def _share_out(price: NanoUSD, one: Joined, pods: Sequence[Pod]) -> dict[str, int]:
    """Share what a node costs out among namespaces; together they never get more than it costs."""
    if not pods:
        return {}
    # Prices move and pods mostly stay: who asks for how much is found out once.
    asked, full = _weights.of((one.node, one.claim, *pods), lambda: _weigh_all(one, pods))
    return {namespace: price * weight // full for namespace, weight in asked.items() if weight}


def _weigh_all(one: Joined, pods: Sequence[Pod]) -> tuple[Mapping[str, int], int]:
    """Tell how much each namespace asks for of a node, and of how much that is a part."""
    try:
        whole = one.amounts("allocatable")
    except BadQuantity:
        return {}, 1
    rooms = [whole.get(name, 0) for name in _SHARED]
    if min(rooms) <= 0:
        return {}, 1
    asked: dict[str, int] = {}
    for pod in pods:
        namespace = pod.metadata.namespace or "default"
        asked[namespace] = asked.get(namespace, 0) + _weigh(pod, rooms)
    return asked, full_weight(rooms[0], rooms[1], sum(asked.values()))


def _weigh(pod: Pod, rooms: list[Milli]) -> int:
    try:
        requests = pod_requests(pod.spec, pod.status)
    except BadQuantity:
        return 0
    return weigh(requests.get("cpu", 0), requests.get("memory", 0), rooms[0], rooms[1])


def weigh(cores: Milli, memory: Milli, cores_room: Milli, memory_room: Milli) -> int:
    """Weigh what is asked of a node: half by cores and half by memory, in parts of both together."""
    return cores * memory_room + memory * cores_room


def full_weight(cores_room: Milli, memory_room: Milli, asked: int) -> int:
    """Give what all of a node weighs; pods that ask for more than there is share what there is."""
    return max(2 * cores_room * memory_room, asked)
