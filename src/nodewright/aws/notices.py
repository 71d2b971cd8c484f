"""Messages about machines, as EventBridge puts them into a queue.

The kind follows from version, source and type together, exactly; what is none of ours, or cannot be read,
is a notice of no kind, which is settled by taking note of it. Instances are named by their ids.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from nodewright.model.instant import read_instant

_VERSION: Final = "0"
_KINDS: Final = {
    ("aws.ec2", "EC2 Spot Instance Interruption Warning"): "spot_interrupted",
    ("aws.ec2", "EC2 Instance Rebalance Recommendation"): "rebalance_recommendation",
    ("aws.ec2", "EC2 Instance State-change Notification"): "instance_state",
    (
        "aws.ec2",
        "EC2 Capacity Reservation Instance Interruption Warning",
    ): "capacity_reservation_interrupted",
    ("aws.health", "AWS Health Event"): "scheduled_change",
}
STATE: Final = "instance_state"
HEALTH: Final = "scheduled_change"


class Message(msgspec.Struct, frozen=True):
    """A message that was read: its kind (nothing where it is none of ours) and whom it is about."""

    kind: str = ""
    instance_ids: tuple[str, ...] = ()
    sent_ms: int = 0
    detail: Mapping[str, str] = {}
    is_readable: bool = True


class _Entity(msgspec.Struct, frozen=True, rename="camel"):
    entity_value: str = ""


class _Detail(msgspec.Struct, frozen=True, rename="camel"):
    instance_id: str = msgspec.field(name="instance-id", default="")
    instance_action: str = msgspec.field(name="instance-action", default="")
    state: str = ""
    service: str = ""
    event_type_category: str = ""
    event_type_code: str = ""
    affected_entities: tuple[_Entity, ...] = ()


class _Envelope(msgspec.Struct, frozen=True):
    version: str = ""
    source: str = ""
    detail_type: str = msgspec.field(name="detail-type", default="")
    time: str = ""
    detail: Any = None


def read_message(body: str) -> Message:
    """Read the body of a message; one that nobody can read is of no kind."""
    try:
        envelope = msgspec.json.decode(body, type=_Envelope)
        if envelope.version != _VERSION:
            return Message()
        kind = _KINDS.get((envelope.source, envelope.detail_type), "")
        detail = msgspec.convert(envelope.detail, _Detail) if kind else _Detail()
    except msgspec.MsgspecError:
        return Message(is_readable=False)
    sent_ms = read_instant(envelope.time) or 0
    if kind == HEALTH:
        if (detail.service, detail.event_type_category) != ("EC2", "scheduledChange"):
            return Message(sent_ms=sent_ms)
        ids = tuple(one.entity_value for one in detail.affected_entities if one.entity_value)
        return Message(kind, ids, sent_ms, {"code": detail.event_type_code})
    if not kind or not detail.instance_id:
        return Message(sent_ms=sent_ms)
    told = {"state": detail.state.lower()} if kind == STATE else {"action": detail.instance_action}
    return Message(kind, (detail.instance_id,), sent_ms, told)
