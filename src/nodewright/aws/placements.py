"""Placement groups of classes: which one a class means, and how machines lie in it.

What EC2 said is good for a minute. While it is silent, what it said within a day is still taken: a group
does not change but by being deleted.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import DESCRIBE_PLACEMENT_GROUPS
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.keeping import Kept
from nodewright.aws.terms import a_filter
from nodewright.catalog.settings import NodeSettings
from nodewright.model.ec2nodeclass_terms import PlacementGroupSelector
from nodewright.ports.clock import Clock

FRESH_MS: Final = 60_000
OUTAGE_MS: Final = 24 * 3_600_000
PARTITION: Final = "partition"


class PlacementGroup(msgspec.Struct, frozen=True):
    """A placement group as EC2 describes it; partitions are counted where it has some."""

    group_id: str
    name: str
    strategy: str
    partition_count: int = 0


class PlacementGroups:
    """Finds the placement groups of classes."""

    def __init__(self, gateway: Gateway, clock: Clock) -> None:
        self._gateway = gateway
        self._kept: Kept[PlacementGroupSelector, PlacementGroup] = Kept(clock)

    async def find(self, selector: PlacementGroupSelector) -> PlacementGroup | Fault | None:
        """Give the group that a class means; nothing where there is none."""
        fresh = self._kept.get(selector, FRESH_MS)
        if fresh is not None:
            return fresh
        found = await self._gateway.ask_all(
            DESCRIBE_PLACEMENT_GROUPS, _question(selector), "PlacementGroups"
        )
        if isinstance(found, Fault):
            return (found.is_passing and self._kept.get(selector, OUTAGE_MS)) or found
        # By filter and not by name, so that one that is not there is no error.
        if not found:
            self._kept.drop(selector)
            return None
        group = _read(found[0])
        self._kept.put(selector, group)
        return group


def settings_in(settings: NodeSettings, group: PlacementGroup | None) -> NodeSettings:
    """Give what types are to a class whose machines lie in a group."""
    if group is None:
        return settings
    return msgspec.structs.replace(
        settings,
        placement_strategy=group.strategy,
        placement_group=group.group_id,
        placement_partitions=group.partition_count,
    )


def _question(selector: PlacementGroupSelector) -> dict[str, Any]:
    by_name = selector.id is None
    name, value = ("group-name", selector.name) if by_name else ("group-id", selector.id)
    return {"Filters": [a_filter(name, value or ""), a_filter("state", "available")]}


def _read(description: Mapping[str, Any]) -> PlacementGroup:
    return PlacementGroup(
        group_id=str(description["GroupId"]),
        name=str(description.get("GroupName", "")),
        strategy=str(description.get("Strategy", "")),
        partition_count=int(description.get("PartitionCount") or 0),
    )
