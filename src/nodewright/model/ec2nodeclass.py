"""EC2NodeClass (`karpenter.k8s.aws/v1`): how machines of EC2 are made into nodes."""

from typing import Annotated, Any, Final

import msgspec

from nodewright.model.ec2nodeclass_devices import (
    METADATA_OPTIONS_DEFAULT,
    BlockDeviceMappings,
    CPUOptions,
    MetadataOptions,
    NetworkInterfaces,
    OneTimeout,
)
from nodewright.model.ec2nodeclass_terms import (
    AMITerms,
    CapacityReservationTerms,
    OnePlacementGroup,
    SecurityGroupTerms,
    SubnetTerms,
    alias_of,
    has,
)
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta, Struct
from nodewright.model.schema import Rule, about
from nodewright.model.schema_requirements import StatusCondition

AMI_FAMILIES: Final = (
    "AL2",
    "AL2023",
    "Bottlerocket",
    "Custom",
    "Windows2019",
    "Windows2022",
    "Windows2025",
)
RESTRICTED_TAGS: Final = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
RESTRICTED_TAG_PREFIX: Final = "kubernetes.io/cluster"
TERMINATION_FINALIZER: Final = "karpenter.k8s.aws/termination"
SEEN_MEMORY: Final = "nodewright.dev/seen-memory"
PROFILE_NAME: Final = "karpenter.k8s.aws/instance-profile-name"
"""The annotation by which a claim remembers the instance profile of its machine."""


def _no_tag(key: str) -> Rule:
    return Rule(
        f"!('{key}' in self)",
        f"the tag {key} is set by the autoscaler: remove it",
        lambda tags: key not in tags,
    )


_TAG_RULES: Final = (
    Rule(
        "self.all(k, k != '')",
        "a tag needs a key",
        lambda tags: "" not in tags,
    ),
    Rule(
        f"self.all(k, !k.startsWith('{RESTRICTED_TAG_PREFIX}'))",
        f"tags that begin with {RESTRICTED_TAG_PREFIX} are set by the autoscaler: remove them",
        lambda tags: not any(key.startswith(RESTRICTED_TAG_PREFIX) for key in tags),
    ),
    *(_no_tag(key) for key in RESTRICTED_TAGS),
)


def _not_empty(what: str) -> Rule:
    return Rule("self != ''", f"{what} may not be empty: name it or remove the field", bool)


class EC2NodeClassSpec(Struct, frozen=True):
    """How instances are started."""

    subnet_selector_terms: SubnetTerms = ()
    security_group_selector_terms: SecurityGroupTerms = ()
    capacity_reservation_selector_terms: CapacityReservationTerms = ()
    placement_group_selector: OnePlacementGroup | None = None
    ami_selector_terms: AMITerms = ()
    ami_family: Annotated[
        str | None,
        about(
            "Which user data is written and which volumes are the default; follows from alias.",
            enum=list(AMI_FAMILIES),
        ),
    ] = None
    user_data: Annotated[
        str | None, about("What runs at boot beside our own part; its form is the family's.")
    ] = None
    role: Annotated[
        str | None, about("The IAM role of the nodes, by name.", _not_empty("role"))
    ] = None
    instance_profile: Annotated[
        str | None,
        about(
            "The instance profile of the nodes, instead of a role.", _not_empty("instanceProfile")
        ),
    ] = None
    tags: Annotated[
        dict[str, str], about("Tags of everything that is made for a node.", *_TAG_RULES)
    ] = {}
    kubelet: Annotated[
        dict[str, object],
        about("Settings of the kubelet, as its own configuration file spells them."),
    ] = {}
    block_device_mappings: BlockDeviceMappings = ()
    instance_store_policy: Annotated[
        str | None,
        about("What becomes of local disks: RAID0 joins them for pods.", enum=["RAID0"]),
    ] = None
    network_interfaces: NetworkInterfaces = ()
    detailed_monitoring: Annotated[
        bool | None, about("Whether CloudWatch gets figures every minute.")
    ] = None
    associate_public_ip_address: Annotated[
        bool | None,
        about("Whether nodes get a public address; unset for what the subnet says."),
    ] = msgspec.field(default=None, name="associatePublicIPAddress")
    ip_prefix_count: Annotated[
        int | None,
        about("How many address prefixes each interface starts with.", minimum=0, format="int32"),
    ] = None
    metadata_options: Annotated[
        MetadataOptions,
        about("How the instance metadata service answers.", default=METADATA_OPTIONS_DEFAULT),
    ] = MetadataOptions()
    connection_tracking: OneTimeout = None
    cpu_options: Annotated[CPUOptions | None, about("Options of the processor.")] = None
    context: Annotated[str | None, about("Passed on to CreateFleet as it is.")] = None

    @property
    def resolved_family(self) -> str:
        """The family of images: as written, else the alias's, else none."""
        alias = alias_of(self.ami_selector_terms)
        return self.ami_family or (alias[0] if alias else "")


