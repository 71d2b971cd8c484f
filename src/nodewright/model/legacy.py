"""Karpenter's first resources: Provisioner, AWSNodeTemplate, Machine and the settings ConfigMap.

They are read as they are written; `convert` turns them into today's kinds. The rules are those that
the webhooks of that time enforced.
"""

from typing import Annotated, Final

import msgspec

from nodewright.model.ec2nodeclass import EC2NodeClassStatus
from nodewright.model.ec2nodeclass_devices import BlockDeviceMappings, MetadataOptions
from nodewright.model.ec2nodeclass_terms import has
from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.nodeclaim import NodeClaimResources, NodeClaimStatus
from nodewright.model.pod import Amounts
from nodewright.model.schema import Rule, about
from nodewright.model.schema_requirements import (
    REQUIREMENTS_MAX,
    PoolRequirement,
    ResourceTaint,
    StatusCondition,
)

PROVISIONER_NAME: Final = "karpenter.sh/provisioner-name"
LEGACY_AMI_FAMILIES: Final = (
    "AL2",
    "Bottlerocket",
    "Ubuntu",
    "Windows2019",
    "Windows2022",
    "Custom",
)
SETTINGS_NAME: Final = "karpenter-global-settings"

type LegacyTaints = Annotated[tuple[ResourceTaint, ...], about("Taints of the nodes.")]


class ProviderRef(Struct, frozen=True):
    """The template that a Provisioner or Machine is made with."""

    api_version: Annotated[str, about("The template's API version.")] = ""
    kind: Annotated[str, about("The template's kind.")] = ""
    name: Annotated[str, about("The template's name.", required=True, minLength=1)] = ""


class LegacyLimits(Struct, frozen=True):
    """The most that all nodes together may have."""

    resources: Annotated[Amounts, about("The most, by resource.")] = {}


class Consolidation(Struct, frozen=True):
    """Whether nodes are replaced by cheaper ones."""

    enabled: Annotated[bool | None, about("Whether it is on.")] = None


class ProvisionerSpec(Struct, frozen=True):
    """What nodes may be made, and how they may be taken away."""

    annotations: Annotated[dict[str, str], about("Annotations of the nodes.")] = {}
    labels: Annotated[dict[str, str], about("Labels of the nodes.")] = {}
    taints: LegacyTaints = ()
    startup_taints: LegacyTaints = ()
    requirements: Annotated[
        tuple[PoolRequirement, ...],
        about("What a node must be; all must hold.", maxItems=REQUIREMENTS_MAX),
    ] = ()
    kubelet_configuration: Annotated[dict[str, object], about("Settings of the kubelet.")] = {}
    provider: Annotated[dict[str, object] | None, about("An AWSNodeTemplate written in place.")] = (
        None
    )
    provider_ref: Annotated[ProviderRef | None, about("The AWSNodeTemplate.")] = None
    ttl_seconds_after_empty: Annotated[
        int | None, about("Take an empty node away after this many seconds.", minimum=0)
    ] = None
    ttl_seconds_until_expired: Annotated[
        int | None, about("Replace a node after this many seconds.", minimum=0)
    ] = None
    limits: Annotated[LegacyLimits | None, about("The most that all nodes together may have.")] = (
        None
    )
    weight: Annotated[
        int | None,
        about("Provisioners of greater weight are tried first.", minimum=1, maximum=100),
    ] = None
    consolidation: Annotated[
        Consolidation | None, about("Whether nodes are replaced by cheaper ones.")
    ] = None


_PROVISIONER_RULES: Final = (
    Rule(
        "has(self.provider) != has(self.providerRef)",
        "set exactly one of provider and providerRef",
        lambda spec: has(spec, "provider") != has(spec, "providerRef"),
    ),
    Rule(
        "!(has(self.ttlSecondsAfterEmpty) && has(self.consolidation) && "
        "has(self.consolidation.enabled) && self.consolidation.enabled)",
        "ttlSecondsAfterEmpty and consolidation.enabled exclude each other: keep one",
        lambda spec: (
            not has(spec, "ttlSecondsAfterEmpty")
            or (spec.get("consolidation") or {}).get("enabled") is not True
        ),
    ),
)


class ProvisionerStatus(Struct, frozen=True):
    """What the controllers say of it."""

    resources: Annotated[Amounts, about("What its nodes have together.")] = {}
    last_scale_time: Annotated[
        str | None, about("When a node was last made.", format="date-time")
    ] = None
    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class Provisioner(Struct, frozen=True):
    """`karpenter.sh/v1alpha5`: today's NodePool."""

    metadata: ObjectMeta
    spec: Annotated[
        ProvisionerSpec,
        about("What nodes may be made.", *_PROVISIONER_RULES, required=True),
    ] = ProvisionerSpec()
    status: Annotated[ProvisionerStatus, about("What the controllers say of it.")] = (
        ProvisionerStatus()
    )


