"""DescribeInstanceStatus with impaired checks and scheduled events, and GetConsoleOutput."""

import base64
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.describe import PAGE_MAX, PAGE_MIN
from nodewright.sandbox.aws.ec2.machines import Machine, find, seen
from nodewright.sandbox.aws.filters import Look, each, path, select
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

INSTANCE: Final = "instance"
SYSTEM: Final = "system"
STORAGE: Final = "attached-ebs"


def _reachability(name: str) -> Look:
    return lambda thing: [one["Status"] for one in thing[name].get("Details", ())]


_LOOKS: Final[dict[str, Look]] = {
    "availability-zone": path("AvailabilityZone"),
    "event.code": each("Events", "Code"),
    "event.instance-event-id": each("Events", "InstanceEventId"),
    "instance-state-code": path("InstanceState", "Code"),
    "instance-state-name": path("InstanceState", "Name"),
    "instance-status.reachability": _reachability("InstanceStatus"),
    "instance-status.status": path("InstanceStatus", "Status"),
    "system-status.reachability": _reachability("SystemStatus"),
    "system-status.status": path("SystemStatus", "Status"),
}


@handles("ec2", "DescribeInstanceStatus")
def describe_status(account: Account, call: Call) -> dict[str, Any]:
    """List how machines are; only running ones unless all are asked for."""
    params = call.params
    insider = call.principal.kind == "insider"
    ids = list(params.get("InstanceIds") or ())
    size = params.get("MaxResults")
    if size is not None and not PAGE_MIN <= int(size) <= PAGE_MAX:
        raise AwsError("InvalidParameterValue", f"Value ( {size} ) for maxResults is invalid.")
    found = (
        find(account, call.region, ids, insider=insider)
        if ids
        else seen(account, call.region, insider=insider)
    )
    told = [
        _described(one)
        for one in found
        if params.get("IncludeAllInstances") or one.state == "running"
    ]
    chosen = select(told, params.get("Filters"), _LOOKS)
    some, more = page(chosen, params.get("NextToken"), int(size or PAGE_MAX))
    return with_token({"InstanceStatuses": some}, "NextToken", more)


@handles("ec2", "GetConsoleOutput")
def get_console(account: Account, call: Call) -> dict[str, Any]:
    """Give what a machine has printed."""
    insider = call.principal.kind == "insider"
    [one] = find(account, call.region, [str(call.params["InstanceId"])], insider=insider)
    return {
        "InstanceId": one.instance_id,
        "Output": base64.b64encode(one.console.encode()).decode(),
        "Timestamp": moment(account.clock.now_ms()),
    }


def _described(one: Machine) -> dict[str, Any]:
    told: dict[str, Any] = {
        "AvailabilityZone": one.key[1],
        "InstanceId": one.instance_id,
        "InstanceState": {"Name": one.state, "Code": one.moto.state_code},
        "InstanceStatus": _summary(one, INSTANCE),
        "SystemStatus": _summary(one, SYSTEM),
        "AttachedEbsStatus": _summary(one, STORAGE),
    }
    if one.events:
        told["Events"] = [
            {
                "InstanceEventId": event.event_id,
                "Code": event.code,
                "Description": event.description,
                "NotBefore": moment(event.not_before_ms),
                "NotAfter": moment(event.not_after_ms),
            }
            for event in one.events
        ]
    return told


def _summary(one: Machine, kind: str) -> dict[str, Any]:
    if one.state != "running":
        return {"Status": "initializing" if one.state == "pending" else "not-applicable"}
    since_ms = one.impaired.get(kind)
    if since_ms is None:
        return {"Status": "ok", "Details": [{"Name": "reachability", "Status": "passed"}]}
    detail = {"Name": "reachability", "Status": "failed", "ImpairedSince": moment(since_ms)}
    return {"Status": "impaired", "Details": [detail]}
