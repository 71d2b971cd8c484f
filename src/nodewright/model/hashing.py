"""Fingerprints of what a node is made from, to tell whether its pool or class has changed since.

Only what needs a new node counts: a pool's template without its requirements (those are checked
against the node itself), a class without its selectors (what they find is checked). Lists are
unordered, zero and absent values are the same, and a duration counts by its length. The number is
not Karpenter's, so it carries a version of its own: fingerprints of different versions are never
compared, or a takeover would call every node drifted at once. A class's has two parts, of what it says
and of the certificate that its nodes trust, so that who does not know the latter can compare the former.
"""

import hashlib
import json
from typing import Any, Final

import msgspec

from nodewright.model.duration import BadDuration, parse_duration
from nodewright.model.ec2nodeclass import EC2NodeClassSpec
from nodewright.model.nodepool import NodePool

HASH_VERSION: Final = "nodewright-v1"
NODEPOOL_HASH: Final = "karpenter.sh/nodepool-hash"
NODEPOOL_HASH_VERSION: Final = "karpenter.sh/nodepool-hash-version"
EC2NODECLASS_HASH: Final = "karpenter.k8s.aws/ec2nodeclass-hash"
EC2NODECLASS_HASH_VERSION: Final = "karpenter.k8s.aws/ec2nodeclass-hash-version"

_DIGEST_BYTES: Final = 8
_PART: Final = "-"
_CLASS_FIELDS_OUT: Final = (
    "subnetSelectorTerms",
    "securityGroupSelectorTerms",
    "capacityReservationSelectorTerms",
    "amiSelectorTerms",
    "ipPrefixCount",
    "amiFamily",
)


def hash_nodepool(pool: NodePool) -> str:
    """Give the fingerprint of a pool's template."""
    template = pool.spec.template
    spec = template.spec
    return _fingerprint(
        {
            "labels": _entries(template.metadata.labels),
            "annotations": _entries(template.metadata.annotations),
            "taints": msgspec.to_builtins(spec.taints),
            "startupTaints": msgspec.to_builtins(spec.startup_taints),
            "nodeClassRef": msgspec.to_builtins(spec.node_class_ref),
            "terminationGracePeriod": _length(spec.termination_grace_period),
            "expireAfter": _length(spec.expire_after),
        }
    )


def hash_ec2nodeclass(spec: EC2NodeClassSpec, ca_bundle: str = "") -> str:
    """Give the fingerprint of a class, with the cluster's certificate where it is known."""
    said = _hash_class(spec)
    return f"{said}{_PART}{_fingerprint({'caBundle': ca_bundle})}" if ca_bundle else said


def is_same_class(one: str, other: str) -> bool:
    """Tell whether two fingerprints of classes are of the same, as far as both know it."""
    (said, _, trusted), (other_said, _, other_trusted) = (
        one.partition(_PART),
        other.partition(_PART),
    )
    return said == other_said and (not trusted or not other_trusted or trusted == other_trusted)


def stamp_class(spec: EC2NodeClassSpec, stamped: str) -> str:
    """Give the fingerprint of a class as it is now, with the certificate of its last stamp."""
    _, part, trusted = stamped.partition(_PART)
    return f"{_hash_class(spec)}{part}{trusted}"


def _hash_class(spec: EC2NodeClassSpec) -> str:
    fields = msgspec.to_builtins(spec)
    for name in _CLASS_FIELDS_OUT:
        fields.pop(name, None)
    # Where a class leaves its defaults to the API server it must not differ from one that has them.
    fields["metadataOptions"] = {
        field.encode_name: getattr(spec.metadata_options, field.name)
        for field in msgspec.structs.fields(spec.metadata_options)
    }
    fields["tags"] = _entries(spec.tags)
    fields["kubelet"] = _canonical_json(spec.kubelet) if spec.kubelet else ""
    fields["resolvedFamily"] = spec.resolved_family
    return _fingerprint(fields)


def _length(duration: str | None) -> int | str | None:
    if duration is None:
        return None
    try:
        return parse_duration(duration)
    except BadDuration:
        return duration


def _fingerprint(value: Any) -> str:
    digest = hashlib.blake2b(_canonical(value).encode(), digest_size=_DIGEST_BYTES)
    return digest.hexdigest()


def _entries(mapping: dict[str, str]) -> list[str]:
    # A label without a value is still a label: only a struct's fields are ignored when zero.
    return [_canonical_json([key, value]) for key, value in mapping.items()]


def _canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _canonical(value: Any) -> str:
    return _canonical_json(_normal(value))


def _normal(value: Any) -> Any:
    if isinstance(value, dict):
        parts = {str(name): _normal(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part}
    if isinstance(value, list | tuple):
        return sorted(filter(None, map(_normal, value)), key=_canonical)
    return value