class LegacyMetadataOptions(Struct, frozen=True):
    """How the instance metadata service answers; absent means the default of that time."""

    http_endpoint: Annotated[str | None, about("Whether it answers at all.")] = None
    http_protocol_ipv6: Annotated[str | None, about("Whether it answers on IPv6.")] = msgspec.field(
        default=None, name="httpProtocolIPv6"
    )
    http_put_response_hop_limit: Annotated[
        int | None, about("How many network hops its tokens travel.", minimum=1, maximum=64)
    ] = None
    http_tokens: Annotated[str | None, about("Whether a token is needed (IMDSv2).")] = None


class AWSNodeTemplateSpec(Struct, frozen=True):
    """How instances are started."""

    subnet_selector: Annotated[
        dict[str, str], about("Tags, or aws-ids, of the subnets.", maxProperties=50)
    ] = {}
    security_group_selector: Annotated[
        dict[str, str], about("Tags, or aws-ids, of the security groups.", maxProperties=50)
    ] = {}
    ami_selector: Annotated[
        dict[str, str],
        about("Tags, or aws::ids, aws::name and aws::owners, of the images.", maxProperties=50),
    ] = {}
    ami_family: Annotated[
        str | None, about("The family of images.", enum=list(LEGACY_AMI_FAMILIES))
    ] = None
    instance_profile: Annotated[str | None, about("The instance profile of the nodes.")] = None
    launch_template: Annotated[
        str | None, about("A launch template of your own, instead of almost everything here.")
    ] = None
    user_data: Annotated[str | None, about("What runs at boot.")] = None
    tags: Annotated[dict[str, str], about("Tags of the instances.")] = {}
    context: Annotated[str | None, about("Passed on to CreateFleet as it is.")] = None
    detailed_monitoring: Annotated[
        bool | None, about("Whether CloudWatch gets figures every minute.")
    ] = None
    metadata_options: Annotated[
        LegacyMetadataOptions | None, about("How the instance metadata service answers.")
    ] = None
    block_device_mappings: BlockDeviceMappings = ()


_LAUNCH_TEMPLATE_EXCLUDES: Final = (
    "userData",
    "amiSelector",
    "instanceProfile",
    "securityGroupSelector",
    "metadataOptions",
    "blockDeviceMappings",
)
_TEMPLATE_RULES: Final = (
    Rule(
        "!has(self.launchTemplate) || "
        f"!({' || '.join(f'has(self.{name})' for name in _LAUNCH_TEMPLATE_EXCLUDES)})",
        f"launchTemplate excludes {', '.join(_LAUNCH_TEMPLATE_EXCLUDES)}",
        lambda spec: not has(spec, "launchTemplate") or not has(spec, *_LAUNCH_TEMPLATE_EXCLUDES),
    ),
    Rule(
        "has(self.subnetSelector)",
        "set subnetSelector: nodes need subnets to run in",
        lambda spec: has(spec, "subnetSelector"),
    ),
    Rule(
        "has(self.securityGroupSelector) || has(self.launchTemplate)",
        "set securityGroupSelector: nodes need security groups",
        lambda spec: has(spec, "securityGroupSelector", "launchTemplate"),
    ),
    Rule(
        "!has(self.amiFamily) || self.amiFamily != 'Custom' || has(self.amiSelector)",
        "amiFamily Custom needs an amiSelector",
        lambda spec: spec.get("amiFamily") != "Custom" or has(spec, "amiSelector"),
    ),
)


class AWSNodeTemplate(Struct, frozen=True):
    """`karpenter.k8s.aws/v1alpha1`: today's EC2NodeClass."""

    metadata: ObjectMeta
    spec: Annotated[
        AWSNodeTemplateSpec,
        about("How instances are started.", *_TEMPLATE_RULES, required=True),
    ] = AWSNodeTemplateSpec()
    status: Annotated[EC2NodeClassStatus, about("What the selectors found.")] = EC2NodeClassStatus()


class MachineSpec(Struct, frozen=True):
    """What was asked for."""

    machine_template_ref: ProviderRef | None = None
    requirements: tuple[PoolRequirement, ...] = ()
    resources: NodeClaimResources = NodeClaimResources()
    taints: LegacyTaints = ()
    startup_taints: LegacyTaints = ()
    kubelet: dict[str, object] = {}


class Machine(Struct, frozen=True):
    """`karpenter.sh/v1alpha5`: today's NodeClaim."""

    metadata: ObjectMeta
    spec: MachineSpec = MachineSpec()
    status: NodeClaimStatus = NodeClaimStatus()


class ConfigMap(Struct, frozen=True):
    """A ConfigMap, as far as it may hold the settings of that time."""

    metadata: ObjectMeta
    data: dict[str, str] = {}


class GlobalSettings(Struct, frozen=True):
    """What `karpenter-global-settings` says of AWS."""

    cluster_name: str = ""
    cluster_endpoint: str = ""
    cluster_ca_bundle: str = ""
    default_instance_profile: str = ""
    enable_pod_eni: bool = False
    enable_eni_limited_pod_density: bool = True
    isolated_vpc: bool = False
    vm_memory_overhead_percent: str = "0.075"
    interruption_queue_name: str = ""
    tags: dict[str, str] = {}
    reserved_enis: int = 0
    assume_role_arn: str = ""
    assume_role_duration: str = "15m"


METADATA_OPTIONS_THEN: Final = MetadataOptions(http_put_response_hop_limit=2)
"""What the old controllers set where nothing was written."""
