"""Service quotas of EC2 that a launch can meet: vCPUs on demand and on spot."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.registry import handles

ON_DEMAND_VCPUS: Final = "L-1216C47A"
SPOT_VCPUS: Final = "L-34B43A08"
DEFAULT: Final = 1_000_000
_NAMES: Final = {
    ON_DEMAND_VCPUS: "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
    SPOT_VCPUS: "All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests",
}


def quota(account: Account, region: str, code: str) -> int:
    """Give a quota."""
    return _quotas(account).get((region, code), DEFAULT)


def set_quota(account: Account, region: str, code: str, value: int) -> None:
    """Set a quota, as support would."""
    _quotas(account)[(region, code)] = value


@handles("service-quotas", "ListServiceQuotas")
def list_quotas(account: Account, call: Call) -> dict[str, Any]:
    """List the quotas of EC2."""
    ours = _NAMES if call.params["ServiceCode"] == "ec2" else {}
    return {"Quotas": [_told(account, call.region, code) for code in ours]}


@handles("service-quotas", "GetServiceQuota")
def get_quota(account: Account, call: Call) -> dict[str, Any]:
    """Give one quota."""
    code = str(call.params["QuotaCode"])
    if call.params["ServiceCode"] != "ec2" or code not in _NAMES:
        raise AwsError(
            "NoSuchResourceException",
            "The request failed because the specified quota does not exist.",
        )
    return {"Quota": _told(account, call.region, code)}


def _quotas(account: Account) -> dict[tuple[str, str], int]:
    return account.store("quotas", dict[tuple[str, str], int])


def _told(account: Account, region: str, code: str) -> dict[str, Any]:
    return {
        "ServiceCode": "ec2",
        "ServiceName": "Amazon Elastic Compute Cloud (Amazon EC2)",
        "QuotaArn": f"arn:{account.partition}:servicequotas:{region}:{account.account_id}:ec2/{code}",
        "QuotaCode": code,
        "QuotaName": _NAMES[code],
        "Value": float(quota(account, region, code)),
        "Unit": "None",
        "Adjustable": True,
        "GlobalQuota": False,
    }
