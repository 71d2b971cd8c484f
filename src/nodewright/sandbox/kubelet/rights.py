"""What a node's role must be allowed, and what becomes of a node whose role is not.

The agent that boots the machine asks EC2 who it is; without that no kubelet starts. The registry and the
network plugin come after the node has joined, so without them the node is there and stays NotReady.
The plugin may have a role of its own, through its service account; then the node's role does not count.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from nodewright.sandbox.kubelet.fault import Fault, absent, unready

BOOT: Final = ("ec2:DescribeInstances",)
LOOKUP: Final = ("eks:DescribeCluster",)
REGISTRY: Final = (
    "ecr:GetAuthorizationToken",
    "ecr:BatchGetImage",
    "ecr:GetDownloadUrlForLayer",
)
PLUGIN: Final = (
    "ec2:AssignPrivateIpAddresses",
    "ec2:AttachNetworkInterface",
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
)
ALL: Final = BOOT + LOOKUP + REGISTRY + PLUGIN


def judge_rights(
    role: str, allowed: Iterable[str], *, asks_eks: bool, plugin_has_role: bool
) -> Iterator[Fault]:
    """Give what a role's missing rights lead to."""
    granted = frozenset(allowed)
    for action in BOOT + (LOOKUP if asks_eks else ()):
        if action not in granted:
            yield absent(
                f"operation error {action.replace(':', ': ')}, UnauthorizedOperation: {role} is "
                f"not authorized to perform {action}"
            )
    missing = [action for action in REGISTRY if action not in granted]
    if missing:
        yield unready(f"failed to pull the image of aws-node: {role} may not {missing[0]}")
    missing = [action for action in PLUGIN if action not in granted]
    if missing and not plugin_has_role:
        yield unready(f"ipamd: UnauthorizedOperation: {role} may not {missing[0]}")
