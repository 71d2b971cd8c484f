"""Objects of today as plain values to be printed.

Every default that v1 and its past disagree on is written out; what the API server adds to an object
is left out.
"""

from typing import Any

import msgspec

from nodewright.model.kinds import BY_STRUCT
from nodewright.model.metadata import Struct
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool


def write_manifest(one: Struct) -> dict[str, Any]:
    """Give an object as a manifest: apiVersion, kind, metadata and spec, in that order."""
    kind = BY_STRUCT[type(one)]
    fields = msgspec.to_builtins(one)
    metadata = {
        name: fields["metadata"][name]
        for name in ("name", "labels", "annotations")
        if name in fields["metadata"]
    }
    spec = fields.get("spec", {})
    if isinstance(one, NodePool):
        _write_pool(one, spec)
    elif isinstance(one, NodeClaim):
        spec["expireAfter"] = one.spec.expire_after
        spec.setdefault("requirements", [])
    elif "metadataOptions" in spec:
        options = getattr(one, "spec").metadata_options  # noqa: B009 - classes of both eras
        spec["metadataOptions"] = {
            field.encode_name: getattr(options, field.name)
            for field in msgspec.structs.fields(options)
        }
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}


def _write_pool(pool: NodePool, spec: dict[str, Any]) -> None:
    whole = spec.setdefault("template", {})
    if not whole.get("metadata"):
        whole.pop("metadata", None)
    template = whole.setdefault("spec", {})
    template.setdefault("requirements", [])
    template["expireAfter"] = pool.spec.template.spec.expire_after
    disruption = pool.spec.disruption
    written = spec.setdefault("disruption", {})
    written["consolidationPolicy"] = disruption.consolidation_policy
    written["consolidateAfter"] = disruption.consolidate_after
    written["budgets"] = [
        {"nodes": budget.nodes, **msgspec.to_builtins(budget)} for budget in disruption.budgets
    ]
