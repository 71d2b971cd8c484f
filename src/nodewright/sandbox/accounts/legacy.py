"""A Karpenter of the v0.30 days, installed by hand: what many clusters still carry.

The controller's policy is flat, and it may end only machines whose name says karpenter. The affinity that
should keep the controller off its own nodes is written as a second term, which lets it on them. The
Provisioner names categories where types belong. All of that is on purpose.
"""

from typing import Any, Final

from nodewright.crds.document import definitions
from nodewright.sandbox.accounts import manifests, roles
from nodewright.sandbox.accounts.clusters import Made
from nodewright.sandbox.accounts.manifests import Object
from nodewright.sandbox.accounts.nodegroups import NODE_GROUP
from nodewright.sandbox.kubelet.cloud import Keys

NAMESPACE: Final = "karpenter"
VERSION: Final = "v0.30.0"
_IMAGE: Final = f"karpenter/controller:{VERSION}"
_FLAT: Final = (
    "ssm:GetParameter",
    "ec2:DescribeImages",
    "ec2:RunInstances",
    "ec2:DescribeSubnets",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribeInstances",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeAvailabilityZones",
    "ec2:DeleteLaunchTemplate",
    "ec2:CreateTags",
    "ec2:CreateLaunchTemplate",
    "ec2:CreateFleet",
    "ec2:DescribeSpotPriceHistory",
    "pricing:GetProducts",
)


def make_legacy(keys: Keys, cluster: Made, group: str) -> tuple[str, tuple[Object, ...]]:
    """Make the old Karpenter's side of AWS; give the node role and the objects for the cluster."""
    iam = keys.client("iam")
    node_role = f"KarpenterNodeRole-{cluster.name}"
    role = roles.make_role(iam, node_role, roles.TRUST_EC2, roles.NODE_POLICIES)
    profile = f"KarpenterNodeInstanceProfile-{cluster.name}"
    roles.make_profile(iam, profile, node_role)
    controller = f"KarpenterControllerRole-{cluster.name}"
    trust = roles.trust_account(cluster.provider, NAMESPACE, "karpenter")
    controller_role = roles.make_role(iam, controller, trust)
    iam.put_role_policy(
        RoleName=controller,
        PolicyName=f"KarpenterControllerPolicy-{cluster.name}",
        PolicyDocument=roles.document(*_statements(cluster, role)),
    )
    tag = [{"Key": "karpenter.sh/discovery", "Value": cluster.name}]
    resources = [cluster.group_id, *cluster.vpc.private]
    keys.client("ec2").create_tags(Resources=resources, Tags=tag)
    return role, (*_chart(cluster, controller_role, group, profile), *_resources(keys, cluster))


def _statements(cluster: Made, node_role: str) -> tuple[dict[str, Any], ...]:
    return (
        {"Sid": "Karpenter", "Effect": "Allow", "Action": list(_FLAT), "Resource": "*"},
        {
            "Sid": "ConditionalEC2Termination",
            "Effect": "Allow",
            "Action": "ec2:TerminateInstances",
            "Resource": "*",
            "Condition": {"StringLike": {"ec2:ResourceTag/Name": "*karpenter*"}},
        },
        {
            "Sid": "PassNodeIAMRole",
            "Effect": "Allow",
            "Action": "iam:PassRole",
            "Resource": node_role,
        },
        {
            "Sid": "EKSClusterEndpointLookup",
            "Effect": "Allow",
            "Action": "eks:DescribeCluster",
            "Resource": cluster.arn,
        },
    )


def _chart(cluster: Made, role: str, group: str, profile: str) -> tuple[Object, ...]:
    not_own = {"key": "karpenter.sh/provisioner-name", "operator": "DoesNotExist"}
    on_group = {"key": NODE_GROUP, "operator": "In", "values": [group]}
    pod = {
        "serviceAccountName": "karpenter",
        "requests": {"cpu": "1", "memory": "1Gi"},
        "affinity": manifests.node_affinity([not_own], [on_group]),
        "env": manifests.variables(CLUSTER_NAME=cluster.name),
    }
    settings = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"namespace": NAMESPACE, "name": "karpenter-global-settings"},
        "data": {"aws.clusterName": cluster.name, "aws.defaultInstanceProfile": profile},
    }
    return (
        manifests.namespace(NAMESPACE),
        *(one for one in definitions(legacy=True) if _is_legacy(one)),
        settings,
        manifests.service_account(NAMESPACE, "karpenter", role),
        manifests.deployment(NAMESPACE, "karpenter", _IMAGE, pod),
    )


def _is_legacy(definition: Object) -> bool:
    return definition["spec"]["names"]["kind"] in ("Provisioner", "AWSNodeTemplate")


def _resources(keys: Keys, cluster: Made) -> tuple[Object, ...]:
    discovery = {"karpenter.sh/discovery": cluster.name}
    requirements = {
        "karpenter.sh/capacity-type": ["on-demand"],
        "node.kubernetes.io/instance-type": ["c", "t", "m"],
        "topology.kubernetes.io/zone": [f"{keys.region}{letter}" for letter in "abc"],
    }
    return (
        {
            "apiVersion": "karpenter.sh/v1alpha5",
            "kind": "Provisioner",
            "metadata": {"name": "default"},
            "spec": {
                "requirements": [
                    {"key": key, "operator": "In", "values": values}
                    for key, values in requirements.items()
                ],
                "limits": {"resources": {"cpu": 1000}},
                "providerRef": {"name": "default"},
                "consolidation": {"enabled": True},
            },
        },
        {
            "apiVersion": "karpenter.k8s.aws/v1alpha1",
            "kind": "AWSNodeTemplate",
            "metadata": {"name": "default"},
            "spec": {"subnetSelector": discovery, "securityGroupSelector": discovery},
        },
    )
