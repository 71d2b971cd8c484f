"""Finds what clusters that are gone have left: node roles, launch templates, event rules and their queues.

A thing is of a cluster if its name or a tag says so, and a leftover if there is no such cluster. What may still be
used says by whom: by a machine, by a node group, by another region, by a rule that sends there.
"""

import re
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from nodewright.aws.tags import CLUSTER_NAME, OURS, read_tags
from nodewright.install.asking import Asking
from nodewright.install.found import Leftover
from nodewright.install.look_made import BY_PROFILE, machine_with
from nodewright.install.resources.leftovers import INLINE, POLICY, PROFILE
from nodewright.install.resources.queue import RULES, pattern_of

_ROLE: Final = re.compile(r"(?:eksctl-)?(?:Karpenter|Nodewright)NodeRole-(.+)")
_KEYS: Final = (CLUSTER_NAME, "karpenter.k8s.aws/cluster", OURS)
_BY_TEMPLATE: Final = "tag:aws:ec2launchtemplate:id"
_OF_NODE_GROUP: Final = "eks-"
_PAGE: Final = 1000


async def look_leftovers(
    asking: Asking, clusters: frozenset[str], region: str
) -> tuple[Leftover, ...]:
    """Find the leftovers of clusters that are not among those that are there."""
    roles = [
        await _role(asking, str(one["RoleName"]), named.group(1), region)
        for one in await asking.list("iam.ListRoles", "Roles", MaxItems=_PAGE)
        if (named := _ROLE.fullmatch(str(one["RoleName"]))) and named.group(1) not in clusters
    ]
    templates = [one async for one in _templates(asking, clusters)]
    known = {one.cluster for one in (*roles, *templates)}
    rules = [one async for one in _rules(asking, clusters, known)]
    gone = known | {one.cluster for one in rules}
    queues = [await _queue(asking, cluster, rules) for cluster in sorted(gone)]
    found = [*roles, *templates, *rules, *(one for one in queues if one is not None)]
    return tuple(sorted(found, key=lambda one: (one.kind, one.name)))


async def _role(asking: Asking, name: str, cluster: str, region: str) -> Leftover:
    profiles = await asking.list(
        "iam.ListInstanceProfilesForRole", "InstanceProfiles", RoleName=name
    )
    attached = await asking.list("iam.ListAttachedRolePolicies", "AttachedPolicies", RoleName=name)
    inline = await asking.list("iam.ListRolePolicies", "PolicyNames", RoleName=name)
    parts = [f"{PROFILE}{one['InstanceProfileName']}" for one in profiles]
    parts += [f"{POLICY}{one['PolicyArn']}" for one in attached]
    parts += [f"{INLINE}{one}" for one in inline]
    used = await _role_used_by(asking, name, profiles, region)
    return Leftover("iam role", name, cluster, tuple(sorted(parts)), used)


async def _role_used_by(asking: Asking, name: str, profiles: list[Any], region: str) -> str:
    machine = await machine_with(asking, BY_PROFILE, [str(one["Arn"]) for one in profiles])
    if machine:
        return machine
    names = sorted(str(one["InstanceProfileName"]) for one in profiles)
    groups = [one for one in names if one.startswith(_OF_NODE_GROUP)]
    if groups:
        return f"a node group has it, by the instance profile {groups[0]}"
    # Roles are of the whole account: a cluster of that name may well run in another region.
    told = await asking.ask("iam.GetRole", RoleName=name)
    elsewhere = (told["Role"].get("RoleLastUsed") or {}).get("Region") or region
    return "" if elsewhere == region else f"it was used in {elsewhere} last"


async def _templates(asking: Asking, clusters: frozenset[str]) -> AsyncIterator[Leftover]:
    keyed = [{"Name": "tag-key", "Values": list(_KEYS)}]
    told = await asking.list("ec2.DescribeLaunchTemplates", "LaunchTemplates", Filters=keyed)
    for one in told:
        cluster = _said(read_tags(one.get("Tags")))
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
        said = await asking.ask("events.ListTagsForResource", ResourceARN=one["Arn"])
        queues = {str(target["Arn"]).rpartition(":")[2] for target in targets}
        # Without a tag, the name counts only where something else was left by a cluster of that name:
        # a queue of a living cluster may be called anything.
        cluster = _said(read_tags(said.get("Tags"))) or next(
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
    said = await asking.ask("sqs.GetQueueAttributes", QueueUrl=url, AttributeNames=["All"])
    tags = await asking.ask("sqs.ListQueueTags", QueueUrl=url)
    attributes = said.get("Attributes") or {}
    senders = await asking.list(
        "events.ListRuleNamesByTarget", "RuleNames", TargetArn=attributes["QueueArn"]
    )
    stale = {one.name for one in rules if one.cluster == cluster and not one.used_by}
    # A queue that only has the same name may be anybody's.
    if _said(dict(tags.get("Tags") or {})) != cluster and not stale & set(senders):
        return None
    others = sorted({*map(str, senders)} - stale)
    used = f"rule {others[0]} sends to it" if others else ""
    if not used and int(attributes.get("ApproximateNumberOfMessagesNotVisible", 0)):
        used = "somebody reads it"
    return Leftover("sqs queue", cluster, cluster, (url,), used)


def _said(tags: dict[str, str]) -> str:
    """Give the cluster that the tags of a thing name."""
    return next((tags[key] for key in _KEYS if key in tags), "")
