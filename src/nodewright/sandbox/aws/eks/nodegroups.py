"""Managed node groups: a launch template that EKS makes for each, and machines that really run.

The template carries what the group's own template names (groups of its first interface, else its
security groups), else the cluster security group. The machines are tagged as EKS tags them and live
until the group is made smaller or taken away.
"""

import base64
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import AwsError, Call
from nodewright.sandbox.aws.ec2.images import parameters, seed_images
from nodewright.sandbox.aws.ec2.launch import Order, launch
from nodewright.sandbox.aws.ec2.machines import Machine, end, machines
from nodewright.sandbox.aws.ec2.spec import merge, read_template
from nodewright.sandbox.aws.ec2.tags import tags_of
from nodewright.sandbox.aws.eks.access import add_entry
from nodewright.sandbox.aws.eks.clusters import MODES, describe, extras
from nodewright.sandbox.aws.registry import handles

GROUP_TAG: Final = "eks:nodegroup-name"
CLUSTER_TAG: Final = "eks:cluster-name"
_LIVE: Final = ("pending", "running")
_IMAGES: Final = {
    "AL2_x86_64": "amazon-linux-2",
    "AL2_ARM_64": "amazon-linux-2-arm64",
    "AL2023_x86_64_STANDARD": "amazon-linux-2023/x86_64/standard",
    "AL2023_ARM_64_STANDARD": "amazon-linux-2023/arm64/standard",
    "AL2023_x86_64_NVIDIA": "amazon-linux-2023/x86_64/nvidia",
}
_DEFAULT_TYPE: Final = "AL2023_x86_64_STANDARD"
_KEPT: Final = ("clusterName", "nodegroupName", "subnets", "nodeRole", "scalingConfig", "diskSize",
                "instanceTypes", "amiType", "remoteAccess", "labels", "taints", "tags", "launchTemplate",
                "capacityType", "version", "releaseVersion", "updateConfig")  # fmt: skip


@handles("eks", "CreateNodegroup")
def create_nodegroup(account: Account, call: Call) -> dict[str, Any]:
    """Make a node group and launch its machines."""
    params, region = call.params, call.region
    cluster, name = str(params["clusterName"]), str(params["nodegroupName"])
    more = extras(account, region, cluster)
    version = str(account.inside.backend("eks", region).clusters[cluster].version)
    asked = {one: params[one] for one in _KEPT if params.get(one) is not None}
    asked = {"version": version, "amiType": _DEFAULT_TYPE, **asked}
    account.inside.ask(region, "eks", "CreateNodegroup", asked)
    more.templates[name] = _make_template(account, region, asked)
    role = str(params["nodeRole"])
    if more.access.get("authenticationMode", MODES[0]) != MODES[0] and role not in more.entries:
        # EKS lets the nodes of its own groups in.
        add_entry(account, region, cluster, {"principalArn": role, "type": "EC2_LINUX"})
    _scale(account, call, cluster, name)
    return {"nodegroup": _told(account, region, cluster, name)}


@handles("eks", "DescribeNodegroup")
def describe_nodegroup(account: Account, call: Call) -> dict[str, Any]:
    """Describe a node group."""
    cluster, name = str(call.params["clusterName"]), str(call.params["nodegroupName"])
    extras(account, call.region, cluster)
    return {"nodegroup": _told(account, call.region, cluster, name)}


@handles("eks", "UpdateNodegroupConfig")
def update_nodegroup(account: Account, call: Call) -> dict[str, Any]:
    """Change a node group, and launch or end machines to its new size."""
    cluster, name = str(call.params["clusterName"]), str(call.params["nodegroupName"])
    extras(account, call.region, cluster)
    answer = account.inside.ask(call.region, "eks", "UpdateNodegroupConfig", call.params)
    _scale(account, call, cluster, name)
    return answer


@handles("eks", "DeleteNodegroup")
def delete_nodegroup(account: Account, call: Call) -> dict[str, Any]:
    """Take a node group and its machines away."""
    cluster, name = str(call.params["clusterName"]), str(call.params["nodegroupName"])
    more = extras(account, call.region, cluster)
    told = _told(account, call.region, cluster, name)
    asked = {"clusterName": cluster, "nodegroupName": name}
    account.inside.ask(call.region, "eks", "DeleteNodegroup", asked)
    for one in _members(account, call.region, cluster, name):
        end(account, one)
    template = more.templates.pop(name, None)
    if template is not None:
        account.inside.ask(
            call.region, "ec2", "DeleteLaunchTemplate", {"LaunchTemplateId": template["id"]}
        )
    return {"nodegroup": {**told, "status": "DELETING"}}


def _told(account: Account, region: str, cluster: str, name: str) -> dict[str, Any]:
    asked = {"clusterName": cluster, "nodegroupName": name}
    told: dict[str, Any] = account.inside.ask(region, "eks", "DescribeNodegroup", asked)[
        "nodegroup"
    ]
    own = extras(account, region, cluster).templates.get(name)
    if own is not None and not told.get("launchTemplate"):
        told["launchTemplate"] = {"id": own["id"], "name": own["name"], "version": own["version"]}
    elif told.get("launchTemplate"):
        told["launchTemplate"].setdefault("version", "1")
    return told


