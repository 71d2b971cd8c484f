"""The loop: one act at a time for each subject, patience after failures, nothing on stale sight."""

import asyncio
from itertools import pairwise

import pytest

from builders import NOW_MS, a_node, a_pool
from builders.lives import a_claim, with_meta
from nodewright.controllers.loop import Controller, Pace, is_heartbeat, run_all
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.decision import Delete, Launch, Tell, rest_on
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, WATCHED, refer
from nodewright.ports.kube import Answer, Outcome
from nodewright.sim.loop import VirtualLoop
from nodewright.state.mirror import Change, Mirror


class FakePorts:
    """Ports whose cluster answers as it is told, in the virtual time of a loop."""

    def __init__(self, loop):
        self.clock = loop
        self.kube = self
        self.mirror = Mirror()
        self.mirror_listeners = []
        self.listen = self.mirror_listeners.append
        self.answers = []
        self.calls = []
        self.published = []
        self.created = []
        self.witnesses = ()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.mirror.replace(NODES, [with_meta(a_node("n"), resource_version="5")], "5")

    async def delete(self, ref, options=None):
        del ref, options
        self.calls.append(self.clock.now_ms() - NOW_MS)
        await asyncio.sleep(0.05)
        answer = self.answers.pop(0) if self.answers else Answer(Outcome.DONE, version="5")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def create(self, resource, thing):
        del resource
        self.created.append(thing.metadata.name)
        await asyncio.sleep(0.05)
        return Answer(Outcome.DONE, version="1")

    def publish(self, notice):
        self.published.append(notice.reason)
        return True


class Deleter(Controller):
    """Wants every node gone, again and again."""

    name = "deleter"
    wakes_on = (NODES,)
    pace = Pace(at_most_every_ms=100, at_least_every_ms=500)

    def decide(self, world):
        for node in world.nodes:
            ref = refer(NODES, node)
            yield Tell(subject=ref, reason="Going", note="it goes")
            yield Delete(subject=ref, reason="Test", basis=rest_on((NODES, node)))


class Seldom(Deleter):
    """Looks only when it is woken."""

    pace = Pace(at_most_every_ms=100, at_least_every_ms=600_000)


class Slow(Deleter):
    """Lets changes gather for longer on larger clusters."""

    pace = Pace(at_most_every_ms=100, at_least_every_ms=100, objects_per_ms=1, longest_ms=2_000)

    def __init__(self, ports, memory, settings):
        super().__init__(ports, memory, settings)
        ports.mirror.replace(NODES, [a_node(f"n{number}") for number in range(3_000)], "6")


class Listener:
    """A witness that keeps what it is told."""

    def __init__(self):
        self.looks = []
        self.answers = []

    def decided(self, controller, world, decisions, duration_ms):
        self.looks.append((controller, world.now_ms - NOW_MS, decisions, duration_ms))

    def came_of(self, controller, decision, answer, duration_ms):
        self.answers.append((controller, decision, answer.outcome, duration_ms))


class Planner(Controller):
    """Wants many claims at once, on a pool that was just written."""

    name = "planner"
    pace = Pace(at_most_every_ms=100, at_least_every_ms=60_000)

    def decide(self, world):
        del world
        pool = with_meta(a_pool(), resource_version="1")
        for number in range(300):
            claim = a_claim(f"c{number}")
            yield Launch(
                subject=refer(NODE_CLAIMS, claim),
                reason="Test",
                basis=rest_on((NODE_POOLS, pool)),
                claim=claim,
            )


def run_for(duration_ms, *answers, memory=None, is_strict=False, witnesses=(), kind=Deleter):
    """Run a controller, a deleter unless told, on virtual time, and give its ports."""
    loop = VirtualLoop(NOW_MS)
    ports = FakePorts(loop)
    ports.witnesses = witnesses
    ports.answers = list(answers)
    controller = kind(ports, memory or Memory(), Settings())

    async def main():
        try:
            async with asyncio.timeout(duration_ms / 1000):
                await run_all([controller], is_strict=is_strict)
        except TimeoutError:
            return

    try:
        loop.run_until_complete(main())
        loop.run_until_complete(loop.sleep_ms(100))
    finally:
        loop.close()
    return ports


def test_a_decision_is_acted_on_and_words_are_published():
    ports = run_for(90)

    assert ports.calls == [0]
    assert ports.published == ["Going"]


def test_witnesses_are_told_of_every_look_and_of_what_came_of_it():
    listener = Listener()
    run_for(90, witnesses=(listener,))

    (controller, at_ms, (told, delete), _) = listener.looks[0]
    assert (controller, at_ms, told.kind, delete.kind) == ("deleter", 0, "Tell", "Delete")
    assert (delete.cause, delete.controller) == ("start", "deleter")
    assert listener.answers == [("deleter", delete, Outcome.DONE, 50)]


