"""EventBridge messages that AWS sends by itself, in the envelope in which AWS sends them.

moto's rules decide who gets them. An SQS target gets the envelope as its body, unless the queue's policy
does not let EventBridge in: then the message is lost, which is how a forgotten queue policy shows.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import Principal
from nodewright.sandbox.aws.moment import text

STATE_CHANGE: Final = "EC2 Instance State-change Notification"
SPOT_WARNING: Final = "EC2 Spot Instance Interruption Warning"
REBALANCE: Final = "EC2 Instance Rebalance Recommendation"
RESERVATION_WARNING: Final = "EC2 Capacity Reservation Instance Interruption Warning"
HEALTH: Final = "AWS Health Event"
SENDER: Final = "events.amazonaws.com"


def send(
    account: Account,
    region: str,
    kind: tuple[str, str],
    resources: Sequence[str],
    detail: Mapping[str, Any],
) -> None:
    """Send a message of a source and detail type to whom the rules of the region name."""
    source, detail_type = kind
    event = {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": detail_type,
        "source": source,
        "account": account.account_id,
        "time": text(account.clock.now_ms()),
        "region": region,
        "resources": list(resources),
        "detail": dict(detail),
    }
    bus = account.inside.backend("events", region).describe_event_bus("default")
    for rule in bus.rules.values():
        if str(rule.state) == "DISABLED" or not rule.event_pattern.get_pattern():
            continue
        if rule.event_pattern.matches_event(event):
            for target in rule.targets:
                _deliver(account, region, rule.arn, target, event)


def instance_arn(account: Account, region: str, instance_id: str) -> str:
    """Name an instance as events do."""
    return f"arn:{account.partition}:ec2:{region}:{account.account_id}:instance/{instance_id}"


def _deliver(
    account: Account, region: str, rule_arn: str, target: Mapping[str, Any], event: dict[str, Any]
) -> None:
    parts = str(target["Arn"]).split(":")
    if parts[2] != "sqs" or parts[3] != region:
        return
    queue = account.inside.backend("sqs", region).queues.get(parts[5])
    if queue is None or not _lets_in(account, queue, rule_arn):
        return
    url = f"https://sqs.{region}.amazonaws.com/{account.account_id}/{queue.name}"
    message = {"QueueUrl": url, "MessageBody": json.dumps(event)}
    account.inside.ask(region, "sqs", "SendMessage", message)


def _lets_in(account: Account, queue: Any, rule_arn: str) -> bool:
    """Tell whether a queue's policy lets EventBridge send for a rule."""
    if account.may is None:
        return True
    sender = Principal("service", SENDER, "")
    keys = {"aws:SourceArn": rule_arn, "aws:SourceAccount": account.account_id}
    return account.may(account, sender, "sqs:SendMessage", str(queue.queue_arn), keys)
