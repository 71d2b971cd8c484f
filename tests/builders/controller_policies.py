"""Policies of a node autoscaler: the scoped one of Karpenter v1, and a flat one of older days."""

ACCOUNT = "123456789012"
REGION = "us-west-2"
NODE_ROLE = f"arn:aws:iam::{ACCOUNT}:role/KarpenterNodeRole-demo"
_MADE = ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")  # fmt: skip
_USED = ("security-group", "subnet", "capacity-reservation", "placement-group")


def scoped_statements(cluster="demo"):
    """Give the statements, each scoped to what carries the cluster's tags."""
    owned = f"kubernetes.io/cluster/{cluster}"
    return [
        *_launching(cluster, owned),
        *_upkeep(cluster, owned),
        *_profiles(cluster, owned),
        *_reading(cluster),
    ]


def scoped_document(cluster="demo"):
    """Give the whole document."""
    return {"Version": "2012-10-17", "Statement": scoped_statements(cluster)}


def flat_document():
    """Give a document as they were before tags counted: termination depends on the Name tag."""
    actions = (
        "RunInstances CreateFleet CreateLaunchTemplate CreateTags DeleteLaunchTemplate "
        "DescribeInstances DescribeImages DescribeSubnets DescribeSecurityGroups"
    )
    return {
        "Version": "2012-10-17",
        "Statement": [
            _statement("Flat", [f"ec2:{one}" for one in actions.split()], "*"),
            _statement(
                "NamedTermination",
                "ec2:TerminateInstances",
                "*",
                {"StringLike": {"ec2:ResourceTag/Name": "*karpenter*"}},
            ),
            _statement("Pass", "iam:PassRole", NODE_ROLE),
        ],
    }


def _statement(sid, action, resource, condition=None):
    statement = {"Sid": sid, "Effect": "Allow", "Action": action, "Resource": resource}
    return {**statement, "Condition": condition} if condition else statement


def _ec2(*kinds):
    return [f"arn:aws:ec2:{REGION}:*:{kind}/*" for kind in kinds]


def _launching(cluster, owned):
    run = ["ec2:RunInstances", "ec2:CreateFleet"]
    wanted = {
        "StringEquals": {
            f"aws:RequestTag/{owned}": "owned",
            "aws:RequestTag/eks:eks-cluster-name": cluster,
        },
        "StringLike": {"aws:RequestTag/karpenter.sh/nodepool": "*"},
    }
    calls = ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]
    born = {
        "StringEquals": {**wanted["StringEquals"], "ec2:CreateAction": calls},
        "StringLike": wanted["StringLike"],
    }
    public = [f"arn:aws:ec2:{REGION}::{kind}/*" for kind in ("image", "snapshot")]
    return [
        _statement("AllowScopedEC2InstanceAccessActions", run, public + _ec2(*_USED)),
        _statement(
            "AllowScopedEC2LaunchTemplateAccessActions", run, _ec2("launch-template"), _ours(owned)
        ),
        _statement(
            "AllowScopedEC2InstanceActionsWithTags",
            [*run, "ec2:CreateLaunchTemplate"],
            _ec2(*_MADE),
            wanted,
        ),
        _statement("AllowScopedResourceCreationTagging", "ec2:CreateTags", _ec2(*_MADE), born),
    ]


def _ours(owned):
    return {
        "StringEquals": {f"aws:ResourceTag/{owned}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }


def _upkeep(cluster, owned):
    tagging = {
        **_ours(owned),
        "StringEqualsIfExists": {"aws:RequestTag/eks:eks-cluster-name": cluster},
        "ForAllValues:StringEquals": {
            "aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]
        },
    }
    return [
        _statement("AllowScopedResourceTagging", "ec2:CreateTags", _ec2("instance"), tagging),
        _statement(
            "AllowScopedDeletion",
            ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"],
            _ec2("instance", "launch-template"),
            _ours(owned),
        ),
    ]


def _profiles(cluster, owned):
    everywhere = f"arn:aws:iam::{ACCOUNT}:instance-profile/*"
    region = "topology.kubernetes.io/region"

    def tags(key, *, named):
        equal = {f"aws:{key}/{owned}": "owned", f"aws:{key}/{region}": REGION}
        if named:
            equal[f"aws:{key}/eks:eks-cluster-name"] = cluster
        return {
            "StringEquals": equal,
            "StringLike": {f"aws:{key}/karpenter.k8s.aws/ec2nodeclass": "*"},
        }

    request, resource = tags("RequestTag", named=True), tags("ResourceTag", named=True)
    both = {name: {**request[name], **resource[name]} for name in request}
    return [
        _statement(
            "AllowPassingInstanceRole",
            "iam:PassRole",
            NODE_ROLE,
            {"StringEquals": {"iam:PassedToService": ["ec2.amazonaws.com"]}},
        ),
        _statement(
            "AllowScopedInstanceProfileCreationActions",
            "iam:CreateInstanceProfile",
            everywhere,
            request,
        ),
        _statement(
            "AllowScopedInstanceProfileTagActions", "iam:TagInstanceProfile", everywhere, both
        ),
        _statement(
            "AllowScopedInstanceProfileActions",
            [
                "iam:AddRoleToInstanceProfile",
                "iam:RemoveRoleFromInstanceProfile",
                "iam:DeleteInstanceProfile",
            ],
            everywhere,
            tags("ResourceTag", named=False),
        ),
        _statement("AllowInstanceProfileReadActions", "iam:GetInstanceProfile", everywhere),
    ]


def _reading(cluster):
    sorts = "Images Instances InstanceStatus InstanceTypeOfferings InstanceTypes LaunchTemplates Subnets"
    return [
        _statement(
            "AllowRegionalReadActions",
            [f"ec2:Describe{sort}" for sort in sorts.split()],
            "*",
            {"StringEquals": {"aws:RequestedRegion": REGION}},
        ),
        _statement(
            "AllowSSMReadActions",
            "ssm:GetParameter",
            f"arn:aws:ssm:{REGION}::parameter/aws/service/*",
        ),
        _statement("AllowPricingReadActions", "pricing:GetProducts", "*"),
        _statement(
            "AllowInterruptionQueueActions",
            ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"],
            f"arn:aws:sqs:{REGION}:{ACCOUNT}:{cluster}",
        ),
        _statement(
            "AllowAPIServerEndpointDiscovery",
            "eks:DescribeCluster",
            f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{cluster}",
        ),
    ]
