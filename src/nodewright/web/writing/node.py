"""One node in full: its pods and whether they may move, and what every rule says to its going."""

from collections.abc import Iterable
from typing import Final

import msgspec

from nodewright.app.explaining import reason_title
from nodewright.app.planning import money
from nodewright.core.explain.node import NodeStory
from nodewright.core.explain.staying import Staying as Stays
from nodewright.core.explain.staying import went_for
from nodewright.core.scheduling.funnel import resource_order, show_taint
from nodewright.model.command import read_record
from nodewright.model.instant import print_instant
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.quantity import print_quantity
from nodewright.model.wording import word
from nodewright.model.wording.amounts import show_amount
from nodewright.model.world import World
from nodewright.view.values import NodeRow, PodRow
from nodewright.web.answers.nodes import (
    Action,
    Amount,
    NodePage,
    NodePod,
    Refused,
    Rule,
    Staying,
)
from nodewright.web.answers.shared import DecisionRow
from nodewright.web.writing.nodes import say_next
from nodewright.web.writing.numbers import percent_of, used_percent, write_instant, write_money
from nodewright.web.writing.stories import write_conditions, write_verdict

PODS_MAX: Final = 1_000
_NAMES_MAX: Final = 100


class Look(msgspec.Struct, frozen=True):
    """What is known of one node."""

    revision: int
    world: World
    row: NodeRow
    pods: tuple[PodRow, ...]
    story: NodeStory | None
    stays: Stays
    decisions: tuple[DecisionRow, ...] = ()


def write_node(look: Look) -> NodePage:
    """Write the page of a node."""
    row, story = look.row, look.story
    node, claim = find_objects(look.world, row.name)
    thing = node or claim
    labels = dict(sorted(thing.metadata.labels.items())) if thing is not None else {}
    conditions = node.status.conditions if node is not None else ()
    reference = claim.spec.node_class_ref.name if claim is not None else ""
    command = read_record(claim) if claim is not None else None
    reason = row.state_detail or row.next.reason
    return NodePage(
        revision=look.revision,
        at=print_instant(look.world.now_ms),
        name=row.name,
        claim=row.claim,
        node_pool=row.node_pool,
        node_class=reference,
        instance_type=row.instance_type,
        capacity_type=row.capacity_type,
        zone=row.zone,
        price_per_hour=write_money(row.price_nanousd_hour),
        state=row.state,
        code=row.next.code,
        reason=f"{reason} ({command.reason})" if command is not None and reason else reason,
        next=say_next(row),
        created=write_instant(row.made_ms),
        labels=labels,
        taints=tuple(show_taint(one) for one in story.taints) if story is not None else (),
        resources=_amounts(row, story),
        conditions=write_conditions(conditions),
        pods=tuple(_pod(one, row) for one in look.pods[:PODS_MAX]),
        staying=_staying(look.stays, row.name),
        takes=story.takes[:_NAMES_MAX] if story is not None else (),
        refuses=tuple(_refusals(story)) if story is not None else (),
        decisions=look.decisions,
    )


def find_objects(world: World, name: str) -> tuple[Node | None, NodeClaim | None]:
    """Give the node and the claim that go by a name."""
    node = next((one for one in world.nodes if one.metadata.name == name), None)
    claim = next(
        (one for one in world.node_claims if name in (one.metadata.name, one.status.node_name)),
        None,
    )
    return node, claim


def _amounts(row: NodeRow, story: NodeStory | None) -> tuple[Amount, ...]:
    if story is None:
        return ()
    used = {"cpu": used_percent(row.cpu), "memory": used_percent(row.memory)}
    found = []
    for name in resource_order(story.allocatable):
        whole, free = story.allocatable[name], story.free.get(name, 0)
        asked = whole - free
        found.append(
            Amount(
                name,
                show_amount(whole, name),
                show_amount(asked, name, up=True),
                show_amount(free, name),
                percent_of(asked, whole),
                used.get(name),
            )
        )
    return tuple(found)


def _pod(one: PodRow, row: NodeRow) -> NodePod:
    namespace, _, name = one.key.partition("/")
    cpu_room, memory_room = row.cpu.allocatable, row.memory.allocatable
    return NodePod(
        namespace=namespace,
        name=name,
        owner=one.workload,
        phase=one.phase,
        requests={
            "cpu": print_quantity(one.cpu, "cpu"),
            "memory": print_quantity(one.memory, "memory"),
        },
        cpu_percent=percent_of(one.cpu, cpu_room),
        memory_percent=percent_of(one.memory, memory_room),
        is_daemon=one.is_daemon,
        is_evictable=not one.code and not one.is_daemon,
        code=one.code,
        reason=one.eviction,
        blockers=one.blockers,
        cpu_used_percent=percent_of(one.cpu_used, cpu_room),
        memory_used_percent=percent_of(one.memory_used, memory_room),
    )


def _staying(stays: Stays, name: str) -> Staying:
    verdict = went_for(stays) if stays.goes else stays.kept
    command = stays.command
    action = None
    if command is not None:
        own = {pod for one in command.nodes if one.node == name for pod in one.pods}
        kinds = tuple(one.offering.instance_type for one in command.replacements)
        action = Action(
            reason=command.reason,
            nodes=tuple(one.node for one in command.nodes),
            replacements=kinds,
            moves={
                key: place if isinstance(place, str) else f"a new {kinds[place]}"
                for key, place in command.moves.items()
                if key in own
            },
            savings_per_hour=money(command.savings),
        )
    return Staying(
        goes=stays.goes,
        verdict=write_verdict(verdict),
        price_per_day=write_money(stays.price_per_day),
        drift=stays.drift,
        checks=tuple(
            Rule(one.name, word(f"check.{one.name}"), True, write_verdict(one.verdict))
            for one in stays.checks
        ),
        reasons=tuple(
            Rule(
                one.reason,
                word("stays.yes") if one.applies else word(f"stays.not-{one.reason}"),
                one.applies,
                write_verdict(one.verdict),
            )
            for one in stays.rules
        ),
        action=action,
    )


def _refusals(story: NodeStory) -> Iterable[Refused]:
    for one in story.refuses:
        said = reason_title(one.reason.code, one.subject)
        yield Refused(one.reason.code, said, one.pods[:_NAMES_MAX])
