"""Clusters with what moto leaves out: VPC, cluster security group, access mode, an issuer of their own.

moto keeps name, role, version, tags and subnets; the rest stands in an `Extras` beside it. Endpoint and
certificate may be set to those of a real API server, so that what reads them from DescribeCluster
reaches it.
"""

import hashlib
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.tags import put_tags
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.registry import handles

LATEST: Final = "1.34"
MODES: Final = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
_UPDATES: Final = {
    "accessConfig": "AccessConfigUpdate",
    "logging": "LoggingUpdate",
    "resourcesVpcConfig": "VpcConfigUpdate",
    "upgradePolicy": "UpgradePolicyUpdate",
    "zonalShiftConfig": "ZonalShiftConfigUpdate",
}


class Extras:
    """What a cluster has beyond moto's."""

    def __init__(self, name: str, region: str) -> None:
        digest = hashlib.sha256(f"{region}/{name}".encode()).hexdigest().upper()[:32]
        self.endpoint = f"https://{digest}.gr7.{region}.eks.amazonaws.com"
        self.issuer = f"https://oidc.eks.{region}.amazonaws.com/id/{digest}"
        self.certificate = ""
        self.vpc: dict[str, Any] = {}
        self.access: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        self.updates: dict[str, dict[str, Any]] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self.policies: dict[str, dict[str, dict[str, Any]]] = {}
        self.addons: dict[str, dict[str, Any]] = {}
        self.associations: dict[str, dict[str, Any]] = {}
        self.templates: dict[str, dict[str, str]] = {}


def extras(account: Account, region: str, name: str) -> Extras:
    """Give what a cluster has beyond moto's; an unknown cluster is an error."""
    if name not in account.inside.backend("eks", region).clusters:
        raise AwsError("ResourceNotFoundException", f"No cluster found for name: {name}.", 404)
    known = account.store(f"eks/{region}", dict[str, Extras])
    return known.setdefault(name, Extras(name, region))


@handles("eks", "CreateCluster")
def create_cluster(account: Account, call: Call) -> dict[str, Any]:
    """Make a cluster, with its security group."""
    params, region = call.params, call.region
    name = str(params["name"])
    subnets = list(params["resourcesVpcConfig"].get("subnetIds") or ())
    backend = account.inside.backend("ec2", region)
    found = [one for one in backend.describe_subnets() if one.id in subnets]
    if len(found) != len(subnets) or not subnets:
        raise AwsError("InvalidParameterException", "The subnet ID does not exist")
    if len({one.availability_zone for one in found}) < 2:
        raise AwsError(
            "InvalidParameterException",
            "Subnets specified must be in at least two different AZs",
        )
    names = ("name", "version", "roleArn", "resourcesVpcConfig", "kubernetesNetworkConfig", "logging", "tags",
             "encryptionConfig")  # fmt: skip
    asked = {one: params[one] for one in names if one in params}
    account.inside.ask(region, "eks", "CreateCluster", {"version": LATEST, **asked})
    more = extras(account, region, name)
    vpc_id = str(found[0].vpc_id)
    wanted = params["resourcesVpcConfig"]
    more.vpc = {
        "vpcId": vpc_id,
        "clusterSecurityGroupId": _make_group(account, region, name, vpc_id),
        "endpointPublicAccess": bool(wanted.get("endpointPublicAccess", True)),
        "endpointPrivateAccess": bool(wanted.get("endpointPrivateAccess", False)),
        "publicAccessCidrs": list(wanted.get("publicAccessCidrs") or ["0.0.0.0/0"]),
    }
    access = params.get("accessConfig") or {}
    more.access = {
        "authenticationMode": str(access.get("authenticationMode") or MODES[0]),
        "bootstrapClusterCreatorAdminPermissions": bool(
            access.get("bootstrapClusterCreatorAdminPermissions", True)
        ),
    }
    more.settings = {
        "upgradePolicy": params.get("upgradePolicy") or {"supportType": "EXTENDED"},
        "zonalShiftConfig": params.get("zonalShiftConfig") or {"enabled": False},
        "deletionProtection": bool(params.get("deletionProtection", False)),
    }
    _let_creator_in(account, call, more)
    return {"cluster": describe(account, region, name)}


@handles("eks", "DescribeCluster")
def describe_cluster(account: Account, call: Call) -> dict[str, Any]:
    """Describe a cluster."""
    return {"cluster": describe(account, call.region, str(call.params["name"]))}


@handles("eks", "DeleteCluster")
def delete_cluster(account: Account, call: Call) -> dict[str, Any]:
    """Take a cluster away, and its security group with it."""
    name = str(call.params["name"])
    told = describe(account, call.region, name)
    account.inside.ask(call.region, "eks", "DeleteCluster", {"name": name})
    group = told["resourcesVpcConfig"].get("clusterSecurityGroupId")
    if group:
        account.inside.ask(call.region, "ec2", "DeleteSecurityGroup", {"GroupId": group})
    account.store(f"eks/{call.region}", dict[str, Extras]).pop(name, None)
    return {"cluster": {**told, "status": "DELETING"}}


@handles("eks", "UpdateClusterConfig")
def update_config(account: Account, call: Call) -> dict[str, Any]:
    """Change a cluster's settings, one kind at a time."""
    params = call.params
    more = extras(account, call.region, str(params["name"]))
    kind = next((one for one in _UPDATES if params.get(one) is not None), None)
    if kind is None:
        raise AwsError("InvalidParameterException", "No changes needed")
    value = params[kind]
    if kind == "accessConfig":
        _set_mode(more, str(value.get("authenticationMode", "")))
    elif kind == "resourcesVpcConfig":
        more.vpc.update({one: value[one] for one in more.vpc if one in value})
    else:
        more.settings[kind] = value
    return {"update": _update(account, more, _UPDATES[kind], {kind: value})}


