"""The queue of interruption messages: named, there, fed by rules, and open to them."""

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from nodewright.aws.cluster import partition_of
from nodewright.doctor.check import Check
from nodewright.doctor.cluster import Controller, describe_cluster, find_controller
from nodewright.doctor.finding import Finding, Mend, Text, fact, say
from nodewright.doctor.look import Look
from nodewright.doctor.patches import change, with_variables
from nodewright.install.found import Json
from nodewright.install.resources.queue import (
    QUEUE_EXISTS,
    QUEUE_GONE,
    RETENTION_S,
    RULES,
    lets_events_in,
    pattern_of,
    queue_statements,
    remove_rule,
)
from nodewright.install.steps import Ask, Step

_NEEDED: Final = ("ScheduledChange", "SpotInterruption", "Rebalance", "InstanceStateChange")
_TARGET: Final = "NodewrightInterruptionQueue"


class Facts(msgspec.Struct, frozen=True):
    """Which queue the controller listens to, and what AWS has of it."""

    cluster: str
    controller: Controller | None = None
    arn: str = ""
    url: str = ""
    policy: str = ""
    patterns: tuple[Json, ...] = ()


async def probe(look: Look) -> Facts:
    """Read the controller's setting, the queue, and the rules that send to it."""
    controller = await find_controller(look)
    name = (controller.settings.get("INTERRUPTION_QUEUE") if controller else "") or ""
    facts = Facts(look.subject.cluster, controller)
    number = str((await describe_cluster(look)).get("arn", "")).split(":")
    if not number[4:]:
        return facts
    region = look.subject.region
    arn = f"arn:{partition_of(region)}:sqs:{region}:{number[4]}:{name or facts.cluster}"
    told = await look.aws("sqs.GetQueueUrl", QueueName=name or facts.cluster)
    url = str((told or {}).get("QueueUrl", ""))
    policy = ""
    if url:
        said = await look.aws("sqs.GetQueueAttributes", QueueUrl=url, AttributeNames=["Policy"])
        policy = str(((said or {}).get("Attributes") or {}).get("Policy", ""))
    names = await look.aws_all("events.ListRuleNamesByTarget", "RuleNames", TargetArn=arn)
    patterns = []
    for one in names[:8]:
        rule: Any = await look.aws("events.DescribeRule", Name=one) or {}
        if rule.get("State", "ENABLED") == "ENABLED" and rule.get("EventPattern"):
            patterns.append(json.loads(rule["EventPattern"]))
    return msgspec.structs.replace(facts, arn=arn, url=url, policy=policy, patterns=tuple(patterns))


def judge(facts: Facts) -> Iterator[Finding]:
    """Yield what keeps the controller from hearing that machines are taken back."""
    one = facts.controller
    if one is None or not facts.arn:
        return
    name = facts.arn.rpartition(":")[2]
    mends, seen = [], []
    if not one.settings.get("INTERRUPTION_QUEUE"):
        seen.append(fact(one.title, "env INTERRUPTION_QUEUE", "not set"))
        after = with_variables(one.document, {"INTERRUPTION_QUEUE": name})
        title = ("deployment", f"{one.namespace}/{one.name}")
        mends.append(change(one.path, title, f"INTERRUPTION_QUEUE={name}", one.document, after))
    if not facts.url:
        seen.append(fact(f"SQS queue {name}", "", "not there"))
        mends.append(_queue(facts, name))
    elif not lets_events_in(facts.policy):
        seen.append(fact(f"SQS queue {name}", "Policy", "does not let events.amazonaws.com send"))
        mends.append(_policy(facts, name))
    missing = [kind for kind in _NEEDED if pattern_of(kind) not in facts.patterns]
    if missing:
        words = ", ".join(RULES[kind][1] for kind in missing)
        seen.append(fact("EventBridge", f"rules that send to {name} lack", words))
        mends.extend(_rule(facts, kind) for kind in missing)
    if not seen:
        return
    yield Finding(
        objects=(one.title, f"SQS queue {name}"),
        message=say(
            "the controller does not hear that spot machines are taken back",
            "스팟 인스턴스가 회수된다는 알림을 컨트롤러가 받지 못합니다",
        ),
        cause=Text(
            "the queue, its rules, its policy or the controller's setting is missing",
            "큐, 규칙, 큐 정책 또는 컨트롤러 설정 중 빠진 것이 있음",
        ),
        facts=tuple(seen),
        mends=tuple(mends),
    )


def _queue(facts: Facts, name: str) -> Mend:
    params = {
        "QueueName": name,
        "Attributes": {
            "MessageRetentionPeriod": str(RETENTION_S),
            "Policy": _document(queue_statements(facts.arn)),
            "SqsManagedSseEnabled": "true",
        },
    }
    step = Step("+", "sqs queue", name, "", (Ask("sqs.CreateQueue", params, QUEUE_EXISTS),))
    region, number = facts.arn.split(":")[3:5]
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    url = f"https://sqs.{region}.{suffix}/{number}/{name}"
    return Mend(step, (Ask("sqs.DeleteQueue", {"QueueUrl": url}, QUEUE_GONE),))


def _policy(facts: Facts, name: str) -> Mend:
    before = json.loads(facts.policy) if facts.policy else {}
    there = before.get("Statement") or []
    there = there if isinstance(there, list) else [there]
    text = _document([*there, queue_statements(facts.arn)[0]])
    asked = {"QueueUrl": facts.url, "Attributes": {"Policy": text}}
    back = {"QueueUrl": facts.url, "Attributes": {"Policy": facts.policy}}
    step = Step(
        "~", "sqs queue", name, "+ let EventBridge in", (Ask("sqs.SetQueueAttributes", asked),)
    )
    return Mend(step, (Ask("sqs.SetQueueAttributes", back, QUEUE_GONE),))


def _document(statements: list[Json]) -> str:
    return msgspec.json.encode({"Version": "2012-10-17", "Statement": statements}).decode()


def _rule(facts: Facts, kind: str) -> Mend:
    name = f"Nodewright{kind}-{facts.cluster}"
    rule = {"Name": name, "EventPattern": msgspec.json.encode(pattern_of(kind)).decode()}
    targets = {"Rule": name, "Targets": [{"Id": _TARGET, "Arn": facts.arn}]}
    deeds = (Ask("events.PutRule", rule), Ask("events.PutTargets", targets))
    return Mend(Step("+", "event rule", name, RULES[kind][1], deeds), remove_rule(name, (_TARGET,)))


CHECK = Check(
    code="NW-3021",
    section="queue",
    severity="warning",
    title=Text("the controller hears of interruptions", "컨트롤러가 중단 알림을 받음"),
    why=Text(
        "Spot nodes vanish without a drain: their pods are cut off instead of moved.",
        "스팟 노드가 드레인 없이 사라져 파드가 옮겨지지 않고 끊깁니다.",
    ),
    answer=Text(
        "The queue, its policy, the rules and the controller's setting are made as far as they are missing.",
        "큐, 큐 정책, 규칙, 컨트롤러 설정 중 빠진 것을 만듭니다.",
    ),
    probe=probe,
    judge=judge,
    is_fixable=True,
)
