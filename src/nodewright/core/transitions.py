"""Transitions: when a condition of a claim, pool or class changes its status, its Events say so.

What is seen for the first time has not changed. An object that goes because we let it go is told of
too, once.
"""

from collections.abc import Iterator
from typing import Any, Final

from nodewright.model.beside import Transition
from nodewright.model.decision import Tell
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.resource import WATCHED, Object, Ref, Resource
from nodewright.model.world import World

FINALIZED: Final = "Finalized"
_BY_NAME: Final = {one.name: one for one in WATCHED}


def find_transitions(
    resource: Resource[Any], old: Object | None, new: Object | None
) -> Iterator[Transition]:
    """Give what a change of an object changed in its conditions."""
    if old is None:
        return
    meta = old.metadata
    subject = (resource.name, meta.name, meta.uid)
    held = TERMINATION_FINALIZER in meta.finalizers
    if held and (new is None or TERMINATION_FINALIZER not in new.metadata.finalizers):
        yield Transition(*subject, FINALIZED)
    before, after = _conditions(old), _conditions(new)
    for kind in sorted(after):
        status, reason = after[kind]
        was = before.get(kind, ("Unknown", ""))[0]
        if status != was:
            yield Transition(*subject, kind, was, status, reason)


def _conditions(thing: Any) -> dict[str, tuple[str, str]]:
    if thing is None:
        return {}
    return {one.type: (one.status, one.reason) for one in thing.status.conditions}


def tell_transitions(world: World) -> Iterator[Tell]:
    """Give the Events of what has changed."""
    for one in world.beside.transitions:
        ref = Ref(_BY_NAME[one.resource], one.name, uid=one.uid)
        if one.condition == FINALIZED:
            yield Tell(subject=ref, reason=FINALIZED, note="nothing holds it any more")
        else:
            why = f" ({one.reason})" if one.reason and one.reason != one.condition else ""
            note = f"{one.condition} went from {one.before} to {one.after}{why}"
            dedupe = (one.before, one.after, one.reason)
            yield Tell(subject=ref, reason=one.condition, note=note, dedupe=dedupe)