class SubnetStatus(Struct, frozen=True):
    """A subnet that was found."""

    id: Annotated[str, about("Its id.", required=True)] = ""
    zone: Annotated[str, about("Its zone.", required=True)] = ""
    zone_id: Annotated[str, about("Its zone's id.")] = msgspec.field(default="", name="zoneID")


class SecurityGroupStatus(Struct, frozen=True):
    """A security group that was found."""

    id: Annotated[str, about("Its id.", required=True)] = ""
    name: Annotated[str, about("Its name.")] = ""


class AMIStatus(Struct, frozen=True):
    """An image that was found."""

    id: Annotated[str, about("Its id.", required=True)] = ""
    name: Annotated[str, about("Its name.")] = ""
    deprecated: Annotated[bool, about("Whether its owner has deprecated it.")] = False
    requirements: Annotated[
        tuple[
            Annotated[
                NodeSelectorRequirement,
                about(
                    "A condition on one node label.",
                    needs=("key", "operator"),
                    properties={
                        "key": {"description": "The label."},
                        "operator": {"description": "How its value relates to the values."},
                        "values": {"description": "The values."},
                        "minValues": None,
                    },
                ),
            ],
            ...,
        ],
        about("Which instance types it fits.", required=True),
    ] = ()


class CapacityReservationStatus(Struct, frozen=True):
    """A capacity reservation that was found."""

    id: Annotated[str, about("Its id.", required=True)] = ""
    availability_zone: Annotated[str, about("Its zone.", required=True)] = ""
    instance_type: Annotated[str, about("What it reserves.", required=True)] = ""
    owner_id: Annotated[str, about("Whose it is.", required=True)] = msgspec.field(
        default="", name="ownerID"
    )
    instance_match_criteria: Annotated[
        str, about("Which instances it takes.", required=True, enum=["open", "targeted"])
    ] = "targeted"
    reservation_type: Annotated[
        str, about("Its kind.", enum=["default", "capacity-block"], default="default")
    ] = "default"
    state: Annotated[
        str, about("Whether it is about to end.", enum=["active", "expiring"], default="active")
    ] = "active"
    interruptible: Annotated[bool, about("Whether it can be taken back.")] = False
    end_time: Annotated[str | None, about("When it ends.", format="date-time")] = None


class EC2NodeClassStatus(Struct, frozen=True):
    """What the selectors found, and whether nodes can be made."""

    subnets: Annotated[tuple[SubnetStatus, ...], about("Subnets, most free addresses first.")] = ()
    security_groups: Annotated[
        tuple[SecurityGroupStatus, ...], about("Security groups, by id.")
    ] = ()
    amis: Annotated[tuple[AMIStatus, ...], about("Images, newest first.")] = ()
    capacity_reservations: Annotated[
        tuple[CapacityReservationStatus, ...], about("Capacity reservations.")
    ] = ()
    instance_profile: Annotated[str, about("The instance profile that nodes get.")] = ""
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


def _aliases(spec: Any) -> list[str]:
    terms = spec.get("amiSelectorTerms") or ()
    return [term["alias"] for term in terms if has(term, "alias")]


def _family_fits(spec: Any) -> bool:
    family, aliases = spec.get("amiFamily"), _aliases(spec)
    if family is None or not aliases or family == "Custom":
        return True
    return any(alias.partition("@")[0].lower() == family.lower() for alias in aliases)


_ALIAS_FAMILY_CEL: Final = "x.alias.find('^[^@]+').lowerAscii() == self.amiFamily.lowerAscii()"
_SPEC_RULES: Final = (
    Rule(
        "has(self.role) != has(self.instanceProfile)",
        "set exactly one of role and instanceProfile",
        lambda spec: has(spec, "role") != has(spec, "instanceProfile"),
    ),
    Rule(
        "has(self.amiFamily) || self.amiSelectorTerms.exists(x, has(x.alias))",
        "set amiFamily: without an alias nobody can tell which user data the image wants",
        lambda spec: has(spec, "amiFamily") or bool(_aliases(spec)),
    ),
    Rule(
        "!has(self.amiFamily) || self.amiFamily == 'Custom' || "
        "!self.amiSelectorTerms.exists(x, has(x.alias)) || "
        f"self.amiSelectorTerms.exists(x, has(x.alias) && {_ALIAS_FAMILY_CEL})",
        "amiFamily is not the family of the alias: remove amiFamily, or set it to Custom",
        _family_fits,
    ),
)


class EC2NodeClass(Struct, frozen=True):
    """How machines of EC2 are made into nodes."""

    metadata: ObjectMeta
    spec: Annotated[
        EC2NodeClassSpec, about("How instances are started.", *_SPEC_RULES, required=True)
    ] = EC2NodeClassSpec()
    status: Annotated[
        EC2NodeClassStatus, about("What the selectors found, and whether nodes can be made.")
    ] = EC2NodeClassStatus()
