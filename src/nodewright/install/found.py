"""What an account and a cluster hold before anything is changed, as frozen values.

Only what a plan depends on is here. Documents of Kubernetes stay as the API gives them, because they are
compared and put back whole.
"""

from typing import Any

import msgspec

type Json = dict[str, Any]


class NodeGroup(msgspec.Struct, frozen=True):
    """A managed node group; `groups` are the security groups of its launch template."""

    name: str
    role: str = ""
    subnets: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    instance_types: tuple[str, ...] = ()
    capacity_type: str = "ON_DEMAND"
    ami_type: str = ""
    desired: int = 0
    smallest: int = 0
    largest: int = 1
    taints: tuple[Json, ...] = ()


class Cluster(msgspec.Struct, frozen=True):
    """A cluster as EKS describes it."""

    name: str
    arn: str
    version: str
    endpoint: str
    authority: str
    issuer: str
    mode: str
    vpc_id: str
    group_id: str
    subnets: tuple[str, ...] = ()
    addons: tuple[str, ...] = ()
    our_addons: tuple[str, ...] = ()
    node_groups: tuple[NodeGroup, ...] = ()
    fargate_namespaces: tuple[str, ...] = ()


class Tagged(msgspec.Struct, frozen=True):
    """Something that has a name, an ARN or id, and tags."""

    name: str
    arn: str = ""
    tags: dict[str, str] = {}


class Role(Tagged, frozen=True):
    """A role of IAM: whom it trusts, what is attached, and which profiles hold it."""

    trust: Json = {}
    policies: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()


class Policy(Tagged, frozen=True):
    """A managed policy of the account; versions that are not in force, oldest first."""

    document: Json = {}
    old_versions: tuple[str, ...] = ()


class Profile(Tagged, frozen=True):
    """An instance profile and the roles in it."""

    roles: tuple[str, ...] = ()


class MadeProfile(msgspec.Struct, frozen=True):
    """An instance profile that the controller made for a class, and a machine that has it."""

    name: str
    node_class: str
    roles: tuple[str, ...] = ()
    used_by: str = ""


class Queue(Tagged, frozen=True):
    """A queue and its policy, as its text."""

    url: str = ""
    policy: str = ""


class Rule(Tagged, frozen=True):
    """A rule of EventBridge and the ARNs that it sends to, by their ids."""

    pattern: Json = {}
    targets: dict[str, str] = {}


class Subnet(Tagged, frozen=True):
    """A subnet that nodes may be in; machines in a public one get addresses of their own."""

    zone: str = ""
    is_public: bool = False


class AccessEntry(Tagged, frozen=True):
    """Who may come into the cluster, and as what."""

    kind: str = ""


class Association(Tagged, frozen=True):
    """The role of a service account by Pod Identity; the name is the association's id."""

    role: str = ""


class FargateProfile(Tagged, frozen=True):
    """A Fargate profile of ours."""

    status: str = ""


class Leftover(msgspec.Struct, frozen=True):
    """Something that a deleted cluster left behind; `used_by` says why it must stay."""

    kind: str
    name: str
    cluster: str
    parts: tuple[str, ...] = ()
    used_by: str = ""


class Account(msgspec.Struct, frozen=True):
    """The side of AWS."""

    account_id: str
    caller: str
    region: str
    cluster: Cluster
    roles: dict[str, Role] = {}
    policies: dict[str, Policy] = {}
    profiles: dict[str, Profile] = {}
    provider: Tagged | None = None
    association: Association | None = None
    queue: Queue | None = None
    rules: tuple[Rule, ...] = ()
    subnets: tuple[Subnet, ...] = ()
    groups: tuple[Tagged, ...] = ()
    entries: dict[str, AccessEntry] = {}
    fargate: FargateProfile | None = None
    has_spot_role: bool = False
    leftovers: tuple[Leftover, ...] = ()
    made_profiles: tuple[MadeProfile, ...] = ()
    made_templates: tuple[str, ...] = ()


class Scaler(msgspec.Struct, frozen=True):
    """Another autoscaler that runs on the cluster."""

    kind: str
    namespace: str
    name: str
    replicas: int
    version: str = ""

    @property
    def path(self) -> str:
        """Where the API has it."""
        return f"/apis/apps/v1/namespaces/{self.namespace}/deployments/{self.name}"

    @property
    def key(self) -> str:
        """Under which name it is written down."""
        return f"deployment.{self.namespace}.{self.name}"


class GroupNode(msgspec.Struct, frozen=True):
    """A node of a managed node group; a closed one takes no new pods."""

    name: str
    group: str
    is_closed: bool = False


class Kube(msgspec.Struct, frozen=True):
    """The side of Kubernetes: documents by their paths, and what was written down earlier."""

    version: str = ""
    live: dict[str, Json] = {}
    record: dict[str, Json] = {}
    aws_auth: Json | None = None
    scalers: tuple[Scaler, ...] = ()
    system: tuple[Json, ...] = ()
    pools: tuple[str, ...] = ()
    provisioners: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    claims: tuple[Json, ...] = ()
    nodes: tuple[GroupNode, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """Both sides together."""

    account: Account
    kube: Kube = Kube()
