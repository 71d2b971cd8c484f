"""SQS and EventBridge: the queue of interruption messages and the rules that feed it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.sandbox.iam.actions.needs import (
    Ask,
    Lookup,
    Need,
    Rule,
    look,
    need,
    new,
    read_tags,
    tag_keys,
)
from nodewright.sandbox.iam.context import Values

# The batch forms of these need the action of one message.
_ACTIONS: Final = {
    "SendMessageBatch": "SendMessage",
    "DeleteMessageBatch": "DeleteMessage",
    "ChangeMessageVisibilityBatch": "ChangeMessageVisibility",
}


def _queue(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    url = str(ask.params.get("QueueUrl") or ask.params.get("QueueName") or "*")
    queue = look(ask, lookup, "sqs:queue", url.rstrip("/").rsplit("/", 1)[-1])
    keys = tag_keys(read_tags(ask.params.get("Tags")))
    action = _ACTIONS.get(ask.operation, ask.operation)
    yield need(ask, f"sqs:{action}", thing=queue, keys=keys)


def _new_queue(ask: Ask, _: Lookup) -> Iterator[Need]:
    made = new(ask, "sqs:queue", str(ask.params.get("QueueName") or "*"))
    tags = read_tags(ask.params.get("tags"))
    yield need(ask, "sqs:CreateQueue", thing=made, keys=tag_keys(tags))
    if tags:
        yield need(ask, "sqs:TagQueue", thing=made, keys=tag_keys(tags))


def _rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    name = str(ask.params.get("Name") or ask.params.get("Rule") or "*")
    bus = str(ask.params.get("EventBusName") or "default").rsplit("/", 1)[-1]
    rule = look(ask, lookup, "events:rule", name if bus == "default" else f"{bus}/{name}")
    keys: dict[str, Values] = dict(tag_keys(read_tags(ask.params.get("Tags"))))
    keys.update(_pattern_keys(ask.params))
    targets = [str(one["Arn"]) for one in ask.params.get("Targets") or () if one.get("Arn")]
    if targets:
        keys["events:TargetArn"] = tuple(targets)
    asked = need(ask, f"events:{ask.operation}", thing=rule, keys=keys)
    # PutRule makes what is not there.
    yield msgspec.structs.replace(asked, thing_exists=True) if ask.operation == "PutRule" else asked


def _pattern_keys(params: Mapping[str, Any]) -> dict[str, Values]:
    try:
        pattern = msgspec.json.decode(str(params.get("EventPattern") or "{}"))
    except msgspec.DecodeError:
        return {}
    if not isinstance(pattern, Mapping):
        return {}
    keys: dict[str, Values] = {}
    for name in ("source", "detail-type"):
        listed = pattern.get(name)
        if isinstance(listed, list):
            keys[f"events:{name}"] = tuple(one for one in listed if isinstance(one, str))
    return keys


def _tagged_rule(ask: Ask, lookup: Lookup) -> Iterator[Need]:
    arn = str(ask.params.get("ResourceARN") or "*")
    found = look(ask, lookup, "events:rule", arn)
    keys = tag_keys(read_tags(ask.params.get("Tags")))
    yield need(ask, f"events:{ask.operation}", thing=found, keys=keys)


RULES: Final[dict[str, Rule]] = {
    "sqs.CreateQueue": _new_queue,
    **{
        f"sqs.{operation}": _queue
        for operation in (
            "GetQueueUrl", "GetQueueAttributes", "SetQueueAttributes", "DeleteQueue",
            "SendMessage", "SendMessageBatch", "ReceiveMessage", "DeleteMessage",
            "DeleteMessageBatch", "ChangeMessageVisibility", "ChangeMessageVisibilityBatch",
            "PurgeQueue", "TagQueue", "UntagQueue", "ListQueueTags",
        )
    },
    **{
        f"events.{operation}": _rule
        for operation in (
            "PutRule", "DeleteRule", "DescribeRule", "EnableRule", "DisableRule", "PutTargets",
            "RemoveTargets", "ListTargetsByRule",
        )
    },
    **{
        f"events.{operation}": _tagged_rule
        for operation in ("TagResource", "UntagResource", "ListTagsForResource")
    },
}  # fmt: skip
