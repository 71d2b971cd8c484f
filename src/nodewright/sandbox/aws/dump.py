"""The whole account as one value, and what changed between two of them.

A dump has a table for each kind of thing, with each thing by its name as AWS describes it. It is taken
through the operations themselves, so it holds what a client could see and nothing else. AWS's own
policies and images are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.sandbox.aws.account import INSIDER_KEY, Account
from nodewright.sandbox.aws.call import Call
from nodewright.sandbox.aws.registry import HANDLERS

type Table = dict[str, Any]
type Dump = dict[str, Table]

# Kind, service, operation, list in the answer, name in an entry.
_LISTS: Final = (
    ("vpc", "ec2", "DescribeVpcs", "Vpcs", "VpcId"),
    ("subnet", "ec2", "DescribeSubnets", "Subnets", "SubnetId"),
    ("security-group", "ec2", "DescribeSecurityGroups", "SecurityGroups", "GroupId"),
    ("route-table", "ec2", "DescribeRouteTables", "RouteTables", "RouteTableId"),
    ("internet-gateway", "ec2", "DescribeInternetGateways", "InternetGateways", "InternetGatewayId"),
    ("nat-gateway", "ec2", "DescribeNatGateways", "NatGateways", "NatGatewayId"),
    ("vpc-endpoint", "ec2", "DescribeVpcEndpoints", "VpcEndpoints", "VpcEndpointId"),
    ("launch-template", "ec2", "DescribeLaunchTemplates", "LaunchTemplates", "LaunchTemplateId"),
    ("volume", "ec2", "DescribeVolumes", "Volumes", "VolumeId"),
    ("interface", "ec2", "DescribeNetworkInterfaces", "NetworkInterfaces", "NetworkInterfaceId"),
    ("fleet", "ec2", "DescribeFleets", "Fleets", "FleetId"),
    ("spot-request", "ec2", "DescribeSpotInstanceRequests", "SpotInstanceRequests", "SpotInstanceRequestId"),
    ("reservation", "ec2", "DescribeCapacityReservations", "CapacityReservations", "CapacityReservationId"),
    ("placement-group", "ec2", "DescribePlacementGroups", "PlacementGroups", "GroupName"),
    ("instance-profile", "iam", "ListInstanceProfiles", "InstanceProfiles", "InstanceProfileName"),
    ("oidc-provider", "iam", "ListOpenIDConnectProviders", "OpenIDConnectProviderList", "Arn"),
    ("rule", "events", "ListRules", "Rules", "Name"),
    ("load-balancer", "elbv2", "DescribeLoadBalancers", "LoadBalancers", "LoadBalancerArn"),
    ("classic-load-balancer", "elb", "DescribeLoadBalancers", "LoadBalancerDescriptions", "LoadBalancerName"),
)  # fmt: skip


class Change(msgspec.Struct, frozen=True):
    """One thing that is new, gone or different; `paths` tell where it differs."""

    kind: str
    name: str
    what: str
    paths: tuple[str, ...] = ()


def dump(account: Account, region: str = "") -> Dump:
    """Take everything that an account has in a region."""
    place = region or account.region
    with account.lock:
        account.advance()
        found: Dump = {kind: dict(_listed(account, place, row)) for kind, *row in _LISTS}
        found["instance"] = {
            one["InstanceId"]: one
            for reservation in _ask(account, place, "ec2", "DescribeInstances")["Reservations"]
            for one in reservation["Instances"]
        }
        found["queue"] = dict(_queues(account, place))
        found["key"] = dict(_keys(account, place))
        for name, one in found["rule"].items():
            asked = _ask(account, place, "events", "ListTargetsByRule", Rule=name)
            found["rule"][name] = {**one, "Targets": asked.get("Targets", [])}
        found.update(_identities(account, place))
        found.update(_clusters(account, place))
    return found


def diff(before: Dump, after: Dump) -> tuple[Change, ...]:
    """Give what changed from one dump to another, in order of kind and name."""
    changes = []
    for kind in sorted(before.keys() | after.keys()):
        old, new = before.get(kind, {}), after.get(kind, {})
        for name in sorted(old.keys() | new.keys()):
            if name not in old:
                changes.append(Change(kind, name, "added"))
            elif name not in new:
                changes.append(Change(kind, name, "removed"))
            else:
                paths = tuple(_differences(old[name], new[name], ""))
                if paths:
                    changes.append(Change(kind, name, "changed", paths))
    return tuple(changes)


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key), new.get(key), f"{path}.{key}" if path else key)
    elif old != new:
        yield path


def _ask(account: Account, region: str, service: str, operation: str, **params: Any) -> Any:
    handler = HANDLERS.get(f"{service}.{operation}")
    if handler is None:
        return account.inside.ask(region, service, operation, params)
    who = account.identify(INSIDER_KEY)
    return handler(
        account, Call(service, operation, params, region, who, account.clock.now_ms(), "dump")
    )


def _listed(account: Account, region: str, row: list[str]) -> Iterator[tuple[str, Any]]:
    service, operation, where, name = row
    for one in _ask(account, region, service, operation).get(where) or ():
        yield str(one[name]), one


def _queues(account: Account, region: str) -> Iterator[tuple[str, Any]]:
    for url in _ask(account, region, "sqs", "ListQueues").get("QueueUrls") or ():
        asked = _ask(
            account, region, "sqs", "GetQueueAttributes", QueueUrl=url, AttributeNames=["All"]
        )
        yield url.rsplit("/", 1)[-1], asked.get("Attributes", {})


def _keys(account: Account, region: str) -> Iterator[tuple[str, Any]]:
    for one in _ask(account, region, "kms", "ListKeys").get("Keys") or ():
        number = str(one["KeyId"])
        told = _ask(account, region, "kms", "DescribeKey", KeyId=number)["KeyMetadata"]
        policy = _ask(account, region, "kms", "GetKeyPolicy", KeyId=number, PolicyName="default")
        yield number, {**told, "Policy": policy.get("Policy")}


def _identities(account: Account, region: str) -> Dump:
    asked = ["User", "Role", "Group", "LocalManagedPolicy"]
    told = _ask(account, region, "iam", "GetAccountAuthorizationDetails", Filter=asked)
    return {
        "role": {str(one["RoleName"]): one for one in told.get("RoleDetailList") or ()},
        "user": {str(one["UserName"]): one for one in told.get("UserDetailList") or ()},
        "policy": {
            str(one["Arn"]).rsplit("/", 1)[-1]: one
            for one in told.get("Policies") or ()
            if ":iam::aws:" not in one["Arn"]
        },
    }


def _clusters(account: Account, region: str) -> Dump:
    found: Dump = {
        "cluster": {},
        "node-group": {},
        "fargate-profile": {},
        "addon": {},
        "access-entry": {},
        "association": {},
    }
    for name in _ask(account, region, "eks", "ListClusters")["clusters"]:
        found["cluster"][name] = _ask(account, region, "eks", "DescribeCluster", name=name)[
            "cluster"
        ]
        groups = _ask(account, region, "eks", "ListNodegroups", clusterName=name)["nodegroups"]
        for group in groups:
            told = _ask(
                account, region, "eks", "DescribeNodegroup", clusterName=name, nodegroupName=group
            )
            found["node-group"][f"{name}/{group}"] = told["nodegroup"]
        found["fargate-profile"].update(_fargate_profiles(account, region, name))
        from nodewright.sandbox.aws.eks.clusters import extras

        more = extras(account, region, name)
        for kind, table in (
            ("addon", more.addons),
            ("access-entry", more.entries),
            ("association", more.associations),
        ):
            found[kind].update({f"{name}/{key}": dict(value) for key, value in table.items()})
    return found


def _fargate_profiles(account: Account, region: str, cluster: str) -> Iterator[tuple[str, Any]]:
    listed = _ask(account, region, "eks", "ListFargateProfiles", clusterName=cluster)
    for name in listed["fargateProfileNames"]:
        asked = {"clusterName": cluster, "fargateProfileName": name}
        told = _ask(account, region, "eks", "DescribeFargateProfile", **asked)
        yield f"{cluster}/{name}", told["fargateProfile"]
