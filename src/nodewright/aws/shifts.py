"""Zonal shifts: zones that somebody moves a cluster away from get no machines meanwhile.

A shift is about a zone by its id, which is the same in every account, while offerings and subnets are
named by its name, which is not: the subnets of a class tell which is which. What ARC said is good for
half a minute; while it is silent, what it said within the hour still holds. Machines in such a zone are
left alone: nothing that is said of them there can be relied on.
"""

import logging
from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.aws.calls import DESCRIBE_CLUSTER, GET_MANAGED_RESOURCE
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.keeping import Kept
from nodewright.model.ec2nodeclass import SubnetStatus
from nodewright.model.instance import InstanceType, Offering
from nodewright.ports.clock import Clock

FRESH_MS: Final = 30_000
OUTAGE_MS: Final = 3_600_000
_log: Final = logging.getLogger("nodewright.aws")


class ZonalShifts:
    """Knows the zones that a cluster is being moved away from."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: str) -> None:
        self._gateway = gateway
        self._cluster = cluster
        self._arn = ""
        self._kept: Kept[str, frozenset[str]] = Kept(clock)
        self._said = ""
        self._names: dict[str, str] = {}

    async def zones(self, subnets: Iterable[SubnetStatus]) -> frozenset[str]:
        """Name the zones of subnets in which nothing is to be started."""
        shifted = await self._zone_ids()
        known = tuple(subnets)
        self._names.update({one.zone: one.zone_id for one in known})
        return frozenset(one.zone for one in known if one.zone_id in shifted)

    async def has(self, zone: str) -> bool:
        """Tell whether machines in a zone are to be left alone."""
        zone_id = self._names.get(zone)
        return zone_id is not None and zone_id in await self._zone_ids()

    async def _zone_ids(self) -> frozenset[str]:
        fresh = self._kept.get(self._cluster, FRESH_MS)
        if fresh is not None:
            return fresh
        found = await self._ask()
        if not isinstance(found, Fault):
            self._said = ""
            self._kept.put(self._cluster, found)
            return found
        if found.code != self._said:
            # What a policy does not allow is the same a minute later: once is enough.
            _log.warning("zones that the cluster is shifted away from are not known: %s", found)
            self._said = found.code
        return self._kept.get(self._cluster, OUTAGE_MS) or frozenset()

    async def _ask(self) -> frozenset[str] | Fault:
        if not self._arn:
            described = await self._gateway.ask(DESCRIBE_CLUSTER, {"name": self._cluster})
            if isinstance(described, Fault):
                return described
            self._arn = str(described["cluster"]["arn"])
        answer = await self._gateway.ask(GET_MANAGED_RESOURCE, {"resourceIdentifier": self._arn})
        if isinstance(answer, Fault):
            return answer
        weights = answer.get("appliedWeights") or {}
        return frozenset(zone for zone, weight in weights.items() if weight == 0)


def leave_zones(types: tuple[InstanceType, ...], zones: frozenset[str]) -> tuple[InstanceType, ...]:
    """Give the types with nothing on sale in some zones."""
    if not zones:
        return types

    def closed(one: Offering) -> Offering:
        return msgspec.structs.replace(one, available=False) if one.zone in zones else one

    return tuple(
        msgspec.structs.replace(one, offerings=tuple(map(closed, one.offerings))) for one in types
    )