@handles("eks", "UpdateClusterVersion")
def update_version(account: Account, call: Call) -> dict[str, Any]:
    """Move a cluster to the next version."""
    name, wanted = str(call.params["name"]), str(call.params["version"])
    more = extras(account, call.region, name)
    cluster = account.inside.backend("eks", call.region).clusters[name]
    have = int(str(cluster.version).partition(".")[2])
    if int(wanted.partition(".")[2]) not in (have, have + 1):
        raise AwsError(
            "InvalidParameterException",
            f"Unsupported Kubernetes minor version update from {cluster.version} to {wanted}",
        )
    cluster.version = wanted
    return {"update": _update(account, more, "VersionUpdate", {"Version": wanted})}


@handles("eks", "DescribeUpdate")
def describe_update(account: Account, call: Call) -> dict[str, Any]:
    """Describe an update."""
    more = extras(account, call.region, str(call.params["name"]))
    found = more.updates.get(str(call.params["updateId"]))
    if found is None:
        raise AwsError(
            "ResourceNotFoundException",
            f"No update found for ID: {call.params['updateId']}",
            404,
        )
    return {"update": found}


@handles("eks", "ListUpdates")
def list_updates(account: Account, call: Call) -> dict[str, Any]:
    """List the updates of a cluster."""
    return {"updateIds": list(extras(account, call.region, str(call.params["name"])).updates)}


def describe(account: Account, region: str, name: str) -> dict[str, Any]:
    """Give a cluster as EKS describes it."""
    more = extras(account, region, name)
    told: dict[str, Any] = account.inside.ask(region, "eks", "DescribeCluster", {"name": name})[
        "cluster"
    ]
    vpc = {**told.get("resourcesVpcConfig", {}), **more.vpc}
    vpc.setdefault("securityGroupIds", [])
    told.update(
        {
            "endpoint": more.endpoint,
            "identity": {"oidc": {"issuer": more.issuer}},
            "resourcesVpcConfig": vpc,
            "platformVersion": "eks.1",
            "health": {"issues": []},
            **more.settings,
        }
    )
    if more.access:
        told["accessConfig"] = dict(more.access)
    if more.certificate:
        told["certificateAuthority"] = {"data": more.certificate}
    return told


def add_update(account: Account, more: Extras, kind: str, params: dict[str, Any]) -> dict[str, Any]:
    """Write down a change that is already done, as an update."""
    return _update(account, more, kind, params)


def _update(account: Account, more: Extras, kind: str, params: dict[str, Any]) -> dict[str, Any]:
    number = f"00000000-0000-4000-8000-{account.number():012x}"
    names = {"accessConfig": "AuthenticationMode", "logging": "ClusterLogging",
             "resourcesVpcConfig": "EndpointPublicAccess", "upgradePolicy": "UpgradePolicy",
             "zonalShiftConfig": "ZonalShiftConfig"}  # fmt: skip
    update = {
        "id": number,
        "status": "Successful",
        "type": kind,
        "params": [{"type": names.get(one, one), "value": str(params[one])} for one in params],
        "createdAt": moment(account.clock.now_ms()),
        "errors": [],
    }
    more.updates[number] = update
    return {**update, "status": "InProgress"}


def _set_mode(more: Extras, wanted: str) -> None:
    have = more.access.get("authenticationMode", MODES[0])
    if wanted not in MODES:
        raise AwsError("InvalidParameterException", f"{wanted} is not an authentication mode")
    if MODES.index(wanted) < MODES.index(have):
        raise AwsError(
            "InvalidParameterException",
            f"Unsupported authentication mode update from {have} to {wanted}",
        )
    more.access["authenticationMode"] = wanted


def _make_group(account: Account, region: str, name: str, vpc_id: str) -> str:
    asked = {
        "GroupName": f"eks-cluster-sg-{name}-{account.number()}",
        "Description": "EKS created security group applied to ENI that is attached to EKS Control "
        "Plane master nodes, as well as any managed workloads.",
        "VpcId": vpc_id,
    }
    group = str(account.inside.ask(region, "ec2", "CreateSecurityGroup", asked)["GroupId"])
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}
    account.inside.ask(
        region, "ec2", "AuthorizeSecurityGroupIngress", {"GroupId": group, "IpPermissions": [rule]}
    )
    tags = {
        "Name": str(asked["GroupName"]),
        f"kubernetes.io/cluster/{name}": "owned",
        "aws:eks:cluster-name": name,
    }
    put_tags(account, region, group, tags)
    return group


def _let_creator_in(account: Account, call: Call, more: Extras) -> None:
    from nodewright.sandbox.aws.eks.access import ADMIN_POLICY, add_entry, add_policy

    if (
        more.access["authenticationMode"] == MODES[0]
        or not more.access["bootstrapClusterCreatorAdminPermissions"]
    ):
        return
    who = call.principal
    arn = who.arn
    if who.kind == "role":
        arn = f"arn:{account.partition}:iam::{account.account_id}:role/{who.name}"
    name = str(call.params["name"])
    add_entry(account, call.region, name, {"principalArn": arn, "type": "STANDARD"})
    policy = f"arn:{account.partition}:eks::aws:cluster-access-policy/{ADMIN_POLICY}"
    add_policy(account, more, arn, {"policyArn": policy, "accessScope": {"type": "cluster"}})
