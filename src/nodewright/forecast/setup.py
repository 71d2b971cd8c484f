"""What a forecast is made of beside its workload: pools, what is on sale, and how the cloud behaves.

The cloud's model is stated, not measured. A spot machine is taken back at a random time around the mean of
its rate, half of them with a hint ten minutes before, all with a warning of two. Offerings run out and come
back: each is sold out for the given share of the time, about half an hour at a time. Spot prices wander
around those of the list.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.catalog.resolve import instance_types_for
from nodewright.catalog.settings import NodeSettings, SubnetZone
from nodewright.core.scheduling.pools import pool_requirements
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType, NanoUSD
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.model.nodepool import NodePool
from nodewright.model.requirements import BadRequirement
from nodewright.sim.cloud.ec2 import Ec2Settings
from nodewright.sim.cloud.market import DEEP, MarketSettings
from nodewright.sim.simulation import Settings, Simulation

CODE: Final = "NW-9405"
SHORT_MS: Final = 30 * 60_000
HISTORY_LINES: Final = 1_000
ZONES_MAX: Final = 3
_CLASS: Final = {
    "apiVersion": "karpenter.k8s.aws/v1",
    "kind": "EC2NodeClass",
    "metadata": {"name": "default"},
    "spec": {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "KarpenterNodeRole",
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "forecast"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "forecast"}}],
    },
}


class CloudModel(msgspec.Struct, frozen=True, rename="camel"):
    """How the cloud behaves: interruptions of a spot machine per hour, and the share that is sold out.

    `spot_price_share` is what spot costs of on-demand, where the price list does not know it.
    """

    interruptions_per_hour: float = 0.002
    sold_out_share: float = 0.02
    spot_price_share: float = 0.4
    spot_moves: bool = True


class Setup(msgspec.Struct, frozen=True):
    """Where a workload is run."""

    objects: tuple[Mapping[str, Any], ...]
    region: str = "us-east-1"
    zones: tuple[str, ...] = ("us-east-1a", "us-east-1b", "us-east-1c")
    cloud: CloudModel = CloudModel()


def default_objects() -> tuple[Mapping[str, Any], ...]:
    """Give the pools of somebody who has none: general machines of two generations, and GPUs."""
    general = [
        _in("karpenter.k8s.aws/instance-family", *_FAMILIES),
        _in("karpenter.k8s.aws/instance-size", *_SIZES),
        _in("karpenter.sh/capacity-type", "spot", "on-demand"),
    ]
    gpus = [
        _in("karpenter.k8s.aws/instance-family", "g4dn", "g5", "g6"),
        _in("karpenter.sh/capacity-type", "spot", "on-demand"),
    ]
    return (_CLASS, _pool("default", general, 10), _pool("gpu", gpus, 1))


_FAMILIES: Final = ("c6i", "m6i", "r6i", "c7i", "m7i", "r7i", "c6a", "m6a", "r6a")
_SIZES: Final = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge")


def _in(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


def _pool(name: str, requirements: Sequence[Mapping[str, Any]], weight: int) -> Mapping[str, Any]:
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {
            "weight": weight,
            "template": {"spec": {"nodeClassRef": reference, "requirements": list(requirements)}},
        },
    }


def zones_of(region: str) -> tuple[str, ...]:
    """Give the zones of a region in which machines are looked for: the first three."""
    found = {offer.zone for one in instance_types_for(region) for offer in one.offerings}
    return tuple(sorted(found)[:ZONES_MAX])


def read_pools(setup: Setup) -> tuple[NodePool, ...]:
    """Give the NodePools among the objects."""
    try:
        return tuple(
            msgspec.convert(one, NodePool, strict=False)
            for one in setup.objects
            if one.get("kind") == "NodePool"
        )
    except msgspec.ValidationError as error:
        raise UserError(f"a NodePool cannot be read: {error}", code=CODE) from None


def types_on_sale(setup: Setup) -> tuple[InstanceType, ...]:
    """Give the types of the region that some pool could use: the others change nothing."""
    pools = read_pools(setup)
    if not pools:
        raise UserError("there is no NodePool among the objects", code=CODE)
    zones = tuple(SubnetZone(zone) for zone in setup.zones)
    every = instance_types_for(setup.region, NodeSettings(zones=zones))
    try:
        wanted = [pool_requirements(pool) for pool in pools]
    except BadRequirement as error:
        raise UserError(f"a NodePool's requirements cannot be read: {error}", code=CODE) from None
    found = tuple(
        _with_spot(one, setup.cloud.spot_price_share)
        for one in every
        if any(one.requirements.conflict(requirements) is None for requirements in wanted)
    )
    if not found:
        advice = "look at their requirements with `nodewright catalog`"
        raise UserError("no instance type fits any NodePool", code=CODE, advice=advice)
    return found


def _with_spot(one: InstanceType, share: float) -> InstanceType:
    """Give a type with spot prices that were estimated set to their share of on-demand."""
    dear = {offer.zone: offer.price for offer in one.offerings if offer.capacity_type == ON_DEMAND}
    offers = tuple(
        msgspec.structs.replace(offer, price=NanoUSD(round(dear[offer.zone] * share)))
        if offer.capacity_type == SPOT and offer.price_is_estimate and offer.zone in dear
        else offer
        for offer in one.offerings
    )
    return msgspec.structs.replace(one, offerings=offers)


def settings_of(setup: Setup, types: tuple[InstanceType, ...], seed: int) -> Settings:
    """Give the settings of a simulation."""
    return Settings(
        seed=seed,
        types=types,
        zones=setup.zones,
        market=MarketSettings(spot_moves=setup.cloud.spot_moves),
        ec2=Ec2Settings(spot_interruptions_per_hour=setup.cloud.interruptions_per_hour),
        checkers=(),
        history_lines_max=HISTORY_LINES,
    )


class Shortages:
    """Has offerings run out and come back."""

    def __init__(self, sim: Simulation, share: float) -> None:
        self._sim = sim
        self._chance = sim.ground.chance.stream("shortages")
        self._keys = sorted(
            (one.name, offering.zone, offering.capacity_type)
            for one in sim.market.types.values()
            for offering in one.offerings
        )
        self._every_ms = SHORT_MS / (share * len(self._keys)) if share > 0 and self._keys else 0.0
        if self._every_ms:
            self._next()

    def _next(self) -> None:
        wait_ms = 2 * self._every_ms * self._chance.fraction()
        self._sim.loop.after_ms(max(1, round(wait_ms)), self._strike)

    def _strike(self) -> None:
        key = self._chance.choose(self._keys)
        if self._sim.market.depth(key) > 0:
            self._sim.market.set_depth(key, 0)
            lasts_ms = round(2 * SHORT_MS * self._chance.fraction())
            self._sim.loop.after_ms(lasts_ms, self._sim.market.set_depth, key, DEEP)
        self._next()
