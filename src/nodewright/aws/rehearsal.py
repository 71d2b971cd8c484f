"""Rehearsals: a class is tried before a machine of it is needed, with calls that start nothing.

A launch template is made as a launch would make it, then a fleet and an instance are asked for as a dry
run, subnet by subnet until one would do. What comes of it is kept for half an hour, as long as nothing about
the class changes: an edit of its annotations is enough to have it tried anew. A refusal is the
class's; what passes by itself says nothing, and what concerns the one type that was tried is only logged.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import CREATE_FLEET, CREATE_LAUNCH_TEMPLATE, RUN_INSTANCES, Call
from nodewright.aws.choice import Candidate, Choice
from nodewright.aws.cluster import Cluster
from nodewright.aws.drafting import Group, group_choice, tags_of
from nodewright.aws.fleet import Config, FleetWish, fleet_request
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.keeping import Kept
from nodewright.aws.market import FALLBACK_REGION
from nodewright.aws.placements import PlacementGroup, settings_in
from nodewright.aws.subnets import Subnet
from nodewright.aws.tags import tag_specification
from nodewright.aws.templates import THERE_ALREADY
from nodewright.catalog.images import image_for
from nodewright.catalog.nodeclass import settings_of
from nodewright.catalog.resolve import instance_types_for, regions
from nodewright.model.classfacts import Trouble
from nodewright.model.ec2nodeclass import SEEN_MEMORY, EC2NodeClass, SubnetStatus
from nodewright.model.hashing import EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION
from nodewright.model.instance import InstanceType
from nodewright.model.labels import NODEPOOL, ON_DEMAND
from nodewright.model.requirements import Requirements
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import LaunchRequest

KEPT_MS: Final = 30 * 60_000
WOULD_DO: Final = "DryRunOperation"
_NAME: Final = "validation"
_USUAL: Final = ("m5.large", "m6g.large")
_OWN_NOTES: Final = frozenset({EC2NODECLASS_HASH, EC2NODECLASS_HASH_VERSION, SEEN_MEMORY})
_REFUSED: Final = {
    CREATE_LAUNCH_TEMPLATE: "CreateLaunchTemplateAuthCheckFailed",
    CREATE_FLEET: "CreateFleetAuthCheckFailed",
    RUN_INSTANCES: "RunInstancesAuthCheckFailed",
}
_log: Final = logging.getLogger("nodewright.aws")


class Rehearsals:
    """Tries classes, and remembers what came of it."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: Cluster) -> None:
        self._gateway = gateway
        self._cluster = cluster
        self._kept: Kept[bytes, tuple[Trouble | None]] = Kept(clock)

    async def rehearse(
        self, node_class: EC2NodeClass, group: PlacementGroup | None = None
    ) -> Trouble | None:
        """Tell what would keep machines of a class from starting, or nothing."""
        key = key_of(node_class) + (group.group_id.encode() if group is not None else b"")
        known = self._kept.get(key, KEPT_MS)
        if known is not None:
            return known[0]
        found = await self._try(node_class, group)
        if found is None or not found.is_passing:
            self._kept.put(key, (found,))
        return found

    async def _try(self, node_class: EC2NodeClass, place: PlacementGroup | None) -> Trouble | None:
        parts = tuple(self._parts(node_class, place))
        if not parts:
            _log.warning("%s: no type fits its images and subnets", node_class.metadata.name)
            return None
        request = _request(node_class)
        _, group = parts[0]
        made = await self._gateway.ask(CREATE_LAUNCH_TEMPLATE, group.template)
        if isinstance(made, Fault) and made.code != THERE_ALREADY:
            return _judge(CREATE_LAUNCH_TEMPLATE, node_class, made)
        tags = tags_of(request, self._cluster)
        fleets = (_fleet(request, one, tags) for _, one in parts)
        runs = (_run(one, subnet.id, tags) for subnet, one in parts)
        return await self._first(CREATE_FLEET, node_class, fleets) or await self._first(
            RUN_INSTANCES, node_class, runs
        )

    async def _first(
        self, call: Call, node_class: EC2NodeClass, requests: Iterator[dict[str, Any]]
    ) -> Trouble | None:
        trouble = None
        for one in requests:
            answer = await self._gateway.ask(call, {**one, "DryRun": True})
            if not isinstance(answer, Fault) or answer.code == WOULD_DO:
                return None
            trouble = _judge(call, node_class, answer)
        return trouble

    def _parts(
        self, node_class: EC2NodeClass, place: PlacementGroup | None
    ) -> Iterator[tuple[SubnetStatus, Group]]:
        """Give what is launched in each subnet: one type, of the image that it would have."""
        kind = choose_type(node_class, self._cluster.region, place)
        request = _request(node_class)
        if kind is None:
            return
        for subnet in node_class.status.subnets:
            offered = [
                one
                for one in kind.offerings
                if (one.zone, one.capacity_type) == (subnet.zone, ON_DEMAND)
            ]
            if not offered:
                continue
            choice = Choice(ON_DEMAND, (Candidate(kind, offered[0]),))
            there = {subnet.zone: Subnet(subnet.id, subnet.zone, subnet.zone_id)}
            for group in group_choice(request, choice, self._cluster, there, place):
                yield subnet, group


