"""Launches: what can be had of what is wanted, one fleet after the other until there is a machine.

The first fleet has the claim's token as it is; one that is asked for because the first had nothing has a
token that follows from it. So a launch that is repeated, by whichever process, repeats the same fleets:
it gets the same machine, or EC2 says that the token was used with other words, and then the machine
is found by its tag. A token whose fleets came back empty is spent: EC2 would give the same answer.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.aws.calls import CREATE_FLEET
from nodewright.aws.choice import Candidate, Choice, choose, is_narrow
from nodewright.aws.cluster import Cluster
from nodewright.aws.drafting import (
    Group,
    group_choice,
    placement_of,
    pods_of,
    stamps_of,
    tags_of,
    unattached_resources,
)
from nodewright.aws.faults import (
    NO_ADDRESSES,
    NO_SPOT_ROLE_REASON,
    NO_TEMPLATE,
    FleetError,
    judge_code,
    judge_fleet,
    read_fleet_errors,
)
from nodewright.aws.fleet import Config, FleetWish, fleet_request
from nodewright.aws.gateway import Fault, Gateway
from nodewright.aws.machines import provider_id
from nodewright.aws.placements import PlacementGroup
from nodewright.aws.soldout import SoldOut
from nodewright.aws.subnets import Subnet, SubnetBook
from nodewright.aws.tags import CLAIM
from nodewright.aws.telling import Telling, tell_narrow, tell_no_spot
from nodewright.aws.template import Placement
from nodewright.aws.templates import Templates
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.errors import UserError
from nodewright.model.instance import InstanceType
from nodewright.model.labels import PLACEMENT_GROUP_PARTITION
from nodewright.ports.clock import Clock
from nodewright.ports.cloud import (
    Launched,
    LaunchFailed,
    LaunchFault,
    LaunchRequest,
    Machine,
    Refusal,
)

SPENT_MAX: Final = 10_000
_NOTHING: Final = LaunchFailed(
    LaunchFault.NO_CAPACITY,
    "InsufficientInstanceCapacity",
    "no offering of the claim can be had in the subnets of its class",
)


class Stock(msgspec.Struct, frozen=True):
    """What a launch can draw on: types on sale, subnets to put machines into, and a placement group.

    What turns out to be sold out is noted in the book of that group, or in that of everything else.
    `repriced` are types whose prices are the user's and not EC2's.
    """

    types: tuple[InstanceType, ...]
    subnets: tuple[Subnet, ...]
    sold_out: SoldOut
    group: PlacementGroup | None = None
    repriced: frozenset[str] = frozenset()


class Launcher:
    """Asks EC2 for machines."""

    def __init__(self, gateway: Gateway, clock: Clock, cluster: Cluster) -> None:
        self._gateway = gateway
        self._clock = clock
        self._cluster = cluster
        self._spent: dict[str, None] = {}
        self._telling = Telling()
        self.templates = Templates(gateway, clock, cluster.name)
        self.addresses = SubnetBook()

    async def launch(self, request: LaunchRequest, stock: Stock) -> Launched | LaunchFailed:
        """Start a machine as the best of what can be had."""
        if request.token in self._spent:
            words = "the fleets of this token came back without a machine"
            return LaunchFailed(LaunchFault.SPENT, "TokenSpent", words)
        choices = choose(request, stock.types)
        answer: Launched | LaunchFailed = _NOTHING
        refused: tuple[Refusal, ...] = ()
        for number, choice in enumerate(choices):
            if is_narrow(request, choice):
                tell_narrow(request, choice)
            token = f"{request.token}-{number}" if number else request.token
            try:
                answer = await self._launch_as(request, choice, stock, token)
            except UserError as error:
                return LaunchFailed(LaunchFault.CLASS_NOT_READY, error.code, str(error))
            refused += answer.refused
            if isinstance(answer, Launched) or answer.fault is not LaunchFault.NO_CAPACITY:
                break
            if answer.reason == NO_SPOT_ROLE_REASON:
                tell_no_spot(answer)
        return msgspec.structs.replace(answer, refused=refused)

    async def _launch_as(
        self, request: LaunchRequest, choice: Choice, stock: Stock, token: str
    ) -> Launched | LaunchFailed:
        zones = frozenset(one.offering.zone for one in choice.candidates)
        now_ms = self._clock.now_ms()
        usable = [one for one in stock.subnets if not stock.sold_out.has_subnet(one.id, now_ms)]
        chosen = self.addresses.choose(usable, zones)
        groups = group_choice(request, choice, self._cluster, chosen, stock.group)
        if not groups:
            return _NOTHING
        count, used = pods_of(choice), ""
        self.addresses.set_aside(chosen, count)
        try:
            is_repriced = any(one.type.name in stock.repriced for one in choice.candidates)
            wish = self._wish(request, choice, groups, token)
            wish = msgspec.structs.replace(wish, by_priority=is_repriced)
            answer = await self._ask(wish, groups)
            if isinstance(answer, Fault):
                refusal = FleetError(answer.code, answer.message)
                stock.sold_out.note((refusal,), choice.capacity_type, now_ms)
                return judge_code(answer.code, answer.message)
            found = self._read(request, choice, answer, stock)
            if isinstance(found, Launched):
                used = next(
                    (one.id for zone, one in chosen.items() if zone == found.machine.zone), ""
                )
            return found
        finally:
            self.addresses.give_back(chosen, count, used)

    def _wish(
        self, request: LaunchRequest, choice: Choice, groups: tuple[Group, ...], token: str
    ) -> FleetWish:
        node_class = request.node_class
        assert isinstance(node_class, EC2NodeClass)
        self._telling.tell_version(self._cluster.version)
        images = (override.image_id for one in groups for override in one.overrides)
        self._telling.tell_images(node_class, images)
        return FleetWish(
            token=token,
            claim=request.claim,
            capacity_type=choice.capacity_type,
            configs=tuple(
                Config(str(one.template["LaunchTemplateName"]), one.overrides) for one in groups
            ),
            tags=tags_of(request, self._cluster),
            reservation=groups[0].reservation,
            context="" if request.is_relaxed else node_class.spec.context or "",
        )

    async def _ask(self, wish: FleetWish, groups: tuple[Group, ...]) -> Mapping[str, Any] | Fault:
        answer: Mapping[str, Any] | Fault = Fault("")
        for _ in range(2):
            for one in groups:
                made = await self.templates.ensure(one.template)
                if isinstance(made, Fault):
                    return made
            answer = await self._gateway.ask(CREATE_FLEET, fleet_request(wish))
            if not isinstance(answer, Fault) or not _may_lack_template(answer):
                break
            self.templates.forget({one.template for one in wish.configs})
        return answer

    def _read(
        self, request: LaunchRequest, choice: Choice, answer: Mapping[str, Any], stock: Stock
    ) -> Launched | LaunchFailed:
        errors = read_fleet_errors(answer)
        refused = tuple(Refusal(one.zone, choice.capacity_type, one.code) for one in errors)
        now_ms = self._clock.now_ms()
        stock.sold_out.note(errors, choice.capacity_type, now_ms)
        stock.sold_out.note_reserved(_emptied(choice, errors), now_ms)
        for error in errors:
            if error.code == NO_ADDRESSES and error.subnet_id:
                self.addresses.exhaust(error.subnet_id)
        for one in answer.get("Instances") or ():
            if one.get("InstanceIds"):
                place = placement_of(request, stock.group)
                launched = self._launched(request, choice, one, place)
                return msgspec.structs.replace(launched, refused=refused)
        failed = msgspec.structs.replace(judge_fleet(errors), refused=refused)
        if failed.fault is not LaunchFault.NO_CAPACITY:
            self._spend(request.token)
        return failed

    def _launched(
        self,
        request: LaunchRequest,
        choice: Choice,
        instance: Mapping[str, Any],
        place: Placement | None,
    ) -> Launched:
        override = (instance.get("LaunchTemplateAndOverrides") or {}).get("Overrides") or {}
        name, zone = str(instance["InstanceType"]), str(override.get("AvailabilityZone", ""))
        candidate = _candidate(choice, name, zone)
        machine = Machine(
            provider_id=provider_id(candidate.offering.zone, str(instance["InstanceIds"][0])),
            state="pending",
            instance_type=name,
            zone=candidate.offering.zone,
            capacity_type=choice.capacity_type,
            launched_ms=self._clock.now_ms(),
            tags={**tags_of(request, self._cluster), CLAIM: request.claim},
            image_id=str(override.get("ImageId", "")),
        )
        kind, offering = candidate.type, candidate.offering
        labels = {**kind.requirements.labels(), **offering.requirements.labels()}
        if place is not None and place.partition is not None:
            labels[PLACEMENT_GROUP_PARTITION] = str(place.partition)
        unattached = unattached_resources(request)
        return Launched(
            machine,
            labels,
            {name: one for name, one in kind.capacity.items() if name not in unattached},
            {name: one for name, one in kind.allocatable.items() if name not in unattached},
            stamps_of(request, self._cluster),
        )

    def _spend(self, token: str) -> None:
        self._spent[token] = None
        if len(self._spent) > SPENT_MAX:
            del self._spent[next(iter(self._spent))]


def _may_lack_template(fault: Fault) -> bool:
    """Tell whether somebody may have deleted a template behind our back.

    Policies are bound to its tags, so that one that is gone may look like one that is forbidden.
    """
    return fault.code in NO_TEMPLATE or fault.is_unauthorized


def _emptied(choice: Choice, errors: Iterable[FleetError]) -> Iterator[str]:
    """Name the reservations of a fleet that had no room; a subnet without addresses is not their fault."""
    for error in errors:
        for one in choice.candidates:
            is_meant = (one.type.name, one.offering.zone) == (error.instance_type, error.zone)
            if is_meant and one.reservation and error.is_sold_out and error.code != NO_ADDRESSES:
                yield one.reservation.reservation_id


def _candidate(choice: Choice, name: str, zone: str) -> Candidate:
    fitting = [one for one in choice.candidates if one.type.name == name]
    in_zone = [one for one in fitting if one.offering.zone == zone]
    assert fitting, "a fleet launches only what it was asked for"
    return (in_zone or fitting)[0]
