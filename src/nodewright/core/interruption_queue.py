"""The queue of interruptions as a condition of EC2NodeClasses: whether warnings reach us.

It is not part of Ready: without its queue the controller goes on making and ending machines, and asks
every minute for what messages would have told. A queue that cannot be reached for a moment is no news;
one that is not there, or that we may not read, is. Where no queue is set, the condition is not there.
"""

from collections.abc import Iterator
from typing import Final

from nodewright.core.lifecycle_conditions import FALSE, READY, TRUE, find, shorten, write_condition
from nodewright.model.cloudview import QueueView
from nodewright.model.decision import Change, Decision, Tell, rest_on
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.instant import print_instant
from nodewright.model.metadata import Condition
from nodewright.model.older import origin_of
from nodewright.model.resource import NODE_CLASSES, refer
from nodewright.model.world import World

QUEUE: Final = "InterruptionQueueReady"
NOT_READY: Final = "InterruptionQueueNotReady"
CODE: Final = "NW-3021"
UNSET: Final = "unset"
UNREACHABLE: Final = "unreachable"
TOLERATED_MS: Final = 30_000
_QUIET_MS: Final = 900_000
_REASONS: Final = {
    "missing": ("QueueNotFound", "the interruption queue is not there"),
    "forbidden": ("QueueForbidden", "the interruption queue may not be read"),
    UNREACHABLE: ("QueueUnreachable", "the interruption queue does not answer"),
}


def judge_queue(world: World) -> Iterator[Decision]:
    """Give the condition of every class that does not say how the queue does, and tell of trouble."""
    view = world.beside.queue
    if view is None:
        return
    if view.fault == UNREACHABLE and world.now_ms - view.since_ms < TOLERATED_MS:
        return
    for one in world.node_classes:
        if not isinstance(one, EC2NodeClass) or origin_of(one) is not None:
            continue
        if one.metadata.deletion_timestamp is not None:
            continue
        wanted = _condition(one, view, world.now_ms)
        if wanted is not None and wanted.status == FALSE:
            yield Tell(
                subject=refer(NODE_CLASSES, one),
                reason=NOT_READY,
                note=wanted.message,
                is_warning=True,
                dedupe=(CODE, view.fault),
                quiet_ms=_QUIET_MS,
            )
        if find(one.status.conditions, QUEUE) != wanted:
            yield _write(one, wanted)


def _condition(node_class: EC2NodeClass, view: QueueView, now_ms: int) -> Condition | None:
    """Give the condition as it should be; nothing where nobody asked for a queue."""
    if view.fault == UNSET:
        return None
    status, reason, message = TRUE, QUEUE, ""
    if view.fault:
        status = FALSE
        reason, words = _REASONS[view.fault]
        message = f"{CODE}: {words}, so warnings of interruptions are not heard: {view.message}"
    known = find(node_class.status.conditions, QUEUE)
    since = known.last_transition_time if known is not None and known.status == status else None
    return Condition(
        type=QUEUE,
        status=status,
        reason=reason,
        message=shorten(message),
        last_transition_time=since or print_instant(now_ms),
        observed_generation=node_class.metadata.generation,
    )


def _write(node_class: EC2NodeClass, wanted: Condition | None) -> Change:
    # The others stay as they are, the generation that they were found for included.
    others = [one for one in node_class.status.conditions if one.type not in (QUEUE, READY)]
    ready = [one for one in node_class.status.conditions if one.type == READY]
    ours = [wanted] if wanted is not None else []
    return Change(
        subject=refer(NODE_CLASSES, node_class),
        reason=wanted.reason if wanted is not None else "QueueUnset",
        note=wanted.message if wanted is not None else "",
        basis=rest_on((NODE_CLASSES, node_class)),
        change={
            "status": {"conditions": [write_condition(one) for one in (*others, *ours, *ready)]}
        },
        on_status=True,
        if_version=node_class.metadata.resource_version,
    )
