"""What the controllers refuse in an EC2NodeClass beside what the API server has refused already."""

from collections.abc import Iterator
from typing import Final

from nodewright.model.ec2nodeclass import (
    RESTRICTED_TAG_PREFIX,
    RESTRICTED_TAGS,
    EC2NodeClass,
    EC2NodeClassSpec,
)
from nodewright.model.ec2nodeclass_terms import ALIAS_FAMILIES, alias_of
from nodewright.model.validation import Problem
from nodewright.model.validation_kubelet import validate_kubelet

TAG_VALIDATION_FAILED: Final = "TagValidationFailed"
UNSUPPORTED_ALIAS: Final = "UnsupportedAlias"
USER_DATA_SIZE_LIMIT_EXCEEDED: Final = "UserDataSizeLimitExceeded"

USER_DATA_BYTES_MAX: Final = 16_384
AL2_MINOR_MAX: Final = 32
WINDOWS2025_MINOR_MIN: Final = 35

BAD_TAG: Final = "NW-2023"
USER_DATA_TOO_LARGE: Final = "NW-2024"
UNSUPPORTED_ALIAS_CODE: Final = "NW-3058"


def validate_ec2nodeclass(
    node_class: EC2NodeClass, *, kubernetes_minor: int | None = None, expressions: bool = False
) -> list[Problem]:
    """Tell everything that makes a class unusable; alias and version only where both are known."""
    spec = node_class.spec
    return [
        *_check_tags(spec),
        *_check_user_data(spec),
        *validate_kubelet(spec.kubelet, spec.resolved_family, expressions=expressions),
        *check_alias(spec, kubernetes_minor),
    ]


def check_alias(spec: EC2NodeClassSpec, kubernetes_minor: int | None) -> Iterator[Problem]:
    """Tell whether there are images of the alias's family for this Kubernetes version."""
    alias = alias_of(spec.ami_selector_terms)
    if alias is None:
        return
    family, version = alias
    path = ("spec", "amiSelectorTerms", 0, "alias")
    if family not in ALIAS_FAMILIES.values() or not version:
        sentence = f"the alias must be one of {', '.join(ALIAS_FAMILIES)}, then @ and a version"
        yield Problem(path, sentence, UNSUPPORTED_ALIAS_CODE, reason=UNSUPPORTED_ALIAS)
    if kubernetes_minor is None:
        return
    if family == "AL2" and kubernetes_minor > AL2_MINOR_MAX:
        sentence = (
            f"there are no AL2 images for Kubernetes 1.{kubernetes_minor}: use al2023@latest "
            "or bottlerocket@latest"
        )
        yield Problem(path, sentence, UNSUPPORTED_ALIAS_CODE, reason=UNSUPPORTED_ALIAS)
    if family == "Windows2025" and kubernetes_minor < WINDOWS2025_MINOR_MIN:
        sentence = (
            f"there are Windows 2025 images from Kubernetes 1.{WINDOWS2025_MINOR_MIN} on only"
        )
        yield Problem(path, sentence, UNSUPPORTED_ALIAS_CODE, reason=UNSUPPORTED_ALIAS)


def _check_tags(spec: EC2NodeClassSpec) -> Iterator[Problem]:
    for key in spec.tags:
        if not key:
            sentence = "a tag needs a key"
        elif key in RESTRICTED_TAGS or key.startswith(RESTRICTED_TAG_PREFIX):
            sentence = f"the tag {key} is set by the autoscaler: remove it"
        else:
            continue
        yield Problem(("spec", "tags", key), sentence, BAD_TAG, reason=TAG_VALIDATION_FAILED)


def _check_user_data(spec: EC2NodeClassSpec) -> Iterator[Problem]:
    size = len((spec.user_data or "").encode())
    if size > USER_DATA_BYTES_MAX:
        sentence = f"userData is {size} bytes long, and EC2 takes {USER_DATA_BYTES_MAX} at most"
        yield Problem(
            ("spec", "userData"),
            sentence,
            USER_DATA_TOO_LARGE,
            reason=USER_DATA_SIZE_LIMIT_EXCEEDED,
        )
