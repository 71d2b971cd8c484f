"""Zonal shifts of ARC: which zones a cluster is being moved away from."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.registry import handles

_DAY_MS: Final = 86_400_000


@handles("arc-zonal-shift", "GetManagedResource")
def get_resource(account: Account, call: Call) -> dict[str, Any]:
    """Tell which zones a cluster is shifted away from."""
    arn = str(call.params["resourceIdentifier"])
    _require(account, call.region, arn)
    shifts = _shifts(account, arn)
    zones = account.inside.backend("ec2", call.region).describe_availability_zones()
    now_ms = account.clock.now_ms()
    live = {zone: one for zone, one in shifts.items() if one["expiryTime"] > moment(now_ms)}
    return {
        "arn": arn,
        "name": arn.rsplit("/", 1)[-1],
        "appliedWeights": {one.zone_id: 0.0 if one.zone_id in live else 1.0 for one in zones},
        "zonalShifts": list(live.values()),
        "autoshifts": [],
        "zonalAutoshiftStatus": "DISABLED",
    }


@handles("arc-zonal-shift", "StartZonalShift")
def start_shift(account: Account, call: Call) -> dict[str, Any]:
    """Move a cluster away from a zone, by its id."""
    params = call.params
    arn = str(params["resourceIdentifier"])
    _require(account, call.region, arn)
    now_ms = account.clock.now_ms()
    shift: dict[str, Any] = {
        "appliedStatus": "APPLIED",
        "zonalShiftId": f"00000000-0000-4000-8000-{account.number():012x}",
        "resourceIdentifier": arn,
        "awayFrom": str(params["awayFrom"]),
        "expiryTime": moment(now_ms + _DAY_MS),
        "startTime": moment(now_ms),
        "comment": str(params["comment"]),
    }
    _shifts(account, arn)[shift["awayFrom"]] = shift
    return {name: value for name, value in shift.items() if name != "appliedStatus"} | {
        "status": "ACTIVE"
    }


@handles("arc-zonal-shift", "CancelZonalShift")
def cancel_shift(account: Account, call: Call) -> dict[str, Any]:
    """End a shift."""
    wanted = str(call.params["zonalShiftId"])
    for shifts in account.store("shifts", dict[str, dict[str, dict[str, Any]]]).values():
        for zone, one in list(shifts.items()):
            if one["zonalShiftId"] == wanted:
                del shifts[zone]
                return {name: one[name] for name in one if name != "appliedStatus"} | {
                    "status": "CANCELED"
                }
    raise AwsError("ResourceNotFoundException", f"The zonal shift {wanted} was not found.", 404)


def _shifts(account: Account, arn: str) -> dict[str, dict[str, Any]]:
    return account.store("shifts", dict[str, dict[str, dict[str, Any]]]).setdefault(arn, {})


def _require(account: Account, region: str, arn: str) -> None:
    name = arn.rsplit("/", 1)[-1]
    if ":cluster/" not in arn or name not in account.inside.backend("eks", region).clusters:
        raise AwsError("ResourceNotFoundException", f"The resource {arn} was not found.", 404)
