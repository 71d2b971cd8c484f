"""Drift: nodes that no longer match what their pool and class say.

First the fingerprint of the template (only where both were made the same way), then the pool's
requirements against the claim's labels, then whether the type is still sold, then what its class and
the provider say. The first that hits is the reason. Widening a requirement never drifts.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.core.disruption.candidates import Candidate, Census
from nodewright.core.disruption.classdrift import ClassJudge, Judged
from nodewright.core.lifecycle_conditions import LAUNCHED, find
from nodewright.model import labels as names
from nodewright.model.disruption import Memory
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import (
    HASH_VERSION,
    NODEPOOL_HASH,
    NODEPOOL_HASH_VERSION,
    hash_nodepool,
)
from nodewright.model.instance import InstanceType
from nodewright.model.instant import parse_instant, read_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import class_key, key_of_reference
from nodewright.model.nodepool import NodePool
from nodewright.model.requirements import BadRequirement, Requirements

CONDITION: Final = "Drifted"
NODEPOOL_DRIFTED: Final = "NodePoolDrifted"
REQUIREMENTS_DRIFTED: Final = "RequirementsDrifted"
TYPE_NOT_FOUND: Final = "InstanceTypeNotFound"
_OURS: Final = frozenset({NODEPOOL_DRIFTED, REQUIREMENTS_DRIFTED, TYPE_NOT_FOUND})
TYPE_CHECK_AGE_MS: Final = 3_600_000
_FREE: Final = frozenset({names.HOSTNAME, names.NODEPOOL})


class Drift(msgspec.Struct, frozen=True):
    """Why a node has drifted, and since when; what it should be, as one word."""

    reason: str
    since_ms: int
    target: str


class DriftJudge:
    """Judges claims against their pools; what a pool says is read once."""

    def __init__(self, census: Census, memory: Memory) -> None:
        self._census = census
        self._provider = memory.provider_drift
        self._hashes: dict[str, str] = {}
        self._requirements: dict[str, Requirements | None] = {}
        self._offered: dict[tuple[int, str | None, str | None], bool] = {}
        self._classes = {class_key(one): one for one in census.world.node_classes}
        self._machines = ClassJudge(census.world.beside.cloud.machines)

    def judge(self, one: Candidate) -> Drift | None:
        """Tell whether a candidate has drifted."""
        reason = self.reason_of(one.claim, one.pool)
        if reason is None:
            return None
        known = find(one.claim.status.conditions, CONDITION)
        since_ms = None
        if known is not None and known.status == "True":
            since_ms = read_instant(known.last_transition_time)
        if since_ms is None:
            since_ms = self._census.now_ms
        return Drift(reason, since_ms, self.hash_of(one.pool))

    def reason_of(self, claim: NodeClaim, pool: NodePool) -> str | None:
        """Give the reason for which a claim has drifted, or nothing."""
        launched = find(claim.status.conditions, LAUNCHED)
        if launched is not None and launched.status != "True":
            return None
        if self._differs(claim, pool):
            return NODEPOOL_DRIFTED
        if self._requires_otherwise(claim, pool):
            return REQUIREMENTS_DRIFTED
        if self._is_not_sold(claim, pool):
            return TYPE_NOT_FOUND
        told = self._provider.get(claim.metadata.name)
        if told is not None:
            return told
        judged = self._judge_class(claim, pool)
        if judged.reason:
            return judged.reason
        known = find(claim.status.conditions, CONDITION)
        if known is None or known.status != "True" or known.reason in _OURS | judged.settled:
            return None
        return known.reason or CONDITION

    def _judge_class(self, claim: NodeClaim, pool: NodePool) -> Judged:
        node_class = self._classes.get(key_of_reference(claim.spec.node_class_ref))
        if not isinstance(node_class, EC2NodeClass):
            return Judged()
        name = claim.metadata.labels.get(names.INSTANCE_TYPE, "")
        kind = self._census.prices.type_of(pool.metadata.name, name)
        return self._machines.judge(claim, node_class, kind)

    def hash_of(self, pool: NodePool) -> str:
        """Give the fingerprint of a pool's template."""
        name = pool.metadata.name
        if name not in self._hashes:
            self._hashes[name] = hash_nodepool(pool)
        return self._hashes[name]

    def _differs(self, claim: NodeClaim, pool: NodePool) -> bool:
        own, version = _stamp(claim.metadata.annotations)
        wanted, wanted_version = _stamp(pool.metadata.annotations)
        if version == HASH_VERSION:
            # Ours is known without being written on the pool: an edit counts at once.
            wanted, wanted_version = self.hash_of(pool), HASH_VERSION
        if not (own and wanted and version) or version != wanted_version:
            return False
        return own != wanted

    def _requires_otherwise(self, claim: NodeClaim, pool: NodePool) -> bool:
        name = pool.metadata.name
        if name not in self._requirements:
            try:
                written = pool.spec.template.spec.requirements
                self._requirements[name] = Requirements.from_expressions(written)
            except BadRequirement:
                self._requirements[name] = None
        wanted = self._requirements[name]
        if wanted is None:
            return False
        have = claim.metadata.labels
        for key, requirement in wanted.items():
            if key in _FREE:
                continue
            value = have.get(key)
            if value is None:
                if not requirement.is_negative:
                    return True
            elif not requirement.has(value):
                return True
        return False

    def _is_not_sold(self, claim: NodeClaim, pool: NodePool) -> bool:
        made = claim.metadata.creation_timestamp
        if not made or self._census.now_ms - parse_instant(made) < TYPE_CHECK_AGE_MS:
            return False
        have = claim.metadata.labels
        name = have.get(names.INSTANCE_TYPE)
        if name is None:
            return False
        found = self._census.prices.type_of(pool.metadata.name, name)
        if found is None:
            return True
        way = (id(found), have.get(names.ZONE), have.get(names.CAPACITY_TYPE))
        is_offered = self._offered.get(way)
        if is_offered is None:
            is_offered = self._offered[way] = _is_offered(found, have)
        return not is_offered


def _stamp(annotations: Mapping[str, str]) -> tuple[str, str]:
    return annotations.get(NODEPOOL_HASH, ""), annotations.get(NODEPOOL_HASH_VERSION, "")


def _is_offered(kind: InstanceType, have: Mapping[str, str]) -> bool:
    """Tell whether a type is offered as a claim was bought, to be had or not."""
    zone, capacity = have.get(names.ZONE), have.get(names.CAPACITY_TYPE)
    wanted = {capacity, names.ON_DEMAND} if capacity == names.RESERVED else {capacity}
    return any(
        (zone is None or offering.zone == zone)
        and (capacity is None or offering.capacity_type in wanted)
        for offering in kind.offerings
    )
