"""Replay: a decision taken again from the World that it was taken on.

Every controller decides from its World alone, so the same World must give the same answer: all its
decisions, in order. What differs is told decision by decision, as far as they were written down.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from nodewright.core.buffers import keep_room
from nodewright.core.checkup import check_up
from nodewright.core.disruptable import judge_claims
from nodewright.core.disrupting import disrupt
from nodewright.core.ec2nodeclass import decide_ec2_classes
from nodewright.core.expiration import expire
from nodewright.core.garbage import collect
from nodewright.core.hydration import hydrate
from nodewright.core.interruption import decide_interruptions
from nodewright.core.lifecycle import decide_lives
from nodewright.core.lifecycle_consistency import check_promises
from nodewright.core.lifecycle_podevents import write_events
from nodewright.core.nodeclass import count_types, judge_classes
from nodewright.core.nodepolicy import judge_policies
from nodewright.core.nodepool import decide_pools
from nodewright.core.nominations import nominate
from nodewright.core.older import judge_older
from nodewright.core.orchestration import drive
from nodewright.core.perished import judge_perished
from nodewright.core.provisioning import provision
from nodewright.core.repair import repair
from nodewright.core.reserved import keep_reserved
from nodewright.core.static import keep_replicas
from nodewright.core.tagging import tag_machines
from nodewright.core.termination import decide_ends
from nodewright.core.transitions import tell_transitions
from nodewright.journal.reading import Found
from nodewright.journal.recorder import answer_of, record_of
from nodewright.journal.records import Decided
from nodewright.model.decision import Decision
from nodewright.model.errors import UserError
from nodewright.model.world import World

type Decider = Callable[[World], Iterable[Decision]]

DECIDERS: Final[Mapping[str, Decider]] = {
    "provisioning": provision,
    "lifecycle": decide_lives,
    "termination": lambda world: decide_ends(world, world.beside.cloud),
    "interruption": decide_interruptions,
    "garbage": lambda world: collect(world, world.beside.cloud),
    "expiration": expire,
    "nodepool": lambda world: decide_pools(world, world.beside.outcomes),
    "ec2nodeclass": decide_ec2_classes,
    "nodeclass": lambda world: judge_classes(world, count_types(world.beside)),
    "consistency": check_promises,
    "podevents": lambda world: write_events(world, world.beside.pod_events_ms),
    "nominations": lambda world: nominate(world, world.beside.expected, world.beside.idle_since_ms),
    "perished": judge_perished,
    "static": keep_replicas,
    "buffers": keep_room,
    "older": judge_older,
    "hydration": hydrate,
    "transitions": tell_transitions,
    "disruption": disrupt,
    "orchestration": drive,
    "disruptable": judge_claims,
    "repair": repair,
    "nodepolicy": judge_policies,
    "checkup": check_up,
    "reserved": keep_reserved,
    "tagging": tag_machines,
}
"""What each controller decides with, by its name."""


class Difference(msgspec.Struct, frozen=True):
    """One decision that was written down, and what stands in its place now; None for nothing."""

    subject: str
    before: Decided | None
    after: Decided | None


class Replayed(msgspec.Struct, frozen=True):
    """What came of deciding again."""

    is_same: bool
    count_before: int
    count_after: int
    differences: tuple[Difference, ...] = ()


def replay(found: Found) -> Replayed:
    """Decide again on the World of a decision, and compare the whole answer."""
    look = found.look
    decide = DECIDERS.get(look.controller)
    if decide is None:
        raise UserError(
            f"decisions of the controller {look.controller} cannot be taken again",
            code="NW-9603",
            advice=f"those of {', '.join(sorted(DECIDERS))} can",
        )
    world = found.open().world
    made = [replace(one, cause=look.cause, controller=look.controller) for one in decide(world)]
    ids = [one.id for one in made]
    differences: tuple[Difference, ...] = ()
    is_same = answer_of(ids) == look.answer
    if not is_same:
        after = {name: record_of(look, name, one) for name, one in zip(ids, made, strict=True)}
        differences = _compare(found.siblings, after)
    return Replayed(is_same, look.count, len(made), differences)


def _compare(before: Iterable[Decided], after: Mapping[str, Decided]) -> tuple[Difference, ...]:
    """Tell what was written down and is not decided any more, beside what is about the same."""
    of_subject: dict[tuple[str, str], Decided] = {}
    for one in after.values():
        of_subject.setdefault((one.subject, one.kind), one)
    return tuple(
        Difference(one.subject, one, of_subject.get((one.subject, one.kind)))
        for one in before
        if one.id not in after
    )
