"""Karpenter v1 as its guide installs it: roles, queue, rules, chart, a pool, and a node that it made."""

from typing import Any, Final

import msgspec

from nodewright.crds.document import definitions
from nodewright.sandbox.accounts import manifests, roles
from nodewright.sandbox.accounts.clusters import Made
from nodewright.sandbox.accounts.manifests import Object
from nodewright.sandbox.accounts.network import tags_of
from nodewright.sandbox.accounts.nodegroups import image_for
from nodewright.sandbox.accounts.userdata import render
from nodewright.sandbox.kubelet.cloud import Keys

VERSION: Final = "1.8.0"
_IMAGE: Final = f"karpenter/controller:{VERSION}"
_CLASS: Final = "karpenter.k8s.aws"
_TYPE: Final = "m5.large"
_TYPE_LABELS: Final = {
    "node.kubernetes.io/instance-type": _TYPE,
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/os": "linux",
    f"{_CLASS}/instance-category": "m",
    f"{_CLASS}/instance-family": "m5",
    f"{_CLASS}/instance-generation": "5",
    f"{_CLASS}/instance-size": "large",
}
_CONDITIONS: Final = ("Launched", "Registered", "Initialized", "Ready")
_RULES: Final = {
    "ScheduledChangeRule": ("aws.health", "AWS Health Event"),
    "SpotInterruptionRule": ("aws.ec2", "EC2 Spot Instance Interruption Warning"),
    "RebalanceRule": ("aws.ec2", "EC2 Instance Rebalance Recommendation"),
    "InstanceStateChangeRule": ("aws.ec2", "EC2 Instance State-change Notification"),
}


def make_karpenter(keys: Keys, cluster: Made) -> tuple[str, tuple[Object, ...]]:
    """Make Karpenter's side of AWS; give the node role and the objects for the cluster."""
    iam, eks = keys.client("iam"), keys.client("eks")
    node_role = f"KarpenterNodeRole-{cluster.name}"
    role = roles.make_role(iam, node_role, roles.TRUST_EC2, roles.NODE_POLICIES)
    controller = f"KarpenterControllerRole-{cluster.name}"
    controller_role = roles.make_role(iam, controller, roles.TRUST_PODS)
    iam.put_role_policy(
        RoleName=controller,
        PolicyName=f"KarpenterControllerPolicy-{cluster.name}",
        PolicyDocument=roles.document(*_statements(cluster, role)),
    )
    eks.create_pod_identity_association(
        clusterName=cluster.name,
        namespace=manifests.SYSTEM,
        serviceAccount="karpenter",
        roleArn=controller_role,
    )
    _tag_for_discovery(keys, cluster)
    make_queue(keys, cluster.name, cluster.account_id)
    profile = f"{cluster.name}_karpenter"
    roles.make_profile(iam, profile, node_role)
    return role, (*_chart(cluster), *_pool(cluster, node_role), *_node(keys, cluster, profile))


def _statements(cluster: Made, node_role: str) -> tuple[dict[str, Any], ...]:
    owned = {f"aws:ResourceTag/kubernetes.io/cluster/{cluster.name}": "owned"}
    return (
        {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": ["ec2:Describe*", "pricing:GetProducts", "ssm:GetParameter"],
            "Resource": "*",
        },
        {
            "Sid": "Launch",
            "Effect": "Allow",
            "Action": [
                "ec2:CreateFleet",
                "ec2:CreateLaunchTemplate",
                "ec2:CreateTags",
                "ec2:RunInstances",
            ],
            "Resource": "*",
        },
        {
            "Sid": "End",
            "Effect": "Allow",
            "Action": ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            "Resource": "*",
            "Condition": {"StringEquals": owned},
        },
        {"Sid": "Pass", "Effect": "Allow", "Action": "iam:PassRole", "Resource": node_role},
        {
            "Sid": "Profiles",
            "Effect": "Allow",
            "Action": "iam:*InstanceProfile*",
            "Resource": "*",
        },
        {
            "Sid": "Look",
            "Effect": "Allow",
            "Action": "eks:DescribeCluster",
            "Resource": cluster.arn,
        },
        {
            "Sid": "Queue",
            "Effect": "Allow",
            "Action": ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
            "Resource": "*",
        },
    )


def _tag_for_discovery(keys: Keys, cluster: Made) -> None:
    tag = [{"Key": "karpenter.sh/discovery", "Value": cluster.name}]
    resources = [cluster.group_id, *cluster.vpc.private]
    keys.client("ec2").create_tags(Resources=resources, Tags=tag)


