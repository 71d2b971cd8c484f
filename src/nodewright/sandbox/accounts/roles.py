"""IAM roles of a scenario: who may take them, and which policies they hold."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

WORKER: Final = "AmazonEKSWorkerNodePolicy"
PLUGIN: Final = "AmazonEKS_CNI_Policy"
REGISTRY: Final = "AmazonEC2ContainerRegistryReadOnly"
SESSIONS: Final = "AmazonSSMManagedInstanceCore"
NODE_POLICIES: Final = (WORKER, PLUGIN, REGISTRY, SESSIONS)
_VERSION: Final = "2012-10-17"


def make_role(iam: Any, name: str, trust: Mapping[str, Any], policies: Iterable[str] = ()) -> str:
    """Make a role with AWS's own policies and give its ARN."""
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=document(trust))
    for policy in policies:
        iam.attach_role_policy(RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")
    return str(made["Role"]["Arn"])


def make_profile(iam: Any, name: str, role: str) -> str:
    """Make an instance profile that holds a role, and give its ARN."""
    made = iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
    return str(made["InstanceProfile"]["Arn"])


def document(*statements: Mapping[str, Any]) -> str:
    """Write a policy document."""
    return msgspec.json.encode({"Version": _VERSION, "Statement": list(statements)}).decode()


def trust_service(service: str, *actions: str) -> dict[str, Any]:
    """Let a service of AWS take a role."""
    return {
        "Effect": "Allow",
        "Principal": {"Service": f"{service}.amazonaws.com"},
        "Action": list(actions) or "sts:AssumeRole",
    }


def trust_account(provider: str, namespace: str, account: str) -> dict[str, Any]:
    """Let a service account of a cluster take a role, by the cluster's OIDC provider."""
    issuer = provider.partition("oidc-provider/")[2]
    return {
        "Effect": "Allow",
        "Principal": {"Federated": provider},
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
            "StringEquals": {
                f"{issuer}:aud": "sts.amazonaws.com",
                f"{issuer}:sub": f"system:serviceaccount:{namespace}:{account}",
            }
        },
    }


TRUST_EC2: Final = trust_service("ec2")
TRUST_EKS: Final = trust_service("eks")
TRUST_PODS: Final = trust_service("pods.eks", "sts:AssumeRole", "sts:TagSession")
