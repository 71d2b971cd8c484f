"""DescribeInstanceTypes and their offerings: moto's data, cut to what the region sells, in pages."""

from collections.abc import Iterable
from typing import Any, Final

from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.run import refuse_dry_run
from nodewright.sandbox.aws.filters import Described, Look, path, select
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

TYPES_PAGE: Final = 100
OFFERINGS_PAGE: Final = 1_000
PAGE_MIN: Final = 5


def _listed(*names: str) -> Look:
    def look(thing: Described) -> Iterable[str]:
        found: Any = thing
        for name in names:
            found = found.get(name, {})
        return [str(one) for one in found or ()]

    return look


_LOOKS: Final[dict[str, Look]] = {
    "auto-recovery-supported": path("AutoRecoverySupported"),
    "bare-metal": path("BareMetal"),
    "burstable-performance-supported": path("BurstablePerformanceSupported"),
    "current-generation": path("CurrentGeneration"),
    "ebs-info.ebs-optimized-support": path("EbsInfo", "EbsOptimizedSupport"),
    "free-tier-eligible": path("FreeTierEligible"),
    "hypervisor": path("Hypervisor"),
    "instance-storage-supported": path("InstanceStorageSupported"),
    "instance-type": path("InstanceType"),
    "memory-info.size-in-mib": path("MemoryInfo", "SizeInMiB"),
    "network-info.efa-supported": path("NetworkInfo", "EfaSupported"),
    "network-info.ena-support": path("NetworkInfo", "EnaSupport"),
    "processor-info.supported-architecture": _listed("ProcessorInfo", "SupportedArchitectures"),
    "supported-root-device-type": _listed("SupportedRootDeviceTypes"),
    "supported-usage-class": _listed("SupportedUsageClasses"),
    "supported-virtualization-type": _listed("SupportedVirtualizationTypes"),
    "vcpu-info.default-vcpus": path("VCpuInfo", "DefaultVCpus"),
}


@handles("ec2", "DescribeInstanceTypes")
def describe_types(account: Account, call: Call) -> dict[str, Any]:
    """List the instance types that the region sells."""
    del account
    params = call.params
    size = _size(params.get("MaxResults"), TYPES_PAGE)
    refuse_dry_run(call)
    names = list(params.get("InstanceTypes") or ())
    sold = {one["InstanceType"] for one in _offerings("region", call.region)}
    unknown = [one for one in names if one not in sold or one not in INSTANCE_TYPES]
    if unknown:
        raise AwsError(
            "InvalidInstanceType",
            f"The following supplied instance types do not exist: [{', '.join(unknown)}]",
        )
    if names and len(names) > TYPES_PAGE:
        raise AwsError(
            "InvalidParameterValue", f"At most {TYPES_PAGE} instance types can be named."
        )
    wanted = names or sorted(sold & set(INSTANCE_TYPES))
    chosen = select([INSTANCE_TYPES[one] for one in wanted], params.get("Filters"), _LOOKS)
    some, more = page(chosen, params.get("NextToken"), size)
    return with_token({"InstanceTypes": some}, "NextToken", more)


@handles("ec2", "DescribeInstanceTypeOfferings")
def describe_offerings(account: Account, call: Call) -> dict[str, Any]:
    """List where instance types are sold."""
    del account
    params = call.params
    size = _size(params.get("MaxResults"), OFFERINGS_PAGE)
    refuse_dry_run(call)
    kind = str(params.get("LocationType") or "region")
    rows = [{**one, "LocationType": kind} for one in _offerings(kind, call.region)]
    looks = {"instance-type": path("InstanceType"), "location": path("Location")}
    chosen = select(rows, params.get("Filters"), looks)
    some, more = page(chosen, params.get("NextToken"), size)
    return with_token({"InstanceTypeOfferings": some}, "NextToken", more)


def _offerings(kind: str, region: str) -> list[dict[str, str]]:
    if kind not in INSTANCE_TYPE_OFFERINGS:
        raise AwsError("InvalidParameterValue", f"Invalid value '{kind}' for LocationType.")
    found = INSTANCE_TYPE_OFFERINGS[kind].get(region, [])
    return [
        {"InstanceType": str(one["InstanceType"]), "Location": str(one["Location"])}
        for one in found
    ]


def _size(asked: Any, most: int) -> int:
    if asked is None:
        return most
    if not PAGE_MIN <= int(asked) <= most:
        raise AwsError(
            "InvalidParameterValue",
            f"Value ( {asked} ) for parameter maxResults is invalid. Expecting a value between "
            f"{PAGE_MIN} and {most}.",
        )
    return int(asked)