def make_queue(keys: Keys, cluster: str, account_id: str) -> None:
    """Make the queue of interruption messages, and the rules that feed it."""
    sqs, events = keys.client("sqs"), keys.client("events")
    arn = f"arn:aws:sqs:{keys.region}:{account_id}:{cluster}"
    sender = {
        "Effect": "Allow",
        "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
        "Action": "sqs:SendMessage",
        "Resource": arn,
    }
    sqs.create_queue(
        QueueName=cluster,
        Attributes={"MessageRetentionPeriod": "300", "Policy": roles.document(sender)},
    )
    for stem, (source, detail) in _RULES.items():
        name = f"{stem}-{cluster}"
        pattern = {"source": [source], "detail-type": [detail]}
        events.put_rule(Name=name, EventPattern=msgspec.json.encode(pattern).decode())
        events.put_targets(Rule=name, Targets=[{"Id": "KarpenterInterruptionQueue", "Arn": arn}])


def _chart(cluster: Made) -> tuple[Object, ...]:
    not_own = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
    pod = {
        "serviceAccountName": "karpenter",
        "priorityClassName": "system-cluster-critical",
        "requests": {"cpu": "500m", "memory": "512Mi"},
        "tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}],
        "affinity": manifests.node_affinity([not_own]),
        "env": manifests.variables(CLUSTER_NAME=cluster.name, INTERRUPTION_QUEUE=cluster.name),
    }
    return (
        *definitions(),
        manifests.service_account(manifests.SYSTEM, "karpenter"),
        manifests.deployment(manifests.SYSTEM, "karpenter", _IMAGE, pod),
    )


def _pool(cluster: Made, node_role: str) -> tuple[Object, ...]:
    found = [{"tags": {"karpenter.sh/discovery": cluster.name}}]
    node_class = {
        "apiVersion": f"{_CLASS}/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "default"},
        "spec": {
            "role": node_role,
            "amiSelectorTerms": [{"alias": "al2023@latest"}],
            "subnetSelectorTerms": found,
            "securityGroupSelectorTerms": found,
        },
    }
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "default"},
        "spec": {
            "template": {"spec": _claim_spec()},
            "limits": {"cpu": 1000},
            "disruption": {
                "consolidationPolicy": "WhenEmptyOrUnderutilized",
                "consolidateAfter": "1m",
            },
        },
    }
    return node_class, pool


def _claim_spec() -> Object:
    return {
        "nodeClassRef": {"group": _CLASS, "kind": "EC2NodeClass", "name": "default"},
        "requirements": [
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
            {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
            {"key": f"{_CLASS}/instance-category", "operator": "In", "values": ["c", "m", "r"]},
        ],
        "expireAfter": "720h",
    }


def _node(keys: Keys, cluster: Made, profile: str) -> tuple[Object, ...]:
    """Start a machine as Karpenter would have, registered already, and give its claim."""
    name = "default-first"
    labels = {
        "karpenter.sh/nodepool": "default",
        "karpenter.sh/capacity-type": "on-demand",
        "karpenter.sh/registered": "true",
        "karpenter.sh/initialized": "true",
        "karpenter.sh/do-not-sync-taints": "true",
        f"{_CLASS}/ec2nodeclass": "default",
    }
    tags = {
        f"kubernetes.io/cluster/{cluster.name}": "owned",
        "eks:eks-cluster-name": cluster.name,
        "karpenter.sh/nodepool": "default",
        "karpenter.sh/nodeclaim": name,
        f"{_CLASS}/ec2nodeclass": "default",
    }
    [made] = keys.client("ec2").run_instances(
        ImageId=image_for(keys, cluster.version),
        InstanceType=_TYPE,
        MinCount=1,
        MaxCount=1,
        SubnetId=cluster.vpc.private[0],
        SecurityGroupIds=[cluster.group_id],
        IamInstanceProfile={"Name": profile},
        UserData=render(cluster, labels),
        TagSpecifications=tags_of("instance", tags),
    )["Instances"]
    zone = made["Placement"]["AvailabilityZone"]
    claim = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": name,
            "finalizers": ["karpenter.sh/termination"],
            "labels": {
                **labels,
                **_TYPE_LABELS,
                "topology.kubernetes.io/zone": zone,
            },
        },
        "spec": _claim_spec(),
        "status": {
            "providerID": f"aws:///{zone}/{made['InstanceId']}",
            "nodeName": made["PrivateDnsName"],
            "imageID": made["ImageId"],
            "conditions": [_condition(kind) for kind in _CONDITIONS],
        },
    }
    return (claim,)


def _condition(kind: str) -> dict[str, str]:
    return {
        "type": kind,
        "status": "True",
        "reason": kind,
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
