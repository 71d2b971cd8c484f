"""Managed node groups: a role, a launch template where one is asked for, and the group itself.

EKS starts the group's machines by itself, from a template of its own making.
"""

from typing import Any, Final

from nodewright.sandbox.accounts import roles, scenario
from nodewright.sandbox.accounts.clusters import Made
from nodewright.sandbox.kubelet.cloud import Keys

NODE_GROUP: Final = "eks.amazonaws.com/nodegroup"
_IMAGE: Final = (
    "/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/x86_64/standard/"
    "recommended/image_id"
)


def make_node_group(keys: Keys, cluster: Made, wanted: scenario.NodeGroup, made_by: str) -> str:
    """Make a node group, which brings its machines, and give the ARN of its role."""
    iam = keys.client("iam")
    role = roles.make_role(
        iam, _role_name(cluster.name, wanted.name, made_by), roles.TRUST_EC2, roles.NODE_POLICIES
    )
    template = _make_template(keys, cluster, wanted, made_by)
    asked: dict[str, Any] = {"launchTemplate": template} if template else {}
    keys.client("eks").create_nodegroup(
        clusterName=cluster.name,
        nodegroupName=wanted.name,
        nodeRole=role,
        subnets=list(cluster.vpc.private),
        instanceTypes=[wanted.instance_type],
        amiType="AL2023_x86_64_STANDARD",
        scalingConfig={
            "minSize": 0,
            "maxSize": max(10, wanted.count),
            "desiredSize": wanted.count,
        },
        labels=_own_labels(cluster.name, wanted, made_by),
        **asked,
    )
    return role


def image_for(keys: Keys, version: str) -> str:
    """Give the image that EKS recommends for a release."""
    told = keys.client("ssm").get_parameter(Name=_IMAGE.format(version=version))
    return str(told["Parameter"]["Value"])


def _role_name(cluster: str, group: str, made_by: str) -> str:
    if made_by == "eksctl":
        return f"eksctl-{cluster}-nodegroup-{group}-NodeInstanceRole"
    return f"{cluster}-{group}-node"


def _own_labels(cluster: str, wanted: scenario.NodeGroup, made_by: str) -> dict[str, str]:
    if made_by != "eksctl":
        return dict(wanted.labels)
    return {
        "alpha.eksctl.io/cluster-name": cluster,
        "alpha.eksctl.io/nodegroup-name": wanted.name,
        **wanted.labels,
    }


def _make_template(
    keys: Keys, cluster: Made, wanted: scenario.NodeGroup, made_by: str
) -> dict[str, str] | None:
    if wanted.template == "none":
        return None
    groups = [cluster.group_id]
    network: dict[str, Any] = (
        {"SecurityGroupIds": groups}
        if wanted.template == "groups"
        else {"NetworkInterfaces": [{"DeviceIndex": 0, "Groups": groups}]}
    )
    stem = "eksctl-" if made_by == "eksctl" else ""
    made = keys.client("ec2").create_launch_template(
        LaunchTemplateName=f"{stem}{cluster.name}-{wanted.name}",
        LaunchTemplateData={**network, "MetadataOptions": {"HttpTokens": "required"}},
    )["LaunchTemplate"]
    return {"id": made["LaunchTemplateId"], "version": str(made["LatestVersionNumber"])}
