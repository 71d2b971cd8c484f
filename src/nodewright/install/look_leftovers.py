"""Finds what clusters that are gone have left besides roles: launch templates, event rules and their queues.

A thing is of a cluster if its name or a tag says so, and a leftover if there is no such cluster. What may still be
used says by whom: by a machine, by a node group, by another region, by a rule that sends there.
"""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from nodewright.aws.tags import read_tags
from nodewright.install.asking import Asking
from nodewright.install.found import Leftover
from nodewright.install.look_leftover_roles import KEYS, said
from nodewright.install.look_made import machine_with
from nodewright.install.resources.queue import RULES, pattern_of

_BY_TEMPLATE: Final = "tag:aws:ec2launchtemplate:id"


async def look_leftovers(
    asking: Asking, clusters: frozenset[str], roles: list[Leftover]
) -> tuple[Leftover, ...]:
    """Find the other leftovers of clusters that are not among those that are there, besides the roles."""
    templates = [one async for one in _templates(asking, clusters)]
    known = {one.cluster for one in (*roles, *templates)}
    rules = [one async for one in _rules(asking, clusters, known)]
    gone = known | {one.cluster for one in rules}
    queues = [await _queue(asking, cluster, rules) for cluster in sorted(gone)]
    found = [*roles, *templates, *rules, *(one for one in queues if one is not None)]
    # A policy goes after the role that has it.
    return tuple(sorted(found, key=lambda one: (one.kind == "iam policy", one.kind, one.name)))


async def _templates(asking: Asking, clusters: frozenset[str]) -> AsyncIterator[Leftover]:
    keyed = [{"Name": "tag-key", "Values": list(KEYS)}]
    told = await asking.list("ec2.DescribeLaunchTemplates", "LaunchTemplates", Filters=keyed)
    for one in told:
        cluster = said(read_tags(one.get("Tags")))
        if cluster and cluster not in clusters:
            used = await machine_with(asking, _BY_TEMPLATE, [str(one["LaunchTemplateId"])])
            name = str(one["LaunchTemplateName"])
            yield Leftover("launch template", name, cluster, (), used)


async def _rules(
    asking: Asking, clusters: frozenset[str], known: set[str]
) -> AsyncIterator[Leftover]:
    ours = [pattern_of(kind) for kind in RULES]
    for one in await asking.list("events.ListRules", "Rules"):
        if msgspec.json.decode(one.get("EventPattern") or "null") not in ours:
            continue
        name = str(one["Name"])
        targets = await asking.list("events.ListTargetsByRule", "Targets", Rule=name)
        told = await asking.ask("events.ListTagsForResource", ResourceARN=one["Arn"])
        queues = {str(target["Arn"]).rpartition(":")[2] for target in targets}
        # Without a tag, the name counts only where something else was left by a cluster of that name:
        # a queue of a living cluster may be called anything.
        cluster = said(read_tags(told.get("Tags"))) or next(
            (queue for queue in sorted(queues & known) if f"-{queue}-" in f"-{name}-"), ""
        )
        if cluster and cluster not in clusters:
            others = sorted(queues - {cluster})
            used = f"it also sends to {others[0]}" if others else ""
            parts = tuple(sorted(str(target["Id"]) for target in targets))
            yield Leftover("event rule", name, cluster, parts, used)


async def _queue(asking: Asking, cluster: str, rules: list[Leftover]) -> Leftover | None:
    told = await asking.find("sqs.GetQueueUrl", QueueName=cluster)
    if told is None:
        return None
    url = str(told["QueueUrl"])
    about = await asking.ask("sqs.GetQueueAttributes", QueueUrl=url, AttributeNames=["All"])
    tags = await asking.ask("sqs.ListQueueTags", QueueUrl=url)
    attributes = about.get("Attributes") or {}
    senders = await asking.list(
        "events.ListRuleNamesByTarget", "RuleNames", TargetArn=attributes["QueueArn"]
    )
    stale = {one.name for one in rules if one.cluster == cluster and not one.used_by}
    # A queue that only has the same name may be anybody's.
    if said(dict(tags.get("Tags") or {})) != cluster and not stale & set(senders):
        return None
    others = sorted({*map(str, senders)} - stale)
    used = f"rule {others[0]} sends to it" if others else ""
    if not used and int(attributes.get("ApproximateNumberOfMessagesNotVisible", 0)):
        used = "somebody reads it"
    return Leftover("sqs queue", cluster, cluster, (url,), used)
