"""Metrics of lives: claims and nodes that are made, disrupted, drained and gone, each counted once."""

from collections.abc import Mapping
from typing import Final, Protocol

from nodewright.core.interruption import CHECKS, PLANNED
from nodewright.model import decision as d
from nodewright.model.decision import Decision
from nodewright.model.instant import read_instant
from nodewright.model.labels import CAPACITY_TYPE, NODEPOOL, ZONE
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.model.world import World
from nodewright.observe.disruption import Disruptions
from nodewright.observe.money import Money

_DISRUPTED: Final = frozenset((
    "insufficient_capacity", "nodeclass_not_ready", "launch_timeout", "registration_timeout",
    "garbage_collected", "expired", "unhealthy", "underutilized", "empty", "drifted",
    "spot_interrupted", "scheduled_change", "instance_stopped", "instance_terminated",
    "rebalance_recommendation", "capacity_reservation_interrupted", "instance_status",
    "system_status", "event_status",
))  # fmt: skip
"""Reasons that count as a disruption; other deletions follow from somebody else's."""

_UNWELL: Final = frozenset((*CHECKS, PLANNED))


class Tally(Protocol):
    """Where things are counted."""

    money: Money

    def count(self, name: str, *labels: str) -> None:
        """Count one more."""
        ...

    def note(self, name: str, seconds: float, *labels: str) -> None:
        """Take note of a duration."""
        ...


class Lives:
    """Counts what was really done to claims, nodes and pods."""

    def __init__(self, tally: Tally, disruptions: Disruptions) -> None:
        self._tally = tally
        self._disruptions = disruptions

    def done(self, decision: Decision, world: World) -> None:
        """Count what was done, once."""
        match decision:
            case d.Launch(claim=claim):
                relaxed = claim.metadata.annotations.get(
                    "karpenter.sh/nodeclaim-min-values-relaxed", "false"
                )
                pool = claim.metadata.labels.get(NODEPOOL, "")
                reason = decision.reason.lower()
                self._tally.count("karpenter_nodeclaims_created_total", reason, pool, relaxed)
            case d.Disrupt():
                self._disruptions.begun(decision, world)
            case d.Delete(reason=reason) if reason in _DISRUPTED:
                if decision.subject.resource is NODE_CLAIMS:
                    self._disruptions.deleted(decision, world)
                    if reason in _UNWELL:
                        unwell = "karpenter_interruption_instance_status_unhealthy_total"
                        self._tally.count(unwell, reason)
            case d.Change(reason="Registration") if decision.subject.resource is NODES:
                labels = _labels_of(decision, world)
                row = (labels.get(NODEPOOL, ""), labels.get(ZONE, ""))
                self._tally.count("karpenter_nodes_created_total", *row)
            case d.Change(reason="Drained") if decision.subject.resource is NODE_CLAIMS:
                pool = _labels_of(decision, world).get(NODEPOOL, "")
                self._tally.count("karpenter_nodes_drained_total", pool)
            case d.Evict():
                self._tally.count("karpenter_pods_drained_total", decision.reason)
            case d.Release():
                self._gone(decision, world)

    def _gone(self, decision: d.Release, world: World) -> None:
        meta = decision.thing.metadata
        labels, now_ms = meta.labels, world.now_ms
        pool, zone = labels.get(NODEPOOL, ""), labels.get(ZONE, "")
        took_s = seconds_since(read_instant(meta.deletion_timestamp), now_ms)
        if decision.subject.resource is NODE_CLAIMS:
            capacity = labels.get(CAPACITY_TYPE, "")
            self._tally.count("karpenter_nodeclaims_terminated_total", pool, capacity, zone)
            if took_s is not None:
                self._tally.note("karpenter_nodeclaims_termination_duration_seconds", took_s, pool)
            ended_s = seconds_since(_since(decision.thing, "InstanceTerminating"), now_ms)
            if ended_s is not None:
                ended = "karpenter_nodeclaims_instance_termination_duration_seconds"
                self._tally.note(ended, ended_s, pool)
            self._tally.money.gone(decision.thing, world)
        elif decision.subject.resource is NODES:
            self._tally.count("karpenter_nodes_terminated_total", pool, zone)
            if took_s is not None:
                self._tally.note("karpenter_nodes_termination_duration_seconds", took_s, pool)
            lived_s = seconds_since(read_instant(meta.creation_timestamp), now_ms)
            if lived_s is not None:
                self._tally.note("karpenter_nodes_lifetime_duration_seconds", lived_s, pool)


def _labels_of(decision: Decision, world: World) -> Mapping[str, str]:
    """Give the labels of a claim or node as they were last seen, a node's claim's included."""
    name = decision.subject.name
    for claim in world.node_claims:
        if claim.metadata.name == name:
            return claim.metadata.labels
    for node in world.nodes:
        if node.metadata.name == name:
            provider_id = node.spec.provider_id
            own = (
                one.metadata.labels
                for one in world.node_claims
                if provider_id and one.status.provider_id == provider_id
            )
            return {**node.metadata.labels, **next(own, {})}
    return {}


def _since(claim: NodeClaim, condition: str) -> int | None:
    """Give since when a condition of a claim has held."""
    for one in claim.status.conditions:
        if one.type == condition and one.status == "True":
            return read_instant(one.last_transition_time)
    return None


def seconds_since(since_ms: int | None, now_ms: int) -> float | None:
    """Give how long ago something was; nothing where it never was."""
    return None if since_ms is None else max(0, now_ms - since_ms) / 1000
