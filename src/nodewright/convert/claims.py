"""Machine and `v1beta1` NodeClaim as NodeClaim of today.

They carried no lifetime of their own: it was their pool's, and without a pool they lived for ever.
"""

import msgspec

from nodewright.convert.provisioner import class_ref, with_expiry
from nodewright.convert.renames import (
    rename_condition,
    rename_metadata,
    rename_requirement,
    rename_taint,
)
from nodewright.model.labels import AWS_GROUP
from nodewright.model.legacy import Machine
from nodewright.model.legacy_beta import BetaNodeClaim
from nodewright.model.metadata import Condition
from nodewright.model.nodeclaim import NodeClaim, NodeClaimSpec
from nodewright.model.nodepool import NodeClassRef, NodePool


def convert_machine(machine: Machine, pool: NodePool | None) -> NodeClaim:
    """Give the NodeClaim that a Machine was; its class is that of its pool after splitting."""
    spec = machine.spec
    template = spec.machine_template_ref
    ref = pool.spec.template.spec.node_class_ref if pool is not None else None
    return NodeClaim(
        metadata=rename_metadata(machine.metadata),
        spec=NodeClaimSpec(
            node_class_ref=ref or class_ref(template.name if template is not None else ""),
            requirements=tuple(rename_requirement(one) for one in spec.requirements),
            resources=spec.resources,
            taints=tuple(rename_taint(taint) for taint in spec.taints),
            startup_taints=spec.startup_taints,
            expire_after=with_expiry(pool),
        ),
        status=msgspec.structs.replace(
            machine.status, conditions=_conditions(machine.status.conditions)
        ),
    )


def convert_beta_claim(claim: BetaNodeClaim, pool: NodePool | None) -> NodeClaim:
    """Give today's NodeClaim for one of `v1beta1`."""
    spec, ref = claim.spec, claim.spec.node_class_ref
    group = ref.api_version.partition("/")[0] if "/" in ref.api_version else AWS_GROUP
    written = NodeClassRef(group=group, kind=ref.kind or "EC2NodeClass", name=ref.name)
    return NodeClaim(
        metadata=claim.metadata,
        spec=NodeClaimSpec(
            node_class_ref=pool.spec.template.spec.node_class_ref if pool is not None else written,
            requirements=spec.requirements,
            resources=spec.resources,
            taints=tuple(rename_taint(taint) for taint in spec.taints),
            startup_taints=spec.startup_taints,
            expire_after=with_expiry(pool),
        ),
        status=claim.status,
    )


def _conditions(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(rename_condition(condition) for condition in conditions)
