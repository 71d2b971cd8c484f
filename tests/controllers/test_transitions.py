"""Transitions as they are heard: none is lost, and no flood of them drowns the other Events."""

from builders import NOW_MS
from builders.lives import a_claim, with_conditions
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.transitions import Transitions
from nodewright.model.resource import NODE_CLAIMS
from nodewright.state.mirror import Change, Mirror


class Quiet:
    """Ports of a cluster in which nothing else happens."""

    def __init__(self):
        self.clock = self
        self.mirror = Mirror()

    def now_ms(self):
        return NOW_MS


def heard(count):
    controller = Transitions(Quiet(), Memory(), Settings())
    for number in range(count):
        old = a_claim(f"c{number}")
        controller.hears(Change(NODE_CLAIMS, f"c{number}", old, with_conditions(old, Ready="True")))
    return controller


def told(controller):
    return [one.subject.name for one in controller.decide(controller.see())]


def test_what_was_heard_is_told_once():
    controller = heard(3)

    assert told(controller) == ["c0", "c1", "c2"]
    assert told(controller) == []


def test_a_flood_is_told_bit_by_bit():
    controller = heard(250)

    assert len(told(controller)) == 100
    assert controller.next_look_ms() == 1_000
    assert len(told(controller) + told(controller)) == 150


def test_a_change_of_something_else_wakes_nobody():
    controller, claim = heard(0), a_claim("c")

    assert not controller.hears(Change(NODE_CLAIMS, "c", claim, claim))
