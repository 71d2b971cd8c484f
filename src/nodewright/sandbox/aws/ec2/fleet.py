"""CreateFleet of type instant: many offerings that would do, in the simulator's order, until filled.

Overrides are ranked by the strategy on the market's prices and depths. One that cannot be had gives an
error beside the instances, never instead of them: a fleet may come back whole, in part, or empty.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.model.instance import NANO
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.checks import check_type
from nodewright.sandbox.aws.ec2.launch import Order, launch, place
from nodewright.sandbox.aws.ec2.machines import Machine, end, machines
from nodewright.sandbox.aws.ec2.market import market_of
from nodewright.sandbox.aws.ec2.spec import Spec, Template, merge, read_template
from nodewright.sandbox.aws.ec2.tags import put_tags, read_specifications
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.registry import handles
from nodewright.sandbox.aws.tokens import remember, remembered
from nodewright.sim.cloud.fleet import FleetRequest, Override, rank_overrides
from nodewright.sim.cloud.market import OfferingKey

_STRATEGIES: Final = {
    "lowestPrice": "lowest-price",
    "diversified": "lowest-price",
    "capacityOptimized": "capacity-optimized",
    "capacityOptimizedPrioritized": "capacity-optimized-prioritized",
    "priceCapacityOptimized": "price-capacity-optimized",
}
TARGET_MAX: Final = 10_000
_SHOWN: Final = ("AvailabilityZone", "ImageId", "InstanceType", "MaxPrice", "Priority", "SubnetId",
                 "WeightedCapacity")  # fmt: skip


class Candidate(msgspec.Struct, frozen=True):
    """One way to fill a part of a fleet."""

    template: Template
    override: dict[str, Any]
    spec: Spec
    key: OfferingKey
    weight: float


class Shortfall(msgspec.Struct, frozen=True):
    """A candidate that could not be had, and why."""

    candidate: Candidate
    code: str
    message: str


@handles("ec2", "CreateFleet")
def create_fleet(account: Account, call: Call) -> dict[str, Any]:
    """Launch a fleet at once."""
    params = call.params
    wanted = params["TargetCapacitySpecification"]
    if params.get("Type", "maintain") != "instant":
        raise AwsError("Unsupported", "the stand-in knows fleets of type instant only")
    total = int(wanted["TotalTargetCapacity"])
    if not 1 <= total <= TARGET_MAX:
        raise AwsError(
            "InvalidParameterValue", f"TotalTargetCapacity must be from 1 to {TARGET_MAX}"
        )
    templates = [
        (read_template(account, call.region, one["LaunchTemplateSpecification"]), one)
        for one in params["LaunchTemplateConfigs"]
    ]
    if params.get("DryRun"):
        raise AwsError(
            "DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412
        )
    known = remembered(account, call)
    if known is not None:
        return known
    fleet_id = f"fleet-{account.number():08x}-0000-4000-8000-{account.number():012x}"
    launched: list[tuple[Candidate, Machine]] = []
    failures: list[Shortfall] = []
    for kind, count in _parts(wanted, total):
        candidates, missing = _candidates(account, call, templates, kind)
        failures.extend(missing)
        got, more = _fill(account, call, fleet_id, (kind, count), candidates)
        launched.extend(got)
        failures.extend(more)
    tags = read_specifications(params.get("TagSpecifications")).get("fleet", {})
    put_tags(account, call.region, fleet_id, tags)
    answer = {
        "FleetId": fleet_id,
        "Errors": [_error(one) for one in failures],
        "Instances": _instances(launched),
    }
    _write_down(account, call, answer)
    return remember(account, call, answer)


def fleets(account: Account, region: str) -> dict[str, dict[str, Any]]:
    """Give the fleets of a region by id."""
    return account.store(f"fleets/{region}", dict[str, dict[str, Any]])


@handles("ec2", "DescribeFleets")
def describe_fleets(account: Account, call: Call) -> dict[str, Any]:
    """List fleets."""
    ids = call.params.get("FleetIds") or []
    known = fleets(account, call.region)
    missing = [one for one in ids if one not in known]
    if missing:
        raise AwsError("InvalidFleetId.NotFound", f"The fleet ID '{missing[0]}' does not exist")
    return {"Fleets": [one for name, one in known.items() if not ids or name in ids]}


@handles("ec2", "DeleteFleets")
def delete_fleets(account: Account, call: Call) -> dict[str, Any]:
    """Take fleets away; an instant fleet goes with its instances or not at all."""
    known = fleets(account, call.region)
    gone, kept = [], []
    for name in call.params["FleetIds"]:
        if name not in known:
            error = {"Code": "fleetIdDoesNotExist", "Message": f"The fleet {name} does not exist"}
            kept.append({"FleetId": name, "Error": error})
        elif not call.params["TerminateInstances"]:
            error = {
                "Code": "fleetNotInDeletableState",
                "Message": "An instant fleet cannot be deleted without its instances",
            }
            kept.append({"FleetId": name, "Error": error})
        else:
            for machine in list(machines(account).values()):
                if machine.fleet_id == name:
                    end(account, machine)
            del known[name]
            gone.append(
                {
                    "FleetId": name,
                    "CurrentFleetState": "deleted_terminating",
                    "PreviousFleetState": "active",
                }
            )
    return {"SuccessfulFleetDeletions": gone, "UnsuccessfulFleetDeletions": kept}


def _parts(wanted: Mapping[str, Any], total: int) -> Iterator[tuple[str, int]]:
    on_demand, spot = (
        int(wanted.get("OnDemandTargetCapacity") or 0),
        int(wanted.get("SpotTargetCapacity") or 0),
    )
    rest = total - on_demand - spot
    default = SPOT if wanted.get("DefaultTargetCapacityType") == SPOT else ON_DEMAND
    counts = {ON_DEMAND: on_demand, SPOT: spot}
    counts[default] += max(0, rest)
    yield from ((kind, count) for kind, count in counts.items() if count)


def _candidates(
    account: Account, call: Call, templates: list[tuple[Template, dict[str, Any]]], kind: str
) -> tuple[list[Candidate], list[Shortfall]]:
    found: list[Candidate] = []
    missing: list[Shortfall] = []
    for template, config in templates:
        for override in config.get("Overrides") or [{}]:
            spec = merge(
                template, {"TagSpecifications": call.params.get("TagSpecifications")}, override
            )
            weight = float(override.get("WeightedCapacity") or 1.0)
            one = Candidate(template, dict(override), spec, (spec.instance_type, "", kind), weight)
            try:
                _, zone = place(account, call.region, spec)
                one = msgspec.structs.replace(one, key=(spec.instance_type, zone, kind))
                check_type(account, call.region, one.key, reserved=spec.is_reserved)
            except AwsError as error:
                missing.append(Shortfall(one, error.code, error.message))
                continue
            found.append(one)
    return found, missing


def _ranked(
    account: Account, call: Call, kind: str, candidates: list[Candidate]
) -> list[Candidate]:
    options = call.params.get("SpotOptions" if kind == SPOT else "OnDemandOptions") or {}
    asked = str(options.get("AllocationStrategy") or "lowest-price")
    # What is reserved is paid for already and comes first, in the order in which it was named.
    reserved = [one for one in candidates if one.spec.is_reserved]
    waiting: dict[tuple[str, str, float], list[Candidate]] = {}
    overrides = []
    for one in candidates:
        if one.spec.is_reserved:
            continue
        priority = float(one.override.get("Priority", float("inf")))
        overrides.append(Override(one.key[0], one.key[1], priority))
        waiting.setdefault((one.key[0], one.key[1], priority), []).append(one)
    request = FleetRequest("", kind, _STRATEGIES.get(asked, asked), tuple(overrides))
    market = market_of(account, call.region)
    order = rank_overrides(request, market, account.clock.now_ms())
    ranked = [waiting[(one.instance_type, one.zone, one.priority)].pop(0) for one, _ in order]
    return reserved + ranked


def _fill(
    account: Account,
    call: Call,
    fleet_id: str,
    part: tuple[str, int],
    candidates: list[Candidate],
) -> tuple[list[tuple[Candidate, Machine]], list[Shortfall]]:
    kind, target = part
    options = call.params.get("SpotOptions" if kind == SPOT else "OnDemandOptions") or {}
    ranked = _affordable(account, call, kind, _ranked(account, call, kind, candidates))
    least = int(options.get("MinTargetCapacity") or 0)
    if least:
        market = market_of(account, call.region)
        room = sum(market.depth(key) for key in {one.key for one in ranked})
        if room < least:
            return [], [_unfulfillable(one) for one in ranked]
    launched: list[tuple[Candidate, Machine]] = []
    failures: list[Shortfall] = []
    filled = 0.0
    for one in ranked:
        while filled < target:
            order = Order(one.spec, kind, fleet_id, index=len(launched))
            try:
                launched.append((one, launch(account, call, order)))
            except AwsError as error:
                failures.append(Shortfall(one, error.code, error.message))
                break
            filled += one.weight
    return launched, failures


def _affordable(
    account: Account, call: Call, kind: str, ranked: list[Candidate]
) -> list[Candidate]:
    """Leave out spot offerings that are dearer than the override's own limit."""
    if kind != SPOT:
        return ranked
    market, now_ms = market_of(account, call.region), account.clock.now_ms()
    return [
        one
        for one in ranked
        if not one.override.get("MaxPrice")
        or market.price(one.key, now_ms) <= float(one.override["MaxPrice"]) * NANO
    ]


