"""Placement groups, which moto lacks: cluster, partition and spread, with spread's limit by zone."""

from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.machines import machines
from nodewright.sandbox.aws.ec2.spec import Spec
from nodewright.sandbox.aws.ec2.tags import drop_tags, put_tags, read_specifications, tag_set
from nodewright.sandbox.aws.filters import path, select
from nodewright.sandbox.aws.registry import handles

SPREAD_MAX: Final = 7
PARTITIONS_DEFAULT: Final = 2
_LIVE: Final = ("pending", "running", "stopping", "stopped")
_LOOKS: Final = {
    "group-name": path("GroupName"),
    "group-id": path("GroupId"),
    "group-arn": path("GroupArn"),
    "state": path("State"),
    "strategy": path("Strategy"),
    "spread-level": path("SpreadLevel"),
}

type Group = dict[str, Any]


def groups(account: Account, region: str) -> dict[str, Group]:
    """Give the placement groups of a region by name."""
    return account.store(f"placement/{region}", dict[str, Group])


def claim(account: Account, region: str, spec: Spec, zone: str) -> dict[str, Any]:
    """Give the place of a launch in its placement group, if it asks for one and there is room."""
    asked = spec.wishes.get("Placement") or {}
    name, group_id = asked.get("GroupName"), asked.get("GroupId")
    if not name and not group_id:
        return {}
    group = next(
        (
            g
            for g in groups(account, region).values()
            if name == g["GroupName"] or group_id == g["GroupId"]
        ),
        None,
    )
    if group is None:
        raise AwsError(
            "InvalidPlacementGroup.Unknown", f"The Placement Group '{name or group_id}' is unknown."
        )
    place = {"GroupName": group["GroupName"], "GroupId": group["GroupId"]}
    members = [
        one
        for one in machines(account).values()
        if one.placement.get("GroupId") == group["GroupId"] and one.state in _LIVE
    ]
    if group["Strategy"] == "spread" and sum(one.key[1] == zone for one in members) >= SPREAD_MAX:
        raise AwsError(
            "InstanceLimitExceeded",
            f"Your placement group already has {SPREAD_MAX} instances in Availability Zone {zone}, "
            "which is the maximum for a spread placement group.",
        )
    if group["Strategy"] == "partition":
        counts = dict.fromkeys(range(1, int(group["PartitionCount"]) + 1), 0)
        for one in members:
            counts[int(one.placement["PartitionNumber"])] += 1
        chosen = int(asked.get("PartitionNumber") or min(counts, key=lambda n: (counts[n], n)))
        if chosen not in counts:
            raise AwsError(
                "InvalidParameterValue",
                f"The partition number {chosen} is not between 1 and {len(counts)}.",
            )
        place["PartitionNumber"] = chosen
    return place


@handles("ec2", "CreatePlacementGroup")
def create_group(account: Account, call: Call) -> dict[str, Any]:
    """Make a placement group."""
    params, region = call.params, call.region
    name = str(params.get("GroupName") or f"group-{account.number()}")
    known = groups(account, region)
    if name in known:
        raise AwsError(
            "InvalidPlacementGroup.Duplicate", f"The Placement Group '{name}' already exists."
        )
    strategy = str(params.get("Strategy") or "cluster")
    group: Group = {
        "GroupName": name,
        "GroupId": f"pg-{account.number():017x}",
        "State": "available",
        "Strategy": strategy,
        "GroupArn": f"arn:{account.partition}:ec2:{region}:{account.account_id}:placement-group/{name}",
    }
    if strategy == "partition":
        group["PartitionCount"] = int(params.get("PartitionCount") or PARTITIONS_DEFAULT)
    if strategy == "spread":
        group["SpreadLevel"] = str(params.get("SpreadLevel") or "rack")
    known[name] = group
    tags = read_specifications(params.get("TagSpecifications")).get("placement-group", {})
    put_tags(account, region, group["GroupId"], tags)
    return {"PlacementGroup": _described(account, region, group)}


@handles("ec2", "DescribePlacementGroups")
def describe_groups(account: Account, call: Call) -> dict[str, Any]:
    """List placement groups."""
    names, ids = call.params.get("GroupNames") or [], call.params.get("GroupIds") or []
    known = groups(account, call.region)
    missing = [one for one in names if one not in known]
    there = {one["GroupId"] for one in known.values()}
    missing += [one for one in ids if one not in there]
    if missing:
        raise AwsError(
            "InvalidPlacementGroup.Unknown", f"The Placement Group '{missing[0]}' is unknown."
        )
    found = [
        _described(account, call.region, one)
        for one in known.values()
        if (not names or one["GroupName"] in names) and (not ids or one["GroupId"] in ids)
    ]
    return {"PlacementGroups": select(found, call.params.get("Filters"), _LOOKS)}


@handles("ec2", "DeletePlacementGroup")
def delete_group(account: Account, call: Call) -> dict[str, Any]:
    """Take a placement group away that nobody is in."""
    name = str(call.params["GroupName"])
    known = groups(account, call.region)
    if name not in known:
        raise AwsError("InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown.")
    group_id = known[name]["GroupId"]
    if any(
        one.placement.get("GroupId") == group_id and one.state in _LIVE
        for one in machines(account).values()
    ):
        raise AwsError(
            "InvalidPlacementGroup.InUse",
            f"The placement group '{name}' is in use and may not be deleted.",
        )
    del known[name]
    drop_tags(account, call.region, group_id)
    return {}


def _described(account: Account, region: str, group: Group) -> Group:
    return {**group, "Tags": tag_set(account, region, group["GroupId"])}
