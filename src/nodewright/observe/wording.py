"""The table of what the log says: one event that matters, one sentence, at one level.

A decision is looked up by what is done, to which kind of object and why; the row that says most about
it wins. What has no row is a detail: it keeps the decision's own words and is for those who look for a
fault. The sentences of Karpenter's log are kept where the event is the same, so that searches and
alerts made for it go on working.
"""

import logging
from typing import Final

import msgspec

from nodewright.model.decision import Decision, Tell

INFO: Final = logging.INFO
DEBUG: Final = logging.DEBUG

FOUND: Final = "found provisionable pod(s)"
COMPUTED: Final = "computed new nodeclaim(s) to fit pod(s)"
FITTED: Final = "computed existing node(s) to fit pod(s)"
REFUSED: Final = "could not schedule pod(s)"
_OWN: Final = ""
"""Stands for the decision's own words."""


class Row(msgspec.Struct, frozen=True):
    """What is said of a decision, and how loudly."""

    message: str
    level: int = INFO


_ANY: Final = ""
_ROWS: Final[dict[tuple[str, str, str], Row]] = {
    ("Launch", _ANY, _ANY): Row("created nodeclaim"),
    ("Disrupt", _ANY, _ANY): Row("disrupting node(s)"),
    ("Start", _ANY, _ANY): Row("launched nodeclaim"),
    ("Change", "NodeClaim", "Registered"): Row("registered nodeclaim"),
    ("Change", "NodeClaim", "Initialized"): Row("initialized nodeclaim"),
    ("Change", "NodeClaim", "InstanceTerminated"): Row("instance ended before it was a node"),
    ("Change", "NodeClaim", "LaunchAttempt"): Row("launching nodeclaim under a new token"),
    ("Change", "Node", "Disrupted"): Row("tainted node"),
    ("Change", "Node", "ReplacementLost"): Row("left node alone: its replacement is gone"),
    ("Change", "Node", "ReplacementTooLate"): Row("left node alone: its replacement is too late"),
    ("Change", "Node", "PodsCame"): Row("left node alone: pods came meanwhile"),
    ("Change", "Node", "Paused"): Row("left node alone: disruption is paused"),
    ("Change", "Node", "NotBegun"): Row("left node alone: its command could not be begun"),
    ("Change", "Node", "NoCommand"): Row("untainted node that is part of no command"),
    ("Delete", "NodeClaim", _ANY): Row("disrupting nodeclaim"),
    ("Delete", "NodeClaim", "NodeDeleted"): Row("deleting nodeclaim of a deleted node", DEBUG),
    ("Delete", "Node", _ANY): Row("disrupting node"),
    ("Delete", "Node", "ClaimDeleted"): Row("deleting node of a deleted nodeclaim", DEBUG),
    ("Delete", "Pod", _ANY): Row("deleting pod before its node's deadline"),
    ("Evict", _ANY, _ANY): Row("evicted pod", DEBUG),
    ("End", _ANY, _ANY): Row("terminating instance", DEBUG),
    ("End", _ANY, "Orphan"): Row("terminating instance without a nodeclaim"),
    ("End", _ANY, "TerminateLost"): Row("terminating instance of a deleted nodeclaim"),
    ("Release", "NodeClaim", _ANY): Row("deleted nodeclaim"),
    ("Release", "Node", _ANY): Row("deleted node"),
    # The Delete that comes with each of these says the same, with what came of it.
    ("Tell", "NodeClaim", "LaunchTimeout"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "RegistrationTimeout"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "InitializationTimeout"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "InstanceTerminated"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "SpotInterrupted"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "InstanceUnhealthy"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "InstanceStopping"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "InstanceTerminating"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "CapacityReservationInterrupted"): Row(_OWN, DEBUG),
    ("Tell", _ANY, "TerminatingOnInterruption"): Row(_OWN, DEBUG),
    ("Tell", "NodeClaim", "SpotRebalanceRecommendation"): Row("spot rebalance recommended"),
    # What a node is told repeats what its claim is.
    ("Tell", "Node", "SpotInterrupted"): Row(_OWN, DEBUG),
    ("Tell", "Node", "InstanceUnhealthy"): Row(_OWN, DEBUG),
    ("Tell", "Node", "InstanceStopping"): Row(_OWN, DEBUG),
    ("Tell", "Node", "InstanceTerminating"): Row(_OWN, DEBUG),
    ("Tell", "Node", "CapacityReservationInterrupted"): Row(_OWN, DEBUG),
    ("Tell", "Node", "SpotRebalanceRecommendation"): Row(_OWN, DEBUG),
    # The cloud's own line says it once, however many classes there are.
    ("Tell", "EC2NodeClass", "InterruptionQueueNotReady"): Row(_OWN, DEBUG),
    ("Tell", "Node", "TerminationGracePeriodExpiring"): Row(_OWN, DEBUG),
    ("Tell", "Node", "FailedDraining"): Row("draining node"),
    ("Tell", "Node", "AwaitingVolumeDetachment"): Row("detaching volumes of node"),
    # Refused pods are told of by cause; what their nearest pool is told repeats it.
    ("Tell", "NodePool", "FailedScheduling"): Row(_OWN, DEBUG),
    ("Tell", "NodePool", "NoCompatibleInstanceTypes"): Row("nodepool has no instance types"),
    ("Tell", "NodePool", "Ready"): Row("nodepool changed its readiness"),
    ("Tell", "EC2NodeClass", "Ready"): Row("nodeclass changed its readiness"),
    ("Tell", "KWOKNodeClass", "Ready"): Row("nodeclass changed its readiness"),
}
_FAILED: Final = {
    "Launch": "could not create nodeclaim",
    "Disrupt": "could not begin to disrupt node(s)",
    "Start": "could not launch nodeclaim",
    "Change": "could not write what was decided",
    "Delete": "could not delete",
    "Evict": "could not evict pod",
    "End": "could not terminate instance",
    "Release": "could not remove the finalizer",
}


def word(decision: Decision) -> Row:
    """Give what is said of a decision that was told or done."""
    kind, about = decision.kind, decision.subject.resource.kind
    for key in ((kind, about, decision.reason), (kind, _ANY, decision.reason), (kind, about, _ANY)):
        if key in _ROWS:
            return _with_words(_ROWS[key], decision)
    found = _ROWS.get((kind, _ANY, _ANY))
    if found is not None:
        return found
    # An Event that warns is for whoever runs the cluster, whether or not it has a row.
    is_loud = isinstance(decision, Tell) and decision.is_warning
    return _with_words(Row(_OWN, INFO if is_loud else DEBUG), decision)


def word_failure(decision: Decision) -> str:
    """Give what is said of a decision that was not carried out."""
    return _FAILED.get(decision.kind, f"{decision.kind} was not done")


def _with_words(row: Row, decision: Decision) -> Row:
    if row.message:
        return row
    return Row(decision.note or f"{decision.kind} {decision.subject}", row.level)