def key_of(node_class: EC2NodeClass) -> bytes:
    """Give everything about a class that may change what comes of trying it."""
    status = msgspec.structs.replace(node_class.status, conditions=())
    notes = {
        name: value
        for name, value in node_class.metadata.annotations.items()
        if name not in _OWN_NOTES
    }
    said = [node_class.metadata.uid, node_class.spec, status, notes]
    return msgspec.json.encode(said, order="deterministic")


def choose_type(
    node_class: EC2NodeClass, region: str, place: PlacementGroup | None = None
) -> InstanceType | None:
    """Give the cheapest type that a class could be tried with; the usual ones where none is sold."""
    known = region if region in regions() else FALLBACK_REGION
    types = instance_types_for(known, settings_in(settings_of(node_class), place))
    zones = {one.zone for one in node_class.status.subnets}
    fitting = [one for one in types if image_for(one, node_class.status.amis) is not None]
    sold = [
        (one.price, kind.name, kind)
        for kind in fitting
        for one in kind.offerings
        if one.available and one.capacity_type == ON_DEMAND and one.zone in zones
    ]
    if sold:
        return min(sold, key=lambda one: one[:2])[2]
    return next((one for name in _USUAL for one in fitting if one.name == name), None)


def _request(node_class: EC2NodeClass) -> LaunchRequest:
    return LaunchRequest(
        token=_NAME,
        claim=_NAME,
        claim_uid="",
        node_pool=_NAME,
        node_class=node_class,
        requirements=Requirements(),
        instance_types=(),
        labels={NODEPOOL: _NAME},
    )


def _fleet(request: LaunchRequest, group: Group, tags: Mapping[str, str]) -> dict[str, Any]:
    config = Config(str(group.template["LaunchTemplateName"]), group.overrides)
    wish = FleetWish(request.token, request.claim, ON_DEMAND, (config,), tags)
    return fleet_request(wish)


def _run(group: Group, subnet_id: str, tags: Mapping[str, str]) -> dict[str, Any]:
    template = group.template
    interfaces = template["LaunchTemplateData"].get("NetworkInterfaces")
    # Where a template names interfaces, the subnet is theirs.
    place: dict[str, Any] = {"SubnetId": subnet_id}
    if interfaces:
        place = {"NetworkInterfaces": [{**one, "SubnetId": subnet_id} for one in interfaces]}
    return {
        "MinCount": 1,
        "MaxCount": 1,
        "InstanceType": group.overrides[0].instance_type,
        "LaunchTemplate": {
            "LaunchTemplateName": template["LaunchTemplateName"],
            "Version": "$Latest",
        },
        "TagSpecifications": [tag_specification(kind, tags) for kind in ("instance", "volume")],
        **place,
    }


def _judge(call: Call, node_class: EC2NodeClass, fault: Fault) -> Trouble | None:
    text = fault.message.lower()
    if fault.is_unauthorized:
        return Trouble(_REFUSED[call], str(fault))
    if "iaminstanceprofile" in text or "instance profile" in text:
        # One that was just made is not known everywhere yet.
        is_given = node_class.spec.instance_profile is not None
        return Trouble("InstanceProfileNotFound", str(fault), is_passing=not is_given)
    if fault.is_passing:
        return Trouble(fault.code, str(fault), is_passing=True)
    # What EC2 has against this one type in this one subnet must not keep all others from starting.
    name = node_class.metadata.name
    _log.warning("%s: %s was not answered as a dry run: %s", name, call.name, fault)
    return None
