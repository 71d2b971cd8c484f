"""Claims as they are written: what a pool's template says, its fingerprint, its owner, and a name.

The name follows from what was decided, so that writing a claim twice makes one. Labels of the users'
own keys are resolved, since only we can; those of well-known ones come with the machine.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.model import labels as names
from nodewright.model.decision import digest
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.legacy import PROVISIONER_NAME
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta, OwnerReference
from nodewright.model.nodeclaim import NodeClaim, NodeClaimResources, NodeClaimSpec
from nodewright.model.nodepool import NodePool
from nodewright.model.older import origin_of
from nodewright.model.pod import Amounts
from nodewright.model.requirements import Requirement, Requirements
from nodewright.model.resource import NODE_POOLS, PROVISIONERS

POOL_NAME_MAX: Final = 52


class Draft(msgspec.Struct, frozen=True):
    """What a claim has of its own, beside what its pool gives it."""

    name: str
    requirements: tuple[NodeSelectorRequirement, ...]
    requests: Amounts = {}
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}


def name_claim(pool: NodePool, decision: str) -> str:
    """Give the name of the claim that a decision makes for a pool."""
    return f"{pool.metadata.name[:POOL_NAME_MAX]}-{digest(decision)}"


def write_claim(pool: NodePool, draft: Draft) -> NodeClaim:
    """Give the claim that a pool makes of a draft."""
    template, spec = pool.spec.template, pool.spec.template.spec
    reference = spec.node_class_ref
    own = {names.NODEPOOL: pool.metadata.name}
    if reference.kind:
        own[f"{reference.group}/{reference.kind.lower()}"] = reference.name
    if origin_of(pool) is PROVISIONERS:
        # Pods of that time select nodes by the old name, and the scheduler knows no other.
        own[PROVISIONER_NAME] = pool.metadata.name
    return NodeClaim(
        metadata=ObjectMeta(
            name=draft.name,
            labels={**template.metadata.labels, **draft.labels, **own},
            annotations={
                **template.metadata.annotations,
                NODEPOOL_HASH: hash_nodepool(pool),
                NODEPOOL_HASH_VERSION: HASH_VERSION,
                **draft.annotations,
            },
            owner_references=(owner_of(pool),),
            finalizers=(names.TERMINATION_FINALIZER,),
        ),
        spec=NodeClaimSpec(
            node_class_ref=reference,
            requirements=draft.requirements,
            resources=NodeClaimResources(requests=dict(draft.requests)),
            taints=spec.taints,
            startup_taints=spec.startup_taints,
            expire_after=spec.expire_after,
            termination_grace_period=spec.termination_grace_period,
        ),
    )


def owner_of(pool: NodePool) -> OwnerReference:
    """Give the reference by which a claim belongs to its pool, and goes with it."""
    kind = origin_of(pool) or NODE_POOLS
    return OwnerReference(
        api_version=kind.api_version,
        kind=kind.kind,
        name=pool.metadata.name,
        uid=pool.metadata.uid,
        block_owner_deletion=True,
    )


def resolve_labels(requirements: Requirements, name: str) -> dict[str, str]:
    """Give the labels of the users' own keys; where any value will do, one is made up."""
    found: dict[str, str] = {}
    for key, requirement in requirements.items():
        if key in names.WELL_KNOWN or names.is_restricted(key):
            continue
        if not requirement.complement:
            if requirement.values:
                found[key] = min(requirement.values)
        elif (value := _any_value(requirement, name)) is not None:
            found[key] = value
    return found


def _any_value(requirement: Requirement, name: str) -> str | None:
    low, high = requirement.low, requirement.high
    if low is not None or high is not None:
        candidate = str(low if low is not None else high)
        return candidate if requirement.has(candidate) else None
    drawn = (str(int(digest(name, str(turn)), 16) % 1_000_000) for turn in range(10))
    return next((value for value in drawn if requirement.has(value)), None)