def test_what_woke_the_controller_is_the_cause():
    listener = Listener()
    run_for(1_000, Answer(Outcome.UNREACHABLE), witnesses=(listener,))

    assert [look[2][0].cause for look in listener.looks][:3] == ["start", "answer", "time"]


def test_the_more_there_is_to_look_at_the_longer_changes_are_let_gather():
    listener = Listener()
    run_for(7_000, witnesses=(listener,), kind=Slow)
    times = [at_ms for _, at_ms, _, _ in listener.looks]

    assert all(2_000 <= later - sooner <= 2_300 for sooner, later in pairwise(times))


def test_a_failure_is_tried_again_after_longer_and_longer_waits():
    refused = [Answer(Outcome.UNREACHABLE)] * 4
    calls = run_for(12_000, *refused).calls[:4]
    waits = [later - sooner for sooner, later in pairwise(calls)]

    assert all(wait >= least for wait, least in zip(waits, (1_000, 2_000, 4_000), strict=True))
    assert waits[-1] < 6_000


def test_who_came_too_late_tries_again_soon():
    calls = run_for(2_000, Answer(Outcome.CONFLICT), kind=Seldom).calls

    assert 200 <= calls[1] - calls[0] < 500


def test_a_failure_is_tried_again_in_time_by_who_looks_seldom():
    calls = run_for(3_000, Answer(Outcome.UNREACHABLE), kind=Seldom).calls

    assert 1_000 <= calls[1] - calls[0] < 1_300


def test_the_server_may_ask_for_a_longer_wait():
    calls = run_for(9_000, Answer(Outcome.BUSY, retry_after_ms=7_000)).calls

    assert calls[1] - calls[0] >= 7_000


def test_nothing_is_done_on_what_we_have_changed_since():
    memory = Memory()
    memory.expectations.wrote(refer(NODES, a_node("n")), "6", NOW_MS)

    assert run_for(5_000, memory=memory).calls == []


def test_a_subject_that_somebody_acts_on_is_left_alone():
    memory = Memory()
    memory.busy.add("nodes/n")

    assert run_for(5_000, memory=memory).calls == []


def test_an_error_in_one_step_does_not_end_the_others(caplog):
    ports = run_for(5_000, RuntimeError("boom"))

    assert len(ports.calls) > 1
    assert "deleter failed" in caplog.text


def test_a_strict_run_stops_at_an_error():
    with pytest.raises(ExceptionGroup):
        run_for(5_000, RuntimeError("boom"), is_strict=True)


def test_a_process_that_no_longer_leads_stops_without_noise():
    ports = run_for(60_000, Answer(Outcome.NOT_LEADER))

    assert len(ports.calls) == 1


def test_nothing_is_decided_before_the_mirror_is_complete():
    loop = VirtualLoop(NOW_MS)
    ports = FakePorts(loop)
    ports.mirror = Mirror()
    controller = Deleter(ports, Memory(), Settings())

    async def main():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await run_all([controller])

    loop.run_until_complete(main())
    loop.close()

    assert ports.calls == []


def test_every_claim_that_was_planned_is_written_whatever_was_written_on_its_pool():
    memory = Memory()
    memory.expectations.wrote(refer(NODE_POOLS, a_pool()), "9", NOW_MS)
    ports = run_for(90, memory=memory, kind=Planner)

    assert len(set(ports.created)) == 300


def test_a_node_that_only_says_that_it_lives_wakes_nobody():
    old = with_meta(a_node("n"), resource_version="5")
    alive = with_meta(old, resource_version="6")
    relabeled = with_meta(alive, labels={**old.metadata.labels, "new": "label"})
    claim = with_meta(a_claim("c"), resource_version="5")
    renewed = with_meta(claim, resource_version="6")

    assert is_heartbeat(Change(NODES, "n", old, alive))
    assert not is_heartbeat(Change(NODES, "n", old, relabeled))
    assert not is_heartbeat(Change(NODES, "n", None, alive))
    assert not is_heartbeat(Change(NODES, "n", old, None))
    assert not is_heartbeat(Change(NODE_CLAIMS, "c", claim, renewed))


@pytest.mark.parametrize(("labels", "looks"), [({}, 1), ({"new": "label"}, 2)])
def test_a_heartbeat_wakes_no_controller_and_a_change_does(labels, looks):
    class Quiet(Seldom):
        """Hears once of its node, and wants nothing."""

        looked_ms = []

        def decide(self, world):
            self.looked_ms.append(world.now_ms)
            if len(self.looked_ms) == 1:
                old = world.nodes[0]
                kept = {**old.metadata.labels, **labels}
                new = with_meta(old, resource_version="6", labels=kept)
                for hear in self.ports.mirror_listeners:
                    hear((self.ports.mirror.put(NODES, new, "6"),))
            return ()

    run_for(30_000, kind=Quiet, is_strict=True)

    assert len(Quiet.looked_ms) == looks
