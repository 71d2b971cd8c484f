"""AWSNodeTemplate and `v1beta1` EC2NodeClass as EC2NodeClass of today, without their kubelet.

Defaults that v1 no longer has are written out: the metadata hop limit was 2, the family of images
AL2. Images that nobody selected become the alias of their family. What EC2 gets must be the same as
before, save where today's Kubernetes cannot have it.
"""

from typing import Final

import msgspec

from nodewright.convert.notes import ADDED, CHANGED, CHECK, LOST, REFUSED, Notebook
from nodewright.convert.selectors import group_terms, image_terms, subnet_terms
from nodewright.model.ec2nodeclass import (
    RESTRICTED_TAG_PREFIX,
    RESTRICTED_TAGS,
    EC2NodeClassSpec,
)
from nodewright.model.ec2nodeclass_devices import BlockDevice, BlockDeviceMapping, MetadataOptions
from nodewright.model.ec2nodeclass_terms import ALIAS_FAMILIES, AMISelectorTerm
from nodewright.model.legacy import (
    METADATA_OPTIONS_THEN,
    AWSNodeTemplateSpec,
    GlobalSettings,
    LegacyMetadataOptions,
)
from nodewright.model.legacy_beta import BetaEC2NodeClassSpec
from nodewright.model.validation_ec2nodeclass import AL2_MINOR_MAX

DISCOVERY_TAG: Final = "karpenter.sh/discovery"
DEFAULT_PROFILE_PREFIX: Final = "KarpenterNodeInstanceProfile-"
UBUNTU_ROOT: Final = BlockDeviceMapping(
    device_name="/dev/sda1",
    root_volume=True,
    ebs=BlockDevice(volume_size="20Gi", volume_type="gp3", encrypted=True),
)
_ALIASES: Final = {family: alias for alias, family in ALIAS_FAMILIES.items()}


class ConvertOptions(msgspec.Struct, frozen=True):
    """What the manifests do not say: the cluster's version, its settings, whose role nodes have."""

    kubernetes_minor: int | None = None
    settings: GlobalSettings = GlobalSettings()
    role: str = ""
    instance_profile: str = ""


class _Images(msgspec.Struct, frozen=True):
    family: str | None
    terms: tuple[AMISelectorTerm, ...]
    is_ubuntu: bool = False


def convert_template(
    spec: AWSNodeTemplateSpec, options: ConvertOptions, book: Notebook
) -> EC2NodeClassSpec:
    """Give the class that a template was; what cannot be said today is in the notebook."""
    if spec.launch_template is not None:
        sentence = (
            f"launchTemplate {spec.launch_template} has no counterpart: put its image into "
            "amiSelectorTerms, its user data, disks, groups and profile into the fields of their "
            "names, then remove launchTemplate"
        )
        book.add(REFUSED, sentence, ("spec", "launchTemplate"))
    for field, selector in (
        ("subnetSelector", spec.subnet_selector),
        ("securityGroupSelector", spec.security_group_selector),
    ):
        if not selector and spec.launch_template is None:
            book.add(REFUSED, f"{field} is missing: name the tags or ids", ("spec", field))
    if spec.ami_selector:
        sentence = (
            "tags on an image that are named like node labels no longer narrow it to instance "
            "types: make a class of its own for such an image"
        )
        book.add(CHANGED, sentence, ("spec", "amiSelector"), ("spec", "amiSelectorTerms"))
    images = _images(spec.ami_family or "AL2", image_terms(spec.ami_selector, book), options, book)
    role, instance_profile = _identity(spec, options, book)
    return EC2NodeClassSpec(
        subnet_selector_terms=subnet_terms(spec.subnet_selector, book),
        security_group_selector_terms=group_terms(spec.security_group_selector, book),
        ami_selector_terms=images.terms,
        ami_family=images.family,
        user_data=spec.user_data,
        role=role,
        instance_profile=instance_profile,
        tags=_tags({**options.settings.tags, **spec.tags}, book),
        block_device_mappings=_disks(spec.block_device_mappings, images, book),
        detailed_monitoring=spec.detailed_monitoring,
        metadata_options=_metadata_options(spec.metadata_options, book),
        context=spec.context,
    )


def convert_beta_class(
    spec: BetaEC2NodeClassSpec, options: ConvertOptions, book: Notebook
) -> EC2NodeClassSpec:
    """Give today's class for one of `v1beta1`."""
    terms = tuple(
        AMISelectorTerm(tags=term.tags, id=term.id, name=term.name, owner=term.owner)
        for term in spec.ami_selector_terms
    )
    images = _images(spec.ami_family or "AL2", terms, options, book)
    if spec.ami_family == "AL2023" and not terms:
        sentence = "the standard AL2023 image is no longer offered to GPU and accelerator types"
        book.add(CHANGED, sentence, ("spec", "amiFamily"), ("spec", "amiSelectorTerms"))
    if spec.role is None and spec.instance_profile is None:
        sentence = "neither role nor instanceProfile is set: name one"
        book.add(CHECK, sentence, ("spec",), ("spec",))
    return EC2NodeClassSpec(
        subnet_selector_terms=spec.subnet_selector_terms,
        security_group_selector_terms=spec.security_group_selector_terms,
        ami_selector_terms=images.terms,
        ami_family=images.family,
        user_data=spec.user_data,
        role=spec.role,
        instance_profile=spec.instance_profile,
        tags=_tags(spec.tags, book),
        block_device_mappings=_disks(spec.block_device_mappings, images, book),
        instance_store_policy=spec.instance_store_policy,
        detailed_monitoring=spec.detailed_monitoring,
        associate_public_ip_address=spec.associate_public_ip_address,
        metadata_options=_metadata_options(spec.metadata_options, book),
        context=spec.context,
    )


