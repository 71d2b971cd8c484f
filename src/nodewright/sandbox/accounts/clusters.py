"""An EKS cluster of a scenario: its role, its entry in EKS, its security group, its issuer and add-ons."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from nodewright.sandbox.accounts import roles, scenario
from nodewright.sandbox.accounts.network import Vpc
from nodewright.sandbox.kubelet.cloud import Keys

_THUMBPRINT: Final = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280"


class Plane(msgspec.Struct, frozen=True):
    """What a cluster's control plane is; `bind` is told the cluster's name once it is there."""

    version: str
    service_range: str
    bind: Callable[[str], None]


class Made(msgspec.Struct, frozen=True):
    """A cluster as its other parts need to know it."""

    name: str
    arn: str
    version: str
    endpoint: str
    authority: str
    service_range: str
    group_id: str
    issuer: str
    provider: str
    vpc: Vpc

    @property
    def account_id(self) -> str:
        """The account that the cluster is in."""
        return self.arn.split(":")[4]


def make_cluster(keys: Keys, wanted: scenario.Cluster, vpc: Vpc, plane: Plane) -> Made:
    """Make a cluster."""
    eks, iam = keys.client("eks"), keys.client("iam")
    role = roles.make_role(
        iam, f"{wanted.name}-cluster", roles.TRUST_EKS, ("AmazonEKSClusterPolicy",)
    )
    subnets = [*vpc.public, *vpc.private] if wanted.public_endpoint else list(vpc.private)
    eks.create_cluster(
        name=wanted.name,
        version=plane.version,
        roleArn=role,
        resourcesVpcConfig={
            "subnetIds": subnets,
            "endpointPublicAccess": wanted.public_endpoint,
            "endpointPrivateAccess": wanted.private_endpoint,
        },
        kubernetesNetworkConfig={"serviceIpv4Cidr": plane.service_range},
        accessConfig={"authenticationMode": wanted.authentication_mode},
        tags=_cluster_tags(wanted),
    )
    plane.bind(wanted.name)
    told = eks.describe_cluster(name=wanted.name)["cluster"]
    issuer = str(told["identity"]["oidc"]["issuer"])
    provider = _make_provider(iam, issuer) if wanted.oidc_provider else ""
    group = str(told["resourcesVpcConfig"]["clusterSecurityGroupId"])
    _tag(keys.client("ec2"), wanted, vpc, group)
    for addon in wanted.addons:
        eks.create_addon(clusterName=wanted.name, addonName=addon)
    return Made(
        name=wanted.name,
        arn=told["arn"],
        version=told["version"],
        endpoint=told["endpoint"],
        authority=told["certificateAuthority"]["data"],
        service_range=told["kubernetesNetworkConfig"]["serviceIpv4Cidr"],
        group_id=group,
        issuer=issuer,
        provider=provider,
        vpc=vpc,
    )


def _cluster_tags(wanted: scenario.Cluster) -> dict[str, str]:
    if wanted.made_by != "eksctl":
        return {}
    return {
        "alpha.eksctl.io/cluster-name": wanted.name,
        "karpenter.sh/discovery": wanted.name,
    }


def _make_provider(iam: Any, issuer: str) -> str:
    made = iam.create_open_id_connect_provider(
        Url=issuer, ClientIDList=["sts.amazonaws.com"], ThumbprintList=[_THUMBPRINT]
    )
    return str(made["OpenIDConnectProviderArn"])


def _tag(ec2: Any, wanted: scenario.Cluster, vpc: Vpc, group: str) -> None:
    """Put the tags on that EKS, and eksctl where it is at work, put on."""
    owned = [{"Key": f"kubernetes.io/cluster/{wanted.name}", "Value": "owned"}]
    ec2.create_tags(Resources=[group], Tags=owned)
    if wanted.made_by == "eksctl":
        found = [{"Key": "karpenter.sh/discovery", "Value": wanted.name}]
        ec2.create_tags(Resources=[group, *vpc.private], Tags=found)
