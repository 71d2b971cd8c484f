"""Add-ons and versions: what is installed, what could be, and which Kubernetes versions EKS has."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.images import KUBERNETES
from nodewright.sandbox.aws.eks.clusters import LATEST, Extras, add_update, extras
from nodewright.sandbox.aws.moment import moment
from nodewright.sandbox.aws.pages import page, with_token
from nodewright.sandbox.aws.registry import handles

# Name, kind and newest version; `{}` is the cluster's version where the add-on follows it.
ADDONS: Final = {
    "amazon-cloudwatch-observability": ("observability", "v4.6.0-eksbuild.1"),
    "aws-ebs-csi-driver": ("storage", "v1.51.1-eksbuild.1"),
    "aws-efs-csi-driver": ("storage", "v2.1.13-eksbuild.1"),
    "coredns": ("networking", "v1.12.4-eksbuild.1"),
    "eks-node-monitoring-agent": ("observability", "v1.4.1-eksbuild.1"),
    "eks-pod-identity-agent": ("security", "v1.3.9-eksbuild.3"),
    "kube-proxy": ("networking", "v{}.1-eksbuild.2"),
    "metrics-server": ("observability", "v0.8.0-eksbuild.2"),
    "vpc-cni": ("networking", "v1.20.4-eksbuild.1"),
}
_WITH_ROLE: Final = {"aws-ebs-csi-driver", "aws-efs-csi-driver", "vpc-cni"}
_PAGE: Final = 100
_FIRST_DAY: Final = datetime(2023, 4, 11, tzinfo=UTC)
_BETWEEN: Final = timedelta(days=122)
_STANDARD: Final = timedelta(days=426)
_EXTENDED: Final = timedelta(days=365)


def version_of(name: str, cluster: str) -> str:
    """Give an add-on's newest version for a version of Kubernetes."""
    return ADDONS[name][1].format(cluster)


@handles("eks", "CreateAddon")
def create_addon(account: Account, call: Call) -> dict[str, Any]:
    """Install an add-on."""
    params = call.params
    cluster, name = str(params["clusterName"]), str(params["addonName"])
    more = extras(account, call.region, cluster)
    if name not in ADDONS:
        raise AwsError("InvalidParameterException", f"Addon {name} specified is not supported")
    if name in more.addons:
        raise AwsError("ResourceInUseException", "Addon already exists.", 409)
    kubernetes = str(account.inside.backend("eks", call.region).clusters[cluster].version)
    now = moment(account.clock.now_ms())
    addon: dict[str, Any] = {
        "addonName": name,
        "clusterName": cluster,
        "status": "ACTIVE",
        "addonVersion": str(params.get("addonVersion") or version_of(name, kubernetes)),
        "health": {"issues": []},
        "addonArn": f"arn:{account.partition}:eks:{call.region}:{account.account_id}:addon/{cluster}"
        f"/{name}/{account.number():08x}",
        "createdAt": now,
        "modifiedAt": now,
        "tags": dict(params.get("tags") or {}),
        "owner": "aws",
        "publisher": "eks",
    }
    for one in ("serviceAccountRoleArn", "configurationValues"):
        if params.get(one):
            addon[one] = str(params[one])
    more.addons[name] = addon
    return {"addon": {**addon, "status": "CREATING"}}


@handles("eks", "DescribeAddon", "DeleteAddon")
def describe_addon(account: Account, call: Call) -> dict[str, Any]:
    """Describe an add-on, perhaps while taking it away."""
    more, addon = _find(account, call)
    if call.operation.startswith("Delete"):
        del more.addons[addon["addonName"]]
        return {"addon": {**addon, "status": "DELETING"}}
    return {"addon": addon}


@handles("eks", "UpdateAddon")
def update_addon(account: Account, call: Call) -> dict[str, Any]:
    """Change an add-on."""
    more, addon = _find(account, call)
    changes = {
        one: str(call.params[one])
        for one in ("addonVersion", "serviceAccountRoleArn", "configurationValues")
        if call.params.get(one)
    }
    addon.update(changes)
    addon["modifiedAt"] = moment(account.clock.now_ms())
    names = {"addonVersion": "AddonVersion", "serviceAccountRoleArn": "ServiceAccountRoleArn",
             "configurationValues": "ConfigurationValues"}  # fmt: skip
    told = {names[one]: value for one, value in changes.items()}
    return {"update": add_update(account, more, "AddonUpdate", told)}


