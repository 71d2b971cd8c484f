"""Instances of EC2 as machines: read, listed, looked up and given back."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import batched
from typing import Any, Final

from nodewright.aws.batch import Batch
from nodewright.aws.calls import DESCRIBE_INSTANCES, TERMINATE_INSTANCES
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.tags import CLUSTER_NAME, read_tags
from nodewright.aws.terms import a_filter
from nodewright.model.labels import (
    EC2NODECLASS,
    NODEPOOL,
    ON_DEMAND,
    PLACEMENT_GROUP_ID,
    PLACEMENT_GROUP_PARTITION,
    RESERVATION_ID,
    RESERVED,
    SPOT,
)
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import Ended, Machine

SCHEME: Final = "aws:///"
_PREFERENCE: Final = "CapacityReservationPreference"
_ONLY_RESERVED: Final = "capacity-reservations-only"
_FILTER_VALUES_MAX: Final = 200
_THERE: Final = ("pending", "running", "stopping", "stopped", "shutting-down")


def provider_id(zone: str, instance_id: str) -> str:
    """Give the id under which Kubernetes knows an instance."""
    return f"{SCHEME}{zone}/{instance_id}"


def instance_of(provider: str) -> str:
    """Give the instance behind a provider id; nothing where it is not EC2's."""
    is_ours = provider.startswith(SCHEME) and provider.count("/") == 4
    return provider.rpartition("/")[2] if is_ours else ""


def zone_of(provider: str) -> str:
    """Give the zone of the instance behind a provider id; nothing where it is not EC2's."""
    return provider.split("/")[3] if instance_of(provider) else ""


def read_machine(description: Mapping[str, Any]) -> Machine:
    """Read an instance as EC2 describes it."""
    zone = str(description.get("Placement", {}).get("AvailabilityZone", ""))
    launched = description.get("LaunchTime")
    return Machine(
        provider_id=provider_id(zone, str(description["InstanceId"])),
        state=str(description["State"]["Name"]),
        instance_type=str(description.get("InstanceType", "")),
        zone=zone,
        capacity_type=_capacity_type(description),
        launched_ms=int(launched.timestamp() * 1000) if launched is not None else 0,
        tags=read_tags(description.get("Tags")),
        image_id=str(description.get("ImageId", "")),
        subnet_id=str(description.get("SubnetId") or ""),
        security_groups=tuple(
            sorted(str(one["GroupId"]) for one in description.get("SecurityGroups") or ())
        ),
        placement_group=str(description.get("Placement", {}).get("GroupName") or ""),
        labels=_labels(description),
        ended_because=_why_ended(description),
    )


def _why_ended(description: Mapping[str, Any]) -> str:
    """Give EC2's words for why an instance does not run; those for one that runs mean nothing."""
    said = description.get("StateReason") or {}
    if description["State"]["Name"] in ("pending", "running"):
        return ""
    code, words = str(said.get("Code") or ""), str(said.get("Message") or "")
    return words if words.startswith(code) else f"{code}: {words}"


def _labels(description: Mapping[str, Any]) -> dict[str, str]:
    """Give the labels of what a machine was put into: a reservation, a placement group."""
    place = description.get("Placement", {})
    is_reserved = _capacity_type(description) == RESERVED
    found = {
        RESERVATION_ID: description.get("CapacityReservationId") if is_reserved else None,
        PLACEMENT_GROUP_ID: place.get("GroupId"),
        PLACEMENT_GROUP_PARTITION: place.get("PartitionNumber"),
    }
    return {name: str(value) for name, value in found.items() if value}


def _capacity_type(description: Mapping[str, Any]) -> str:
    if description.get("SpotInstanceRequestId") or description.get("InstanceLifecycle") == SPOT:
        return SPOT
    # What was wished for stays in the description; what it runs in goes when the reservation ends.
    wish = description.get("CapacityReservationSpecification") or {}
    is_meant = wish.get("CapacityReservationTarget") or wish.get(_PREFERENCE) == _ONLY_RESERVED
    return RESERVED if is_meant and description.get("CapacityReservationId") else ON_DEMAND


class Machines:
    """The instances of a cluster."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: str) -> None:
        self._gateway = gateway
        self._cluster = cluster
        self._looks: Batch[Machine] = Batch(clock, self._look)
        self._ends: Batch[str] = Batch(clock, self._end)

    async def list_all(self) -> tuple[Machine, ...] | Fault:
        """Give every instance of the cluster that is not gone."""
        filters = [
            a_filter("tag-key", NODEPOOL),
            a_filter("tag-key", EC2NODECLASS),
            a_filter(f"tag:{CLUSTER_NAME}", self._cluster),
            a_filter("instance-state-name", *_THERE),
        ]
        found = await self._describe(filters)
        return found if isinstance(found, Fault) else tuple(found)

    async def look(self, instance_id: str) -> Machine | Fault | None:
        """Give one instance, ended or not; nothing where EC2 does not know it."""
        return await self._looks.ask(instance_id)

    async def find(self, instance_id: str) -> Machine | Fault | None:
        """Give one instance; nothing where EC2 does not know it or has ended it."""
        found = await self.look(instance_id)
        if isinstance(found, Machine) and found.state not in _THERE:
            return None
        return found

    async def end(self, instance_id: str) -> Ended:
        """Give an instance back; what is going already is left alone."""
        found = await self.find(instance_id)
        if found is None:
            return Ended.GONE
        if isinstance(found, Fault):
            return Ended.TRY_AGAIN
        if found.state == "shutting-down":
            return Ended.ACCEPTED
        answer = await self._ends.ask(instance_id)
        if isinstance(answer, Fault):
            return Ended.GONE if answer.is_gone else Ended.TRY_AGAIN
        return Ended.TRY_AGAIN if answer is None else Ended.ACCEPTED

    async def _look(self, ids: tuple[str, ...]) -> Mapping[str, Machine] | Fault:
        found: dict[str, Machine] = {}
        for some in batched(ids, _FILTER_VALUES_MAX):
            # By filter and not by id, or one that is gone would hide all the others.
            described = await self._describe([a_filter("instance-id", *some)])
            if isinstance(described, Fault):
                return described
            found |= {instance_of(one.provider_id): one for one in described}
        return found

    async def _describe(self, filters: Iterable[dict[str, Any]]) -> list[Machine] | Fault:
        params = {"Filters": list(filters)}
        found = await self._gateway.ask_all(DESCRIBE_INSTANCES, params, "Reservations")
        if isinstance(found, Fault):
            return found
        return [read_machine(one) for one in _instances(found)]

    async def _end(self, ids: tuple[str, ...]) -> Mapping[str, str] | Fault:
        answer = await self._gateway.ask(TERMINATE_INSTANCES, {"InstanceIds": list(ids)})
        if not isinstance(answer, Fault):
            return {
                str(one["InstanceId"]): str(one["CurrentState"]["Name"])
                for one in answer["TerminatingInstances"]
            }
        if len(ids) == 1 or answer.is_passing:
            return answer
        # EC2 ends none where it does not end all, so each has a try of its own.
        ended: dict[str, str] = {}
        for one in ids:
            alone = await self._end((one,))
            if not isinstance(alone, Fault):
                ended.update(alone)
        return ended


def _instances(reservations: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for one in reservations:
        yield from one.get("Instances") or ()