def _unfulfillable(one: Candidate) -> Shortfall:
    return Shortfall(
        one,
        "UnfulfillableCapacity",
        "Unable to fulfill capacity due to your request configuration. Please adjust your request "
        "and try again.",
    )


def _shown(one: Candidate) -> dict[str, Any]:
    overrides = {name: one.override[name] for name in _SHOWN if one.override.get(name) is not None}
    overrides.setdefault("InstanceType", one.key[0])
    if one.key[1]:
        overrides.setdefault("AvailabilityZone", one.key[1])
    return {
        "LaunchTemplateSpecification": {
            "LaunchTemplateId": one.template.template_id,
            "Version": one.template.version,
        },
        "Overrides": overrides,
    }


def _lifecycle(one: Candidate) -> str:
    return "spot" if one.key[2] == SPOT else "on-demand"


def _error(one: Shortfall) -> dict[str, Any]:
    return {
        "LaunchTemplateAndOverrides": _shown(one.candidate),
        "Lifecycle": _lifecycle(one.candidate),
        "ErrorCode": one.code,
        "ErrorMessage": one.message,
    }


def _instances(launched: list[tuple[Candidate, Machine]]) -> list[dict[str, Any]]:
    entries: dict[int, dict[str, Any]] = {}
    for one, machine in launched:
        entry = entries.setdefault(
            id(one),
            {
                "LaunchTemplateAndOverrides": _shown(one),
                "Lifecycle": _lifecycle(one),
                "InstanceIds": [],
                "InstanceType": one.key[0],
                "AvailabilityZone": one.key[1],
                "SubnetId": str(machine.moto.subnet_id),
            },
        )
        entry["InstanceIds"].append(machine.instance_id)
        if machine.moto.platform:
            entry["Platform"] = "Windows"
    return list(entries.values())


def _write_down(account: Account, call: Call, answer: dict[str, Any]) -> None:
    wanted = call.params["TargetCapacitySpecification"]
    count = sum(len(one["InstanceIds"]) for one in answer["Instances"])
    fleets(account, call.region)[answer["FleetId"]] = {
        "FleetId": answer["FleetId"],
        "FleetState": "active",
        "Type": "instant",
        "CreateTime": moment(call.at_ms),
        "FulfilledCapacity": float(count),
        "TargetCapacitySpecification": {
            name: value for name, value in wanted.items() if name != "TargetCapacityUnitType"
        },
        "Errors": answer["Errors"],
        "Instances": answer["Instances"],
    }
