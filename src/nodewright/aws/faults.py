"""What AWS says when it does not do a thing, by what is to be done about it.

A launch fails for want of capacity (the claim goes, and its pods are planned for anew), because it is
refused (somebody must change something), for a moment, or because its token is spent. Errors of a fleet
are of one class only together: a single one that is not for want of capacity is what must be told.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from nodewright.ports.cloud import LaunchFailed, LaunchFault

NO_ADDRESSES: Final = "InsufficientFreeAddressesInSubnet"
NO_RESERVATION: Final = "ReservationCapacityExceeded"
NO_SPOT_ROLE: Final = "AuthFailure.ServiceLinkedRoleCreationNotPermitted"
NO_SPOT_ROLE_REASON: Final = "SpotSLRCreationFailed"
NO_TEMPLATE: Final = frozenset(
    {
        "InvalidLaunchTemplateName.NotFoundException",
        "InvalidLaunchTemplateId.NotFound",
        "InvalidLaunchTemplateId.NotFoundException",
    }
)
SOLD_OUT: Final = frozenset(
    {
        "InsufficientInstanceCapacity",
        "MaxSpotInstanceCountExceeded",
        "VcpuLimitExceeded",
        "UnfulfillableCapacity",
        "Unsupported",
        "MaxFleetCountExceeded",
        NO_ADDRESSES,
        NO_RESERVATION,
        NO_SPOT_ROLE,
    }
)
GONE: Final = frozenset(
    {
        "InvalidInstanceID.NotFound",
        "InvalidCapacityReservationId.NotFound",
        "AWS.SimpleQueueService.NonExistentQueue",
        "QueueDoesNotExist",
        "NoSuchEntity",
        "ParameterNotFound",
        *NO_TEMPLATE,
    }
)
THROTTLED: Final = frozenset(
    {
        "RequestLimitExceeded",
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "TooManyRequestsException",
        "RequestThrottled",
        "EC2ThrottledException",
        "SlowDown",
    }
)
BROKEN: Final = frozenset(
    {"InternalError", "InternalFailure", "ServiceUnavailable", "Unavailable", "RequestTimeout"}
)
UNAUTHORIZED: Final = frozenset(
    {"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "AuthFailure"}
)
MISMATCH: Final = "IdempotentParameterMismatch"
UNREACHABLE: Final = "Unreachable"


class FleetError(msgspec.Struct, frozen=True):
    """Why one override of a fleet was not launched."""

    code: str
    message: str = ""
    instance_type: str = ""
    zone: str = ""
    subnet_id: str = ""

    @property
    def is_sold_out(self) -> bool:
        """Whether another offering might be had instead."""
        return self.code in SOLD_OUT or self.is_full_group

    @property
    def is_full_group(self) -> bool:
        """Whether a spread placement group holds as many machines of a zone as it can."""
        return _is_full_spread_group(self.message)


def read_fleet_errors(answer: Mapping[str, Any]) -> tuple[FleetError, ...]:
    """Read the errors of a fleet."""
    return tuple(_read(one) for one in answer.get("Errors") or ())


def _read(error: Mapping[str, Any]) -> FleetError:
    override = (error.get("LaunchTemplateAndOverrides") or {}).get("Overrides") or {}
    return FleetError(
        code=str(error.get("ErrorCode", "")),
        message=str(error.get("ErrorMessage", "")),
        instance_type=str(override.get("InstanceType", "")),
        zone=str(override.get("AvailabilityZone", "")),
        subnet_id=str(override.get("SubnetId", "")),
    )


def judge_fleet(errors: Iterable[FleetError]) -> LaunchFailed:
    """Say why a fleet has no machine."""
    found = tuple(errors)
    telling = [one for one in found if not one.is_sold_out]
    if telling:
        return judge_code(telling[0].code, telling[0].message)
    if any(one.code == NO_SPOT_ROLE for one in found):
        return LaunchFailed(LaunchFault.NO_CAPACITY, NO_SPOT_ROLE_REASON, _words(found))
    words = _words(found) or "the fleet came back without a machine and without a reason"
    return LaunchFailed(LaunchFault.NO_CAPACITY, "InsufficientInstanceCapacity", words)


def judge_code(code: str, message: str) -> LaunchFailed:
    """Give the class of a failure and its reason, by the code and the words of AWS."""
    words = f"{code}: {message}" if message else code
    if code in SOLD_OUT:
        return judge_fleet([FleetError(code, message)])
    if code == MISMATCH:
        return LaunchFailed(LaunchFault.SPENT, code, words)
    if code in THROTTLED or code in BROKEN or code == UNREACHABLE:
        return LaunchFailed(LaunchFault.TRANSIENT, code, words)
    return LaunchFailed(LaunchFault.REFUSED, _reason(code, message), words)


def _reason(code: str, message: str) -> str:
    text = message.lower()
    if code in UNAUTHORIZED:
        is_image = "image" in text or "ami-" in text
        return "AMIAuthorizationFailure" if is_image else "Unauthorized"
    if "different networks" in text:
        return "SecurityGroupSubnetVPCMismatch"
    if "iaminstanceprofile" in text:
        return "InstanceProfileNameInvalid"
    if code == "InvalidAMIID.NotFound":
        return "AMINotFound"
    if code.startswith("InvalidAMIID."):
        return "InvalidAMIID"
    if "free tier" in text:
        return "FreeTierIneligible"
    if code == "PendingVerification":
        return "AccountPendingVerification"
    return code or "LaunchFailed"


def _is_full_spread_group(message: str) -> bool:
    text = message.lower()
    return "spread" in text and "placement group" in text


def _words(errors: Iterable[FleetError]) -> str:
    found: dict[str, list[str]] = {}
    for one in errors:
        where = "/".join(filter(None, (one.instance_type, one.zone)))
        found.setdefault(one.code, []).append(where)
    return "; ".join(
        f"{code}: {', '.join(sorted(set(filter(None, places))))}".removesuffix(": ")
        for code, places in sorted(found.items())
    )
