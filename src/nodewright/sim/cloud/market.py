"""What is on sale: for each type, zone and way to buy, a price that may move and a depth that ends.

Spot prices wander around their list price and never pass on-demand. Each offering has a chance of
its own and is brought up to date when somebody looks, so that looking changes nothing for others.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.model.instance import InstanceType, NanoUSD, Offering
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.sim.chance import Chance, Stream

type OfferingKey = tuple[str, str, str]
"""Instance type, zone, capacity type."""

DEEP: Final = 1_000_000
STEP_MS: Final = 600_000
_PULL: Final = 0.08
_SWING: Final = 0.03
_FLOOR: Final = 0.5
_CEILING: Final = 1.6


class MarketSettings(msgspec.Struct, frozen=True):
    """How deep the market is and how much it moves.

    `depth` is how many machines each offering has; `depths` names single ones as
    `type/zone/capacityType`, where `*` stands for any.
    """

    depth: int = DEEP
    depths: Mapping[str, int] = {}
    spot_moves: bool = True


class _Pool:
    """One offering."""

    __slots__ = ("base", "depth", "factor", "step", "stream", "top")

    def __init__(self, base: int, depth: int, stream: Stream) -> None:
        self.base = base
        self.top: int | None = None
        self.depth = depth
        self.factor = 1.0
        self.step = 0
        self.stream = stream


class Market:
    """Prices and depths of all offerings."""

    def __init__(
        self, types: Iterable[InstanceType], settings: MarketSettings, chance: Chance, now_ms: int
    ) -> None:
        self.types = {one.name: one for one in types}
        self._settings = settings
        self._start_ms = now_ms
        self._pools: dict[OfferingKey, _Pool] = {}
        self._listed: tuple[int, tuple[InstanceType, ...]] | None = None
        for one in self.types.values():
            for offering in one.offerings:
                key = (one.name, offering.zone, offering.capacity_type)
                stream = chance.stream(f"market/{'/'.join(key)}")
                self._pools[key] = _Pool(offering.price, self._depth(key), stream)
        for (name, zone, kind), pool in self._pools.items():
            dear = self._pools.get((name, zone, ON_DEMAND))
            if kind == SPOT and dear is not None:
                pool.top = dear.base

    def has(self, key: OfferingKey) -> bool:
        """Tell whether something is sold at all."""
        return key in self._pools

    def step(self, now_ms: int) -> int:
        """Tell how often prices have moved by an instant."""
        return (now_ms - self._start_ms) // STEP_MS

    def price(self, key: OfferingKey, now_ms: int) -> NanoUSD:
        """Give today's price."""
        pool = self._pools[key]
        if key[2] != SPOT or not self._settings.spot_moves:
            return NanoUSD(pool.base)
        step = self.step(now_ms)
        while pool.step < step:
            pool.step += 1
            drift = _PULL * (1.0 - pool.factor) + _SWING * pool.stream.normal()
            pool.factor = round(min(max(pool.factor + drift, _FLOOR), _CEILING), 6)
        price = int(pool.base * pool.factor)
        return NanoUSD(price if pool.top is None else min(price, pool.top))

    def depth(self, key: OfferingKey) -> int:
        """Tell how many machines are left."""
        pool = self._pools.get(key)
        return pool.depth if pool is not None else 0

    def take(self, key: OfferingKey, count: int = 1) -> None:
        """Take machines out of an offering, or give them back with a negative count."""
        self._pools[key].depth -= count

    def set_depth(self, key: OfferingKey, depth: int) -> None:
        """Say how many machines an offering has left."""
        if key in self._pools:
            self._pools[key].depth = depth

    def instance_types(self, now_ms: int) -> tuple[InstanceType, ...]:
        """Give every type with today's prices; what is sold out is not told to anybody."""
        step = self.step(now_ms) if self._settings.spot_moves else 0
        if self._listed is None or self._listed[0] != step:
            # Whoever asks twice between two moves gets the same objects, and can tell so at once.
            self._listed = (step, tuple(self._repriced(one, now_ms) for one in self.types.values()))
        return self._listed[1]

    def _repriced(self, one: InstanceType, now_ms: int) -> InstanceType:
        offerings: list[Offering] = []
        for offering in one.offerings:
            if offering.capacity_type == SPOT:
                price = self.price((one.name, offering.zone, SPOT), now_ms)
                offerings.append(msgspec.structs.replace(offering, price=price))
            else:
                offerings.append(offering)
        return msgspec.structs.replace(one, offerings=tuple(offerings))

    def _depth(self, key: OfferingKey) -> int:
        for pattern, depth in self._settings.depths.items():
            parts = pattern.split("/")
            if all(want in ("*", have) for want, have in zip(parts, key, strict=True)):
                return depth
        return self._settings.depth
