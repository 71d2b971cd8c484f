"""What things are called on a cluster and in an account, within the limits of AWS.

A name that would be too long for its kind is cut and ends in a short hash of the whole cluster name, so
that two long names never become one.
"""

import hashlib
import re
from typing import Final

import msgspec

from nodewright.aws.bucket import EXAMPLE, read_place
from nodewright.aws.cluster import partition_of
from nodewright.aws.policy import policy_name
from nodewright.aws.tags import CLUSTER_NAME, OURS, owned_key
from nodewright.model.errors import UserError

NAMESPACE: Final = "nodewright"
ACCOUNT: Final = "nodewright"
RECORD: Final = "nodewright-install"
MADE_BY: Final = "nodewright.dev/made-by"
INSTALLER: Final = "install"
DISCOVERY: Final = "karpenter.sh/discovery"
BAD_NAME: Final = "NW-9701"
ROLE_MAX: Final = 64
PROFILE_MAX: Final = 128
POLICY_MAX: Final = 128
QUEUE_MAX: Final = 80
RULE_MAX: Final = 64
_HASH: Final = 8
_CLUSTER: Final = re.compile(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}")
_REGION: Final = re.compile(r"[a-z]{2,}(-[a-z]+)+-[0-9]+")
_IMAGE: Final = re.compile(r"[\w.-]+(:[0-9]+)?(/[\w.-]+)*(:[\w.-]+)?")
_IAM: Final = re.compile(r"[\w+=,.@-]+")


def fit(prefix: str, cluster: str, limit: int) -> str:
    """Name something after the cluster, in no more characters than it may have."""
    whole = f"{prefix}{cluster}"
    if len(whole) <= limit:
        return whole
    digest = hashlib.sha256(cluster.encode()).hexdigest()[:_HASH]
    return f"{whole[: limit - _HASH - 1]}-{digest}"


def check_cluster(name: str) -> None:
    """Refuse what cannot be the name of a cluster of EKS."""
    if not _CLUSTER.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of an EKS cluster: up to 100 letters, digits, - and _, "
            "and a letter or digit first",
            code=BAD_NAME,
        )


def check_role(name: str) -> None:
    """Refuse what cannot be the name of a role."""
    if len(name) > ROLE_MAX or not _IAM.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of a role: up to {ROLE_MAX} letters, digits and +=,.@_-",
            code=BAD_NAME,
            advice="give the name alone, without its ARN or path",
        )


def check_region(name: str) -> None:
    """Refuse what cannot be the name of a region."""
    if name and not _REGION.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be a region of AWS",
            code=BAD_NAME,
            advice="a region is written as eu-west-1; `aws ec2 describe-regions` lists them",
        )


def check_image(name: str) -> None:
    """Refuse what cannot be an image with a tag."""
    if name and not _IMAGE.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be an image",
            code=BAD_NAME,
            advice="write it as REPOSITORY or REPOSITORY:TAG",
        )


def check_journal(place: str) -> None:
    """Refuse what cannot be a place in S3."""
    if place and read_place(place) is None:
        raise UserError(
            f"{place!r} cannot be a place in S3",
            code=BAD_NAME,
            advice=f"write it as {EXAMPLE}",
        )


class Names(msgspec.Struct, frozen=True):
    """All names that follow from an account, a region and a cluster."""

    account_id: str
    region: str
    cluster: str

    @property
    def partition(self) -> str:
        """The part of AWS in which the region lies."""
        return partition_of(self.region)

    @property
    def karpenter_node_role(self) -> str:
        """The node role that Karpenter's guide makes."""
        return fit("KarpenterNodeRole-", self.cluster, ROLE_MAX)

    @property
    def node_role(self) -> str:
        """The role of nodes that we make, and its instance profile."""
        return fit("NodewrightNodeRole-", self.cluster, ROLE_MAX)

    @property
    def controller_role(self) -> str:
        """The role of the controller."""
        return fit("NodewrightControllerRole-", self.cluster, ROLE_MAX)

    @property
    def fargate_role(self) -> str:
        """The role of pods on Fargate."""
        return fit("NodewrightFargateRole-", self.cluster, ROLE_MAX)

    @property
    def fargate_profile(self) -> str:
        """The Fargate profile of the controller."""
        return "nodewright"

    @property
    def queue(self) -> str:
        """The queue of interruption messages."""
        return fit("", self.cluster, QUEUE_MAX)

    def policy(self, part: str) -> str:
        """Name one of the controller's policies."""
        return fit(policy_name(part, ""), self.cluster, POLICY_MAX)

    def rule(self, kind: str) -> str:
        """Name a rule of EventBridge."""
        return fit(f"Nodewright{kind}-", self.cluster, RULE_MAX)

    def iam(self, what: str) -> str:
        """Give the ARN of something of IAM, such as `role/NAME`."""
        return f"arn:{self.partition}:iam::{self.account_id}:{what}"

    def here(self, service: str, what: str) -> str:
        """Give the ARN of something of a service in this account and region."""
        return f"arn:{self.partition}:{service}:{self.region}:{self.account_id}:{what}"

    def managed(self, policy: str) -> str:
        """Give the ARN of a policy of AWS's own, or of one that is given whole."""
        return (
            policy
            if policy.startswith("arn:")
            else f"arn:{self.partition}:iam::aws:policy/{policy}"
        )

    @property
    def tags(self) -> dict[str, str]:
        """The tags of everything that we make."""
        return {
            CLUSTER_NAME: self.cluster,
            owned_key(self.cluster): "owned",
            OURS: self.cluster,
        }

    def is_ours(self, tags: dict[str, str]) -> bool:
        """Tell whether the tags of a thing say that we made it for this cluster."""
        return tags.get(OURS) == self.cluster