@handles("eks", "ListAddons")
def list_addons(account: Account, call: Call) -> dict[str, Any]:
    """List the add-ons of a cluster."""
    more = extras(account, call.region, str(call.params["clusterName"]))
    size = int(call.params.get("maxResults") or _PAGE)
    some, token = page(
        sorted(more.addons), call.params.get("nextToken"), size, "InvalidParameterException"
    )
    return with_token({"addons": some}, "nextToken", token)


@handles("eks", "DescribeAddonVersions")
def describe_addon_versions(account: Account, call: Call) -> dict[str, Any]:
    """List what could be installed."""
    del account
    name = call.params.get("addonName")
    if name and name not in ADDONS:
        raise AwsError("ResourceNotFoundException", "Addon specified is not supported", 404)
    wanted = call.params.get("kubernetesVersion")
    versions = [str(wanted)] if wanted else list(KUBERNETES)
    told = []
    for one, (kind, _) in ADDONS.items():
        if name and one != name:
            continue
        by_version: dict[str, list[str]] = {}
        for version in versions:
            by_version.setdefault(version_of(one, version), []).append(version)
        told.append(
            {
                "addonName": one,
                "type": kind,
                "owner": "aws",
                "publisher": "eks",
                "addonVersions": [
                    _addon_version(one, number, fits) for number, fits in by_version.items()
                ],
            }
        )
    return {"addons": told}


@handles("eks", "DescribeClusterVersions")
def describe_cluster_versions(account: Account, call: Call) -> dict[str, Any]:
    """List the versions of Kubernetes that EKS has, the newest first."""
    now = moment(account.clock.now_ms())
    wanted = call.params.get("clusterVersions")
    told = [cluster_version(one, now) for one in reversed(KUBERNETES)]
    chosen = [
        one
        for one in told
        if (not wanted or one["clusterVersion"] in wanted)
        and (call.params.get("includeAll") or one["versionStatus"] != "UNSUPPORTED")
        and (not call.params.get("defaultOnly") or one["defaultVersion"])
    ]
    return {"clusterVersions": chosen}


def _addon_version(name: str, number: str, fits: list[str]) -> dict[str, Any]:
    return {
        "addonVersion": number,
        "architecture": ["amd64", "arm64"],
        "computeTypes": ["ec2", "auto", "hybrid"],
        "compatibilities": [
            {"clusterVersion": one, "platformVersions": ["*"], "defaultVersion": True}
            for one in fits
        ],
        "requiresConfiguration": False,
        "requiresIamPermissions": name in _WITH_ROLE,
    }


def cluster_version(version: str, now: datetime) -> dict[str, Any]:
    """Describe a version of Kubernetes and how it is supported by now."""
    released = _FIRST_DAY + _BETWEEN * (int(version.partition(".")[2]) - 26)
    standard, extended = released + _STANDARD, released + _STANDARD + _EXTENDED
    status = "STANDARD_SUPPORT" if now < standard else "EXTENDED_SUPPORT"
    return {
        "clusterVersion": version,
        "clusterType": "eks",
        "defaultPlatformVersion": "eks.1",
        "defaultVersion": version == LATEST,
        "releaseDate": released,
        "endOfStandardSupportDate": standard,
        "endOfExtendedSupportDate": extended,
        "versionStatus": status if now < extended else "UNSUPPORTED",
        "kubernetesPatchVersion": f"{version}.1",
    }


def _find(account: Account, call: Call) -> tuple[Extras, dict[str, Any]]:
    cluster, name = str(call.params["clusterName"]), str(call.params["addonName"])
    more = extras(account, call.region, cluster)
    if name not in more.addons:
        raise AwsError(
            "ResourceNotFoundException",
            f"No addon: {name} found in cluster: {cluster}",
            404,
        )
    return more, more.addons[name]
