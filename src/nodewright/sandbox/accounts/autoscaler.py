"""Cluster Autoscaler beside managed node groups: its role, the groups' tags, its Deployment."""

from typing import Final

from nodewright.sandbox.accounts import manifests, roles
from nodewright.sandbox.accounts.clusters import Made
from nodewright.sandbox.accounts.manifests import Object
from nodewright.sandbox.kubelet.cloud import Keys

_NAME: Final = "cluster-autoscaler"
_IMAGE: Final = f"autoscaling/{_NAME}:v1.34.0"
_ACTIONS: Final = (
    "autoscaling:DescribeAutoScalingGroups",
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:DescribeLaunchConfigurations",
    "autoscaling:DescribeTags",
    "autoscaling:SetDesiredCapacity",
    "autoscaling:TerminateInstanceInAutoScalingGroup",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "eks:DescribeNodegroup",
)


def make_autoscaler(keys: Keys, cluster: Made) -> tuple[Object, ...]:
    """Make Cluster Autoscaler's role; give the objects for the cluster."""
    iam = keys.client("iam")
    name = f"ClusterAutoscaler-{cluster.name}"
    trust = roles.trust_account(cluster.provider, manifests.SYSTEM, _NAME)
    role = roles.make_role(iam, name, trust)
    iam.put_role_policy(
        RoleName=name,
        PolicyName=name,
        PolicyDocument=roles.document(
            {"Effect": "Allow", "Action": list(_ACTIONS), "Resource": "*"}
        ),
    )
    discovery = f"asg:tag=k8s.io/{_NAME}/enabled,k8s.io/{_NAME}/{cluster.name}"
    pod = {
        "replicas": 1,
        "serviceAccountName": _NAME,
        "priorityClassName": "system-cluster-critical",
        "requests": {"cpu": "100m", "memory": "600Mi"},
        "env": manifests.variables(NODE_GROUP_AUTO_DISCOVERY=discovery),
    }
    return (
        manifests.service_account(manifests.SYSTEM, _NAME, role),
        manifests.deployment(manifests.SYSTEM, _NAME, _IMAGE, pod),
    )
