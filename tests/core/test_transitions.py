"""What is told when conditions change."""

import msgspec

from builders import a_pool, a_world
from builders.lives import a_claim, with_conditions, with_meta
from nodewright.core.transitions import find_transitions, tell_transitions
from nodewright.model.beside import Beside
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS

CLAIM = a_claim("c")


def found(old, new, resource=NODE_CLAIMS):
    return [(one.condition, one.before, one.after) for one in find_transitions(resource, old, new)]


def test_a_condition_that_changes_is_found_and_one_that_stays_is_not():
    launched = with_conditions(CLAIM, Launched="True", Registered="Unknown")
    registered = with_conditions(launched, Registered="True")

    assert found(CLAIM, launched) == [("Launched", "Unknown", "True")]
    assert found(launched, registered) == [("Registered", "Unknown", "True")]
    assert found(registered, registered) == []


def test_what_is_seen_for_the_first_time_has_not_changed():
    assert found(None, with_conditions(CLAIM, Launched="True")) == []


def test_an_object_that_we_let_go_is_told_of_once():
    free = with_meta(CLAIM, finalizers=())

    assert found(CLAIM, free) == found(CLAIM, None) == [("Finalized", "", "")]
    assert found(free, None) == []


def test_a_transition_is_an_event_with_both_statuses_and_the_reason():
    pool = with_meta(a_pool("p"), uid="u")
    unready = with_conditions(pool, Ready="False")
    seen = tuple(find_transitions(NODE_POOLS, pool, unready))
    world = msgspec.structs.replace(a_world(), beside=Beside(transitions=seen))
    (tell,) = tell_transitions(world)

    assert str(tell.subject) == "nodepools.karpenter.sh/p"
    assert (tell.subject.uid, tell.reason) == ("u", "Ready")
    assert tell.note == "Ready went from Unknown to False"
    assert not tell.is_warning
