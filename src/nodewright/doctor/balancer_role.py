"""The role of the load balancer controller: what it may do, and the steps that make it by Pod Identity."""

from typing import Final

import msgspec

from nodewright.doctor.finding import Mend
from nodewright.install.found import Json
from nodewright.install.names import Names
from nodewright.install.resources.identity import AGENT, IN_USE
from nodewright.install.resources.roles import GONE
from nodewright.install.steps import Ask, Step

ACCOUNT: Final = "aws-load-balancer-controller"
SPACE: Final = "kube-system"
_EXISTS: Final = ("EntityAlreadyExists",)
_POLICY: Final = "NodewrightLoadBalancers"
_LOOKS: Final = (
    "acm:DescribeCertificate",
    "acm:ListCertificates",
    "cognito-idp:DescribeUserPoolClient",
    "ec2:DescribeAccountAttributes",
    "ec2:DescribeAddresses",
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeCoipPools",
    "ec2:DescribeInstances",
    "ec2:DescribeInternetGateways",
    "ec2:DescribeIpamPools",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeTags",
    "ec2:DescribeVpcPeeringConnections",
    "ec2:DescribeVpcs",
    "ec2:GetCoipPoolUsage",
    "ec2:GetSecurityGroupsForVpc",
    "elasticloadbalancing:Describe*",
    "iam:GetServerCertificate",
    "iam:ListServerCertificates",
    "shield:GetSubscriptionState",
    "wafv2:GetWebACLForResource",
)
_GROUPS: Final = (
    "ec2:AuthorizeSecurityGroupIngress",
    "ec2:CreateSecurityGroup",
    "ec2:CreateTags",
    "ec2:DeleteSecurityGroup",
    "ec2:DeleteTags",
    "ec2:RevokeSecurityGroupIngress",
)
_BALANCERS: Final = (
    "elasticloadbalancing:AddListenerCertificates",
    "elasticloadbalancing:AddTags",
    "elasticloadbalancing:CreateListener",
    "elasticloadbalancing:CreateLoadBalancer",
    "elasticloadbalancing:CreateRule",
    "elasticloadbalancing:CreateTargetGroup",
    "elasticloadbalancing:DeleteListener",
    "elasticloadbalancing:DeleteLoadBalancer",
    "elasticloadbalancing:DeleteRule",
    "elasticloadbalancing:DeleteTargetGroup",
    "elasticloadbalancing:DeregisterTargets",
    "elasticloadbalancing:Modify*",
    "elasticloadbalancing:RegisterTargets",
    "elasticloadbalancing:RemoveListenerCertificates",
    "elasticloadbalancing:RemoveTags",
    "elasticloadbalancing:Set*",
    "wafv2:AssociateWebACL",
    "wafv2:DisassociateWebACL",
)


def role_name(cluster: str) -> str:
    """Name the role."""
    return f"NodewrightBalancerRole-{cluster}"[:64]


def policy() -> Json:
    """Give the policy of the controller: it looks anywhere, and changes balancers and their groups."""
    allowed = (("Look", _LOOKS), ("Groups", _GROUPS), ("Balancers", _BALANCERS))
    statements = [
        {"Sid": name, "Effect": "Allow", "Action": list(actions), "Resource": "*"}
        for name, actions in allowed
    ]
    linked = {
        "Sid": "LinkedRole",
        "Effect": "Allow",
        "Action": "iam:CreateServiceLinkedRole",
        "Resource": "*",
        "Condition": {"StringEquals": {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"}},
    }
    return {"Version": "2012-10-17", "Statement": [linked, *statements]}


def identity_mends(names: Names, *, has_agent: bool) -> tuple[Mend, ...]:
    """Give the changes that let the controller act as a role of its own."""
    agent = {"clusterName": names.cluster, "addonName": AGENT}
    addon = Mend(
        Step("+", "add-on", AGENT, "hands roles to pods", (Ask("eks.CreateAddon", agent, IN_USE),)),
        (Ask("eks.DeleteAddon", agent),),
    )
    return (*(() if has_agent else (addon,)), _role(names), _association(names))


def _role(names: Names) -> Mend:
    name = role_name(names.cluster)
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
            }
        ],
    }
    make = Ask(
        "iam.CreateRole",
        {"RoleName": name, "AssumeRolePolicyDocument": _text(trust)},
        _EXISTS,
    )
    allow = Ask(
        "iam.PutRolePolicy",
        {"RoleName": name, "PolicyName": _POLICY, "PolicyDocument": _text(policy())},
    )
    undo = (
        Ask("iam.DeleteRolePolicy", {"RoleName": name, "PolicyName": _POLICY}, GONE),
        Ask("iam.DeleteRole", {"RoleName": name}, GONE),
    )
    return Mend(Step("+", "iam role", name, "for load balancers", (make, allow)), undo)


def _association(names: Names) -> Mend:
    params = {
        "clusterName": names.cluster,
        "namespace": SPACE,
        "serviceAccount": ACCOUNT,
        "roleArn": names.iam(f"role/{role_name(names.cluster)}"),
    }
    step = Step(
        "+",
        "association",
        f"{SPACE}/{ACCOUNT}",
        role_name(names.cluster),
        (Ask("eks.CreatePodIdentityAssociation", params, IN_USE),),
    )
    # Its id is known only once it is made.
    where = f"--cluster-name {names.cluster} --namespace {SPACE} --service-account {ACCOUNT}"
    found = f"aws eks list-pod-identity-associations {where} --query associations[0].associationId"
    return Mend(
        step,
        undo_text=(
            (
                f"aws eks delete-pod-identity-association --cluster-name {names.cluster} "
                f"--association-id $({found} --output text)"
            ),
        ),
    )


def _text(document: Json) -> str:
    return msgspec.json.encode(document).decode()
