import asyncio

import pytest

from builders import a_node
from nodewright.model.resource import NODES
from nodewright.sim.faults import Fault, Faults
from nodewright.sim.ground import Ground
from nodewright.sim.refusals import Refused
from nodewright.sim.session import Session
from nodewright.sim.watches import BOOKMARK, Watches


class Listener:
    """Somebody who watches nodes."""

    def __init__(self, *faults):
        self.ground = Ground(1)
        self.faults = Faults(self.ground, faults)
        self.session = Session(self.ground.loop, self.faults, "controller-1")
        self.watches = Watches(self.ground, self.faults, self.session)
        self.seen = []
        self.ended = False

    def listen(self, since):
        async def run():
            async for event in self.watches.watch(NODES, since):
                self.seen.append((event.verb, event.key))
            self.ended = True

        self.task = self.ground.loop.create_task(run())

    def node(self, name):
        self.ground.api.create(NODES, a_node(name), "user")

    def wait(self, seconds=1):
        self.ground.loop.run_until_complete(self.ground.loop.sleep_ms(seconds * 1000))


def test_a_watch_tells_what_was_missed_and_what_comes():
    listener = Listener()
    listener.node("before")
    listener.listen(1)
    listener.wait()
    listener.node("after")
    listener.wait()

    assert listener.seen == [("ADDED", "before"), ("ADDED", "after")]


def test_a_quiet_watch_says_how_far_it_is():
    listener = Listener()
    listener.listen(1)
    listener.wait(130)

    assert listener.seen == [(BOOKMARK, ""), (BOOKMARK, "")]


def test_an_event_can_come_twice():
    listener = Listener(Fault("watch.duplicate", rate=1.0))
    listener.listen(1)
    listener.wait()
    listener.node("a")
    listener.wait()

    assert listener.seen == [("ADDED", "a")] * 2


def test_a_late_event_holds_up_those_behind_it():
    listener = Listener(Fault("watch.late", rate=1.0, until_ms=2_000))
    listener.listen(1)
    listener.wait(1)
    listener.node("late")
    listener.wait(2)
    listener.node("later")
    listener.wait(10)

    assert [key for _, key in listener.seen] == ["late", "later"]


def test_a_connection_that_breaks_loses_nothing_that_cannot_be_asked_for_again():
    listener = Listener(Fault("watch.cut", rate=1.0, until_ms=1_500))
    listener.listen(1)
    listener.wait()
    listener.node("a")
    listener.wait()
    assert (listener.seen, listener.ended) == ([], True)
    listener.listen(1)
    listener.wait()

    assert listener.seen == [("ADDED", "a")]


def test_a_lost_event_never_comes():
    listener = Listener(Fault("watch.drop", rate=1.0, until_ms=1_500))
    listener.listen(1)
    listener.wait()
    listener.node("lost")
    listener.wait()
    listener.node("heard")
    listener.wait()

    assert listener.seen == [("ADDED", "heard")]


def test_a_version_that_is_too_old_is_refused():
    listener = Listener()
    listener.node("a")
    listener.node("b")
    listener.ground.api.compact()
    listener.listen(1)
    listener.wait()

    with pytest.raises(Refused) as caught:
        listener.task.result()
    assert caught.value.status == 410


def test_the_dead_hear_nothing():
    listener = Listener()
    listener.listen(1)
    listener.wait()
    listener.session.is_dead = True
    listener.node("a")
    listener.wait(120)

    assert listener.seen == []
    assert listener.task.cancelled()


def test_a_list_is_true_at_its_version():
    listener = Listener()
    listener.node("a")
    listed = listener.ground.loop.run_until_complete(
        asyncio.wait_for(listener.watches.list(NODES), 10)
    )

    assert [node.metadata.name for node in listed.items] == ["a"]
    assert listed.version == listener.ground.api.version