def _images(
    family: str, terms: tuple[AMISelectorTerm, ...], options: ConvertOptions, book: Notebook
) -> _Images:
    path, target = ("spec", "amiFamily"), ("spec", "amiSelectorTerms")
    if family == "Ubuntu":
        return _ubuntu(terms, options, book)
    if terms:
        return _Images(family, terms)
    if family == "Custom":
        book.add(REFUSED, "amiFamily Custom needs an amiSelector: say which image", path)
        return _Images(family, ())
    alias = _ALIASES.get(family)
    if alias is None:
        book.add(REFUSED, f"there are no images of family {family}: choose another", path)
        return _Images(family, ())
    minor = options.kubernetes_minor
    if family == "AL2" and minor is not None and minor > AL2_MINOR_MAX:
        sentence = (
            f"AL2 has no images for Kubernetes 1.{minor}, so AL2023 is taken: user data for AL2 "
            "(bootstrap.sh) must be rewritten"
        )
        book.add(CHECK, sentence, path, target)
        alias = "al2023"
    elif family == "AL2":
        sentence = f"AL2 as before; it ends with Kubernetes 1.{AL2_MINOR_MAX}: move to al2023@latest by then"
        book.add(CHANGED, sentence, path, target)
    else:
        book.add(CHANGED, f"the newest image of family {family}, as before", path, target)
    return _Images(None, (AMISelectorTerm(alias=f"{alias}@latest"),))


def _ubuntu(terms: tuple[AMISelectorTerm, ...], options: ConvertOptions, book: Notebook) -> _Images:
    path, target = ("spec", "amiFamily"), ("spec", "amiFamily")
    sentence = "Ubuntu is no family today: its nodes start with the user data of AL2"
    book.add(CHANGED, sentence, path, target)
    minor = options.kubernetes_minor
    if not terms and minor is None:
        sentence = (
            "Ubuntu images are found by Kubernetes version, which is not known: say "
            "--kubernetes-version, or select the images"
        )
        book.add(REFUSED, sentence, path)
    elif not terms:
        terms = tuple(
            AMISelectorTerm(
                ssm_parameter=(
                    f"/aws/service/canonical/ubuntu/eks/22.04/1.{minor}/stable/current/"
                    f"{arch}/hvm/ebs-gp2/ami-id"
                )
            )
            for arch in ("amd64", "arm64")
        )
    return _Images("AL2", terms, is_ubuntu=True)


def _disks(
    mappings: tuple[BlockDeviceMapping, ...], images: _Images, book: Notebook
) -> tuple[BlockDeviceMapping, ...]:
    if mappings or not images.is_ubuntu:
        return mappings
    sentence = "the disk that Ubuntu nodes had by default"
    book.add(ADDED, sentence, ("spec", "amiFamily"), ("spec", "blockDeviceMappings"))
    return (UBUNTU_ROOT,)


def _identity(
    spec: AWSNodeTemplateSpec, options: ConvertOptions, book: Notebook
) -> tuple[str | None, str | None]:
    path, target = ("spec", "instanceProfile"), ("spec", "instanceProfile")
    if spec.instance_profile:
        return None, spec.instance_profile
    if options.role:
        book.add(ADDED, "the role that was given for the conversion", path, ("spec", "role"))
        return options.role, None
    if profile := options.instance_profile:
        book.add(ADDED, "the instance profile that was given for the conversion", path, target)
        return None, profile
    if profile := options.settings.default_instance_profile:
        book.add(ADDED, "from aws.defaultInstanceProfile of the global settings", path, target)
        return None, profile
    cluster = options.settings.cluster_name or spec.subnet_selector.get(DISCOVERY_TAG, "")
    if cluster and "," not in cluster and cluster != "*":
        sentence = (
            "no instance profile was named here (aws.defaultInstanceProfile of the global settings "
            "did it); this is the name that Karpenter's installation gave it: check it"
        )
        book.add(CHECK, sentence, path, target)
        return None, f"{DEFAULT_PROFILE_PREFIX}{cluster}"
    sentence = "no instance profile is named: add role or instanceProfile"
    book.add(CHECK, sentence, path, ("spec",))
    return None, None


def _tags(tags: dict[str, str], book: Notebook) -> dict[str, str]:
    kept = {}
    for key, value in tags.items():
        if key in RESTRICTED_TAGS or key.startswith(RESTRICTED_TAG_PREFIX):
            sentence = f"the tag {key} is set by the autoscaler today and was removed"
            book.add(LOST, sentence, ("spec", "tags", key), ("spec", "tags"))
        else:
            kept[key] = value
    return kept


def _metadata_options(options: LegacyMetadataOptions | None, book: Notebook) -> MetadataOptions:
    then = METADATA_OPTIONS_THEN
    written = options or LegacyMetadataOptions()
    if written.http_put_response_hop_limit is None:
        sentence = "the hop limit was 2 by default, and is 1 today"
        target = ("spec", "metadataOptions", "httpPutResponseHopLimit")
        book.add(ADDED, sentence, ("spec", "metadataOptions"), target)
    return MetadataOptions(
        http_endpoint=written.http_endpoint or then.http_endpoint,
        http_protocol_ipv6=written.http_protocol_ipv6 or then.http_protocol_ipv6,
        http_put_response_hop_limit=written.http_put_response_hop_limit
        or then.http_put_response_hop_limit,
        http_tokens=written.http_tokens or then.http_tokens,
    )
