"""Pods that wait, cause by cause: funnel, nodes and help are those of one pod of each."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.app.explaining import asks, change_text, reason_title
from nodewright.app.planning import money
from nodewright.core.explain.bench import Placement
from nodewright.core.explain.mend import Change
from nodewright.core.explain.pod import PodStory, PoolStory
from nodewright.core.scheduling.funnel import Miss as Missed
from nodewright.model.instant import print_instant, read_instant
from nodewright.model.plan import Plan, Unplaced, group_causes
from nodewright.model.pod import Pod
from nodewright.model.quantity import print_quantity
from nodewright.model.wording import sentence, word
from nodewright.model.wording.amounts import show_amount
from nodewright.model.wording.verdict import refusal_sentence, unplaced_summary
from nodewright.model.world import World
from nodewright.web.answers.pending import (
    Help,
    Miss,
    Pending,
    PendingCause,
    Placing,
    PoolFunnel,
    StoppedNodes,
)
from nodewright.web.answers.shared import Place
from nodewright.web.writing.stories import write_command, write_funnel, write_place

CAUSES_MAX: Final = 50
EXPLAINED_MAX: Final = 8
"""How many causes are explained in full: each takes as long as a plan."""

PODS_MAX: Final = 100
PLACES_MAX: Final = 100

type Explain = Callable[[str], PodStory | None]


class Waiting(msgspec.Struct, frozen=True):
    """What was planned for the pods that wait, and on which World."""

    revision: int
    world: World
    plan: Plan


def write_pending(waiting: Waiting, explain: Explain) -> Pending:
    """Write the page of waiting pods."""
    plan = waiting.plan
    pods = {pod.key: pod for pod in waiting.world.pods if not pod.spec.node_name}
    causes = []
    for index, keys in enumerate(group_causes(plan.unschedulable)[:CAUSES_MAX]):
        story = explain(keys[0]) if index < EXPLAINED_MAX else None
        causes.append(_cause(keys, plan.unschedulable[keys[0]], story, pods))
    placing = tuple(_placing(plan))
    placed = sum(one.pod_count for one in placing)
    return Pending(
        revision=waiting.revision,
        at=print_instant(waiting.world.now_ms),
        pods=len(plan.unschedulable) + placed,
        causes=tuple(causes),
        placing=placing[:PLACES_MAX],
    )


def _cause(
    keys: Sequence[str], first: Unplaced, story: PodStory | None, pods: Mapping[str, Pod]
) -> PendingCause:
    since = [
        made
        for key in keys
        if key in pods and (made := read_instant(pods[key].metadata.creation_timestamp)) is not None
    ]
    pools = (
        tuple(_pool(one) for one in story.pools)
        if story is not None and story.pools
        else tuple(
            PoolFunnel(one.name, (), one.code, refusal_sentence(one)) for one in first.node_pools
        )
    )
    existing = story.existing if story is not None else None
    return PendingCause(
        code=first.code,
        title=reason_title(first.code, ""),
        summary=unplaced_summary(first),
        deferred=first.deferred,
        pod_count=len(keys),
        pods=tuple(keys[:PODS_MAX]),
        example=keys[0],
        asks=asks(story.requests, story.wants) if story is not None else "",
        owner=story.owner if story is not None else "",
        since=print_instant(min(since)) if since else None,
        node_pools=pools,
        existing_nodes=existing.count if existing is not None else 0,
        existing_takes=existing.takes[:PODS_MAX] if existing is not None else (),
        existing_stopped=tuple(
            StoppedNodes(
                one.reason.code,
                reason_title(one.reason.code, one.subject),
                one.count,
                one.node,
                "" if one.most is None else print_quantity(one.most, one.subject),
            )
            for one in (existing.stopped if existing is not None else ())
        ),
        help=_help(story.change) if story is not None and story.change is not None else None,
    )


def _pool(story: PoolStory) -> PoolFunnel:
    cause = story.cause
    return PoolFunnel(
        name=story.name,
        funnel=write_funnel(story.funnel),
        code=cause.code if cause is not None else "",
        reason=sentence(cause) if cause is not None else "",
        nearest_miss=_miss(story.miss),
        makes=write_place(story.makes) if story.makes is not None else None,
    )


def _miss(miss: Missed | None) -> Miss | None:
    if miss is None:
        return None
    has = max(0, miss.has)
    shown = {
        "type": miss.instance_type,
        "resource": miss.resource,
        "has": show_amount(has, miss.resource),
        "short": show_amount(miss.needs - has, miss.resource, up=True),
    }
    return Miss(
        instance_type=miss.instance_type,
        resource=miss.resource,
        needs=show_amount(miss.needs, miss.resource, up=True),
        has=shown["has"],
        short=shown["short"],
        text=word("nearest.text", **shown),
    )


def _help(change: Change) -> Help:
    patches = change.patches()
    return Help(
        text=change_text(change),
        commands=tuple(write_command(target, ops) for target, ops in patches.items()),
        place=write_place(change.placement),
        extra_per_hour=money(change.extra),
    )


def _placing(plan: Plan) -> list[Placing]:
    found = [
        Placing(
            Place(word("on.existing", node=one.name), node=one.name),
            len(one.pods),
            one.pods[:PODS_MAX],
        )
        for one in plan.existing_nodes
    ]
    for made in plan.new_nodes:
        offering = made.offering
        place = Placement(
            node_pool=made.node_pool,
            instance_type=offering.instance_type,
            zone=offering.zone,
            capacity_type=offering.capacity_type,
            price=offering.price,
            price_is_estimate=offering.price_is_estimate,
        )
        also = made.instance_types[1:PODS_MAX]
        found.append(Placing(write_place(place), len(made.pods), made.pods[:PODS_MAX], also))
    return found
