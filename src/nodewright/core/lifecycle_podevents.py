"""Pod events: when a pod last came to a node or left it, which is what quiet is counted from.

Daemon pods do not count: they come and go with the node. The time is written at most every ten
seconds, so that a busy node does not keep the API server busy.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from nodewright.model.decision import Change, rest_on
from nodewright.model.instant import parse_instant, print_instant
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.pod import Pod
from nodewright.model.resource import NODE_CLAIMS, refer
from nodewright.model.world import World

EVERY_MS: Final = 10_000
_TERMINAL: Final = ("Succeeded", "Failed")


def node_of_event(old: Pod | None, new: Pod | None) -> str:
    """Name the node that a pod was bound to, ended on or began to leave; nothing otherwise."""
    if old is None or _is_daemon(old):
        # What is seen for the first time may have been there for days.
        return ""
    if new is None:
        return old.spec.node_name if not _is_over(old) else ""
    was_bound = bool(old.spec.node_name)
    if new.spec.node_name and (not was_bound or _is_over(old) != _is_over(new)):
        return new.spec.node_name
    return ""


def _is_daemon(pod: Pod) -> bool:
    return any(owner.kind == "DaemonSet" for owner in pod.metadata.owner_references)


def _is_over(pod: Pod) -> bool:
    return pod.metadata.deletion_timestamp is not None or pod.status.phase in _TERMINAL


def write_events(world: World, latest_ms: Mapping[str, int]) -> Iterator[Change]:
    """Give the claims whose last pod event is not written down yet, by their nodes' names."""
    for claim in world.node_claims:
        at_ms = latest_ms.get(claim.status.node_name)
        if at_ms is not None and is_due(claim, at_ms):
            yield Change(
                subject=refer(NODE_CLAIMS, claim),
                reason="PodEvent",
                basis=rest_on((NODE_CLAIMS, claim)),
                change={"status": {"lastPodEventTime": print_instant(at_ms)}},
                on_status=True,
            )


def is_due(claim: NodeClaim, at_ms: int) -> bool:
    """Tell whether a time is so much later than the one written that it is worth writing."""
    written = claim.status.last_pod_event_time
    return written is None or at_ms - parse_instant(written) >= EVERY_MS
