"""Capacity reservations, which moto lacks: room that is kept, open to any launch that fits or targeted.

What is left of one is counted, not kept: its total less the machines that run in it. A capacity block is
made through the stand-in's own door, because buying one is not what is tested here.
"""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.machines import Machine, machines
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.ec2.tags import put_tags, read_specifications, tag_set
from nodewright.sandbox.aws.filters import path, select
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

_LIVE: Final = ("pending", "running")
_PAGE: Final = 1_000
_LOOKS: Final = {
    "instance-type": path("InstanceType"),
    "owner-id": path("OwnerId"),
    "instance-platform": path("InstancePlatform"),
    "availability-zone": path("AvailabilityZone"),
    "tenancy": path("Tenancy"),
    "state": path("State"),
    "instance-match-criteria": path("InstanceMatchCriteria"),
    "end-date-type": path("EndDateType"),
}

type Reservation = dict[str, Any]


def reservations(account: Account, region: str) -> dict[str, Reservation]:
    """Give the reservations of a region by id."""
    return account.store(f"reservations/{region}", dict[str, Reservation])


def available(account: Account, one: Reservation) -> int:
    """Count what is left of a reservation."""
    if one["State"] != "active":
        return 0
    number = str(one["CapacityReservationId"])
    used = sum(
        machine.capacity_reservation_id == number and machine.state in _LIVE
        for machine in machines(account).values()
    )
    return max(0, int(one["TotalInstanceCount"]) - used)


def claim(account: Account, region: str, spec: Spec, zone: str) -> str:
    """Give the reservation that a launch uses, or nothing where it uses none."""
    asked = spec.wishes.get("CapacityReservationSpecification") or {}
    target = (asked.get("CapacityReservationTarget") or {}).get("CapacityReservationId", "")
    preference = str(asked.get("CapacityReservationPreference") or ("" if target else "open"))
    if preference == "none":
        return ""
    fits = [
        one
        for one in reservations(account, region).values()
        if one["InstanceType"] == spec.instance_type
        and one["AvailabilityZone"] == zone
        and (
            one["CapacityReservationId"] == target
            if target
            else one["InstanceMatchCriteria"] == "open"
        )
        and available(account, one) > 0
    ]
    if fits:
        return str(fits[0]["CapacityReservationId"])
    if target or preference == "capacity-reservations-only":
        raise AwsError(
            "ReservationCapacityExceeded",
            "The requested reservation does not have sufficient compatible and available capacity "
            "for this request.",
        )
    return ""


def expire(account: Account, region: str) -> None:
    """Bring the states of reservations up to the clock."""
    now = moment(account.clock.now_ms())
    for one in reservations(account, region).values():
        if one["State"] == "active" and one.get("EndDate") is not None and one["EndDate"] <= now:
            one["State"] = "expired"


def runs_in(account: Account, machine: Machine) -> str:
    """Give the reservation that a machine runs in; one that has ended lets it go on without."""
    number = machine.capacity_reservation_id
    expire(account, machine.region)
    one = reservations(account, machine.region).get(number)
    return number if one is not None and one["State"] == "active" else ""


def add(account: Account, region: str, wanted: dict[str, Any]) -> Reservation:
    """Make a reservation of any kind."""
    now = moment(account.clock.now_ms())
    zones = account.inside.backend("ec2", region).describe_availability_zones()
    zone = str(wanted["AvailabilityZone"])
    zone_id = next((one.zone_id for one in zones if one.name == zone), None)
    if zone_id is None:
        raise AwsError("InvalidParameterValue", f"The Availability Zone '{zone}' is not valid.")
    number = f"cr-{account.number():017x}"
    one: Reservation = {
        "CapacityReservationId": number,
        "OwnerId": account.account_id,
        "CapacityReservationArn": f"arn:{account.partition}:ec2:{region}:{account.account_id}"
        f":capacity-reservation/{number}",
        "AvailabilityZoneId": zone_id,
        "InstancePlatform": "Linux/UNIX",
        "Tenancy": "default",
        "EbsOptimized": False,
        "EphemeralStorage": False,
        "State": "active",
        "StartDate": now,
        "EndDateType": "limited" if wanted.get("EndDate") else "unlimited",
        "InstanceMatchCriteria": "open",
        "CreateDate": now,
        "ReservationType": "default",
        **wanted,
    }
    reservations(account, region)[number] = one
    return one


@handles("ec2", "CreateCapacityReservation")
def create_reservation(account: Account, call: Call) -> dict[str, Any]:
    """Keep room for a type in a zone."""
    params = call.params
    names = ("AvailabilityZone", "EbsOptimized", "EndDate", "InstanceMatchCriteria", "InstancePlatform",
             "InstanceType", "Tenancy")  # fmt: skip
    wanted = {name: params[name] for name in names if name in params}
    wanted["TotalInstanceCount"] = int(params["InstanceCount"])
    one = add(account, call.region, wanted)
    tags = read_specifications(params.get("TagSpecifications")).get("capacity-reservation", {})
    put_tags(account, call.region, one["CapacityReservationId"], tags)
    return {"CapacityReservation": _described(account, call.region, one)}


@handles("ec2", "DescribeCapacityReservations")
def describe_reservations(account: Account, call: Call) -> dict[str, Any]:
    """List reservations."""
    expire(account, call.region)
    ids = call.params.get("CapacityReservationIds") or []
    known = reservations(account, call.region)
    for one in ids:
        _find(known, one)
    found = [
        _described(account, call.region, one)
        for one in known.values()
        if not ids or one["CapacityReservationId"] in ids
    ]
    chosen = select(found, call.params.get("Filters"), _LOOKS)
    some, more = page(
        chosen, call.params.get("NextToken"), int(call.params.get("MaxResults") or _PAGE)
    )
    return with_token({"CapacityReservations": some}, "NextToken", more)


@handles("ec2", "CancelCapacityReservation", "ModifyCapacityReservation")
def change_reservation(account: Account, call: Call) -> dict[str, Any]:
    """End a reservation, or change its size and end."""
    one = _find(reservations(account, call.region), str(call.params["CapacityReservationId"]))
    if call.operation.startswith("Cancel"):
        one["State"] = "cancelled"
        return {"Return": True}
    if "InstanceCount" in call.params:
        one["TotalInstanceCount"] = int(call.params["InstanceCount"])
    if "EndDate" in call.params:
        one["EndDate"], one["EndDateType"] = call.params["EndDate"], "limited"
    return {"Return": True}


def _find(known: dict[str, Reservation], wanted: str) -> Reservation:
    if wanted not in known:
        raise AwsError(
            "InvalidCapacityReservationId.NotFound",
            f"The capacity reservation ID '{wanted}' does not exist",
        )
    return known[wanted]


def _described(account: Account, region: str, one: Reservation) -> Reservation:
    number = one["CapacityReservationId"]
    left = available(account, one)
    return {**one, "AvailableInstanceCount": left, "Tags": tag_set(account, region, number)}
