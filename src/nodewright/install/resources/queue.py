"""The queue of interruption messages, the rules that feed it, and the policy that lets them.

A queue that is there already is used, and rules that send the same messages to it are enough: Karpenter's
serve as well as ours. What a foreign queue's policy lacks is added to it, and the text before is kept.
"""

from collections.abc import Collection, Iterator
from typing import Final

import msgspec

from nodewright.aws.tags import print_tags
from nodewright.install.found import Found, Json, Queue
from nodewright.install.names import Names
from nodewright.install.steps import Ask, Deed, Forget, Remember, Step

RETENTION_S: Final = 300
_KEY: Final = "queue-policy"
_TARGET: Final = "NodewrightInterruptionQueue"
_SENDERS: Final = ("events.amazonaws.com", "sqs.amazonaws.com")
_EC2: Final = "aws.ec2"
RULES: Final[dict[str, tuple[str, str]]] = {
    "ScheduledChange": ("aws.health", "AWS Health Event"),
    "SpotInterruption": (_EC2, "EC2 Spot Instance Interruption Warning"),
    "Rebalance": (_EC2, "EC2 Instance Rebalance Recommendation"),
    "InstanceStateChange": (_EC2, "EC2 Instance State-change Notification"),
    "CapacityReservationInterruption": (
        _EC2,
        "EC2 Capacity Reservation Instance Interruption Warning",
    ),
}
QUEUE_EXISTS: Final = ("QueueAlreadyExists", "QueueNameExists")
QUEUE_GONE: Final = ("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist")
RULE_GONE: Final = ("ResourceNotFoundException",)


def pattern_of(kind: str) -> Json:
    """Give the pattern of the messages of a kind."""
    source, detail = RULES[kind]
    return {"source": [source], "detail-type": [detail]}


def queue_statements(arn: str) -> list[Json]:
    """Give the statements that let EventBridge in, and nobody without encryption."""
    return [
        {
            "Sid": "EC2InterruptionPolicy",
            "Effect": "Allow",
            "Principal": {"Service": list(_SENDERS)},
            "Action": "sqs:SendMessage",
            "Resource": arn,
        },
        {
            "Sid": "DenyHTTP",
            "Effect": "Deny",
            "Principal": "*",
            "Action": "sqs:*",
            "Resource": arn,
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        },
    ]


def plan_queue(found: Found, names: Names) -> Iterator[Step]:
    """Plan the queue and its rules."""
    queue = found.account.queue
    arn = names.here("sqs", names.queue)
    if queue is None:
        document = {"Version": "2012-10-17", "Statement": queue_statements(arn)}
        params = {
            "QueueName": names.queue,
            "Attributes": {
                "MessageRetentionPeriod": str(RETENTION_S),
                "Policy": msgspec.json.encode(document).decode(),
                "SqsManagedSseEnabled": "true",
            },
            "tags": names.tags,
        }
        detail = f"fed by {len(RULES)} rules; messages live {RETENTION_S // 60} min"
        yield Step("+", "sqs queue", names.queue, detail, (_made(params),))
    else:
        yield _plan_policy(queue, names)
    for kind in RULES:
        yield _plan_rule(found, names, kind, arn)


def _made(params: Json) -> Ask:
    return Ask("sqs.CreateQueue", params, QUEUE_EXISTS)


def _plan_policy(queue: Queue, names: Names) -> Step:
    if lets_events_in(queue.policy):
        return Step("=", "sqs queue", queue.name)
    document = msgspec.json.decode(queue.policy) if queue.policy else {"Version": "2012-10-17"}
    there = document.get("Statement") or []
    there = there if isinstance(there, list) else [there]
    merged = {**document, "Statement": [*there, queue_statements(queue.arn)[0]]}
    text = msgspec.json.encode(merged).decode()
    params = {"QueueUrl": queue.url, "Attributes": {"Policy": text}}
    kept: tuple[Deed, ...] = ()
    if not names.is_ours(queue.tags):
        kept = (Remember(_KEY, queue.policy),)
    deeds = (*kept, Ask("sqs.SetQueueAttributes", params))
    return Step("~", "sqs queue", queue.name, "+ let EventBridge in", deeds)


def lets_events_in(policy: str) -> bool:
    """Tell whether a queue's policy lets EventBridge send."""
    if not policy:
        return False
    statements = msgspec.json.decode(policy).get("Statement") or []
    return any(
        _is_entrance(one) for one in (statements if isinstance(statements, list) else [statements])
    )


def _is_entrance(statement: Json) -> bool:
    principal = statement.get("Principal")
    services = principal.get("Service", ()) if isinstance(principal, dict) else principal
    actions = statement.get("Action", ())
    sends = {"sqs:SendMessage", "sqs:*", "SQS:SendMessage", "*"}
    return (
        statement.get("Effect") == "Allow"
        and bool({_SENDERS[0], "*"} & set(_several(services)))
        and bool(sends & set(_several(actions)))
        and not statement.get("Condition")
    )


def _several(value: object) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value or ()]  # type: ignore[attr-defined]


def _plan_rule(found: Found, names: Names, kind: str, arn: str) -> Step:
    name, pattern = names.rule(kind), pattern_of(kind)
    rules = {one.name: one for one in found.account.rules}
    for rule in found.account.rules:
        if rule.pattern == pattern and arn in rule.targets.values():
            return Step("=", "event rule", rule.name)
    params: Json = {"Name": name, "EventPattern": msgspec.json.encode(pattern).decode()}
    known = rules.get(name)
    if known is None:
        params["Tags"] = print_tags(names.tags)
    targets = {"Rule": name, "Targets": [{"Id": _TARGET, "Arn": arn}]}
    deeds = (Ask("events.PutRule", params), Ask("events.PutTargets", targets))
    return Step("~" if known else "+", "event rule", name, RULES[kind][1], deeds)


def undo_queue(found: Found, names: Names) -> Iterator[Step]:
    """Take the rules and the queue away that are ours, and put a foreign queue's policy back."""
    for rule in found.account.rules:
        if names.is_ours(rule.tags):
            yield Step("-", "event rule", rule.name, "", remove_rule(rule.name, rule.targets))
    queue = found.account.queue
    if queue is None:
        return
    if names.is_ours(queue.tags):
        gone = Ask("sqs.DeleteQueue", {"QueueUrl": queue.url}, QUEUE_GONE)
        yield Step("-", "sqs queue", queue.name, "", (gone,))
    elif _KEY in found.kube.record:
        was = found.kube.record[_KEY]["was"]
        params = {"QueueUrl": queue.url, "Attributes": {"Policy": was}}
        deeds = (Ask("sqs.SetQueueAttributes", params, QUEUE_GONE), Forget(_KEY))
        yield Step("~", "sqs queue", queue.name, "the policy as it was", deeds)


def remove_rule(name: str, targets: Collection[str]) -> tuple[Deed, ...]:
    """Take the targets of a rule away, then the rule."""
    gone = Ask("events.DeleteRule", {"Name": name}, RULE_GONE)
    if not targets:
        return (gone,)
    params = {"Rule": name, "Ids": sorted(targets)}
    return (Ask("events.RemoveTargets", params, RULE_GONE), gone)
