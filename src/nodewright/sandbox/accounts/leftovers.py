"""What stays in an account when a cluster with Karpenter on it is deleted carelessly."""

from nodewright.sandbox.accounts import roles
from nodewright.sandbox.accounts.karpenter import make_queue
from nodewright.sandbox.kubelet.cloud import Keys


def leave_stale_role(keys: Keys, name: str, profile: str) -> None:
    """Leave what a deleted cluster's Karpenter leaves: its node role, held by a profile."""
    iam = keys.client("iam")
    role = f"eksctl-KarpenterNodeRole-{name}"
    # The tool that deletes the cluster gets as far as detaching the policies: the profile, which it
    # did not make, keeps it from deleting the role.
    roles.make_role(iam, role, roles.TRUST_EC2)
    roles.make_profile(iam, profile, role)


def leave_stale_controller(keys: Keys, name: str) -> None:
    """Leave the controller's role with its policy, and the one that eksctl made for its service account."""
    iam = keys.client("iam")
    issuer = f"oidc.eks.{keys.region}.amazonaws.com/id/{'0' * 32}"
    account = str(keys.client("sts").get_caller_identity()["Account"])
    provider = f"arn:aws:iam::{account}:oidc-provider/{issuer}"
    trust = roles.trust_account(provider, "karpenter", "karpenter")
    policy = iam.create_policy(
        PolicyName=f"KarpenterControllerPolicy-{name}",
        PolicyDocument=roles.document(
            {"Effect": "Allow", "Action": "ec2:RunInstances", "Resource": "*"}
        ),
    )
    controller = f"KarpenterControllerRole-{name}"
    roles.make_role(iam, controller, trust)
    iam.attach_role_policy(RoleName=controller, PolicyArn=policy["Policy"]["Arn"])
    by_eksctl = f"eksctl-{name}-addon-iamserviceaccount-karpe-Role1-1ABCDEFGHIJKL"
    roles.make_role(iam, by_eksctl, trust)
    tags = {
        "alpha.eksctl.io/cluster-name": name,
        "alpha.eksctl.io/iamserviceaccount-name": "karpenter/karpenter",
    }
    iam.tag_role(
        RoleName=by_eksctl, Tags=[{"Key": key, "Value": value} for key, value in tags.items()]
    )


def leave_stale_queue(keys: Keys, name: str) -> None:
    """Leave the queue, the rules that feed it, and a launch template that nobody collected."""
    make_queue(keys, name, str(keys.client("sts").get_caller_identity()["Account"]))
    tags = [{"Key": "eks:eks-cluster-name", "Value": name}]
    keys.client("ec2").create_launch_template(
        LaunchTemplateName=f"karpenter.k8s.aws/{name}",
        LaunchTemplateData={"InstanceType": "m5.large"},
        TagSpecifications=[{"ResourceType": "launch-template", "Tags": tags}],
    )