def _make_template(account: Account, region: str, asked: dict[str, Any]) -> dict[str, str]:
    cluster = str(asked["clusterName"])
    told = describe(account, region, cluster)
    given = asked.get("launchTemplate")
    wishes: dict[str, Any] = {}
    if given:
        words = {"id": "LaunchTemplateId", "name": "LaunchTemplateName", "version": "Version"}
        found = read_template(account, region, {words[one]: given[one] for one in given})
        wishes = {one: found.data[one] for one in found.data if one != "TagSpecifications"}
    groups = (wishes.get("NetworkInterfaces") or [{}])[0].get("Groups") or wishes.get(
        "SecurityGroupIds"
    )
    wishes.pop("NetworkInterfaces", None)
    wishes["SecurityGroupIds"] = groups or [told["resourcesVpcConfig"]["clusterSecurityGroupId"]]
    wishes.setdefault("ImageId", _image(account, region, asked))
    wishes.setdefault("UserData", _user_data(told, asked, str(wishes["ImageId"])))
    wishes.setdefault("MetadataOptions", {"HttpPutResponseHopLimit": 2, "HttpTokens": "required"})
    wishes["IamInstanceProfile"] = {"Name": _profile(account, region, asked)}
    wishes.setdefault("InstanceType", (asked.get("instanceTypes") or ["t3.medium"])[0])
    name = f"eks-{account.number():08x}-0000-4000-8000-{account.number():012x}"
    made = account.inside.ask(
        region, "ec2", "CreateLaunchTemplate",
        {"LaunchTemplateName": name, "LaunchTemplateData": wishes},
    )["LaunchTemplate"]  # fmt: skip
    return {"id": str(made["LaunchTemplateId"]), "name": name, "version": "1"}


def _image(account: Account, region: str, asked: dict[str, Any]) -> str:
    seed_images(account, region)
    folder = _IMAGES.get(str(asked["amiType"]))
    path = f"/aws/service/eks/optimized-ami/{asked['version']}/{folder}/recommended/image_id"
    found = parameters(account, region).get(path)
    if found is None:
        raise AwsError(
            "InvalidParameterException",
            f"Requested AMI for this version {asked['version']} is not supported",
        )
    return found


def _profile(account: Account, region: str, asked: dict[str, Any]) -> str:
    name = f"eks-{account.number():08x}-profile"
    account.inside.ask(region, "iam", "CreateInstanceProfile", {"InstanceProfileName": name})
    role = str(asked["nodeRole"]).rsplit("/", 1)[-1]
    account.inside.ask(
        region, "iam", "AddRoleToInstanceProfile", {"InstanceProfileName": name, "RoleName": role}
    )
    return name


def _user_data(told: dict[str, Any], asked: dict[str, Any], image: str) -> str:
    labels = {
        "eks.amazonaws.com/nodegroup": str(asked["nodegroupName"]),
        "eks.amazonaws.com/nodegroup-image": image,
        "eks.amazonaws.com/capacityType": str(asked.get("capacityType") or "ON_DEMAND"),
        **(asked.get("labels") or {}),
    }
    flags = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    if str(asked["amiType"]).startswith("AL2_"):
        text = (
            'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n'
            'Content-Type: text/x-shellscript; charset="us-ascii"\n\n#!/bin/bash\nset -ex\n'
            f"/etc/eks/bootstrap.sh {told['name']} --apiserver-endpoint {told['endpoint']} "
            f"--b64-cluster-ca {told['certificateAuthority']['data']} "
            f"--kubelet-extra-args '--node-labels={flags}'\n\n--//--\n"
        )
    else:
        text = (
            'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n'
            "Content-Type: application/node.eks.aws\n\n---\napiVersion: node.eks.aws/v1alpha1\n"
            f"kind: NodeConfig\nspec:\n  cluster:\n    name: {told['name']}\n"
            f"    apiServerEndpoint: {told['endpoint']}\n"
            f"    certificateAuthority: {told['certificateAuthority']['data']}\n"
            f"    cidr: {told['kubernetesNetworkConfig']['serviceIpv4Cidr']}\n"
            f"  kubelet:\n    flags:\n    - --node-labels={flags}\n\n--//--\n"
        )
    return base64.b64encode(text.encode()).decode()


def _members(account: Account, region: str, cluster: str, name: str) -> list[Machine]:
    return [
        one
        for one in machines(account).values()
        if one.region == region
        and one.state in _LIVE
        and {GROUP_TAG: name, CLUSTER_TAG: cluster}.items()
        <= tags_of(account, region, one.instance_id).items()
    ]


def _scale(account: Account, call: Call, cluster: str, name: str) -> None:
    region = call.region
    group = account.inside.backend("eks", region).clusters[cluster].nodegroups[name]
    wanted = int((group.scaling_config or {}).get("desiredSize", 2))
    members = _members(account, region, cluster, name)
    for one in members[wanted:]:
        end(account, one)
    own = extras(account, region, cluster).templates[name]
    template = read_template(account, region, {"LaunchTemplateId": own["id"]})
    tags = {
        GROUP_TAG: name,
        CLUSTER_TAG: cluster,
        f"kubernetes.io/cluster/{cluster}": "owned",
        f"k8s.io/cluster-autoscaler/{cluster}": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
    }
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    params = {"TagSpecifications": [{"ResourceType": "instance", "Tags": listed}]}
    kind = "spot" if group.capacity_type == "SPOT" else "on-demand"
    for index in range(len(members), wanted):
        subnet = group.subnets[index % len(group.subnets)]
        launch(account, call, Order(merge(template, params, {"SubnetId": subnet}), kind))
