"""Interruption: messages are acted on at once, kept until that is done, and asked for when lost."""

import asyncio
from collections import deque
from itertools import pairwise

import msgspec
import pytest

from builders import NOW_MS
from builders.lives import a_registered_pair, ago, with_meta, with_spec
from nodewright.controllers.interruption import HELD_MAX, HELD_MS, SWEEP_MS, Interruption
from nodewright.controllers.loop import run_all
from nodewright.controllers.ports import Memory, Settings
from nodewright.core.interruption_queue import QUEUE
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.labels import INSTANCE_TYPE
from nodewright.model.metadata import ObjectMeta
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, WATCHED
from nodewright.ports.cloud import Deaf, MachineStatus, Notice, QueueFault, Unavailable
from nodewright.ports.kube import Answer, Outcome, Urgency
from nodewright.sim.loop import VirtualLoop
from nodewright.state.mirror import Mirror

POLL_MS = 20_000
SEEN_MS = 30


def a_message(number, machine="a", kind="spot_interrupted", **more):
    return Notice(f"m-{number}", kind, (machine,), NOW_MS, **more)


def an_ec2_claim(name):
    _, claim = a_registered_pair(name)
    labels = {**claim.metadata.labels, INSTANCE_TYPE: "m5.large"}
    reference = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="c")
    return with_spec(with_meta(claim, labels=labels), node_class_ref=reference)


class Place:
    """A cluster with claims `a`, `b` and `c`, and a cloud that says what it is told to say."""

    def __init__(self, *said, statuses=(), answers=()):
        self.loop = self.clock = VirtualLoop(NOW_MS)
        self.kube = self.cloud = self
        self.mirror = Mirror()
        self.hearing = []
        self.listen = self.hearing.append
        self.witnesses = ()
        self.said = deque(said)
        self.status_answers = deque(statuses)
        self.answers = deque(answers)
        self.story = []
        self.version = 10
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        claims = [an_ec2_claim(name) for name in "abc"]
        self.mirror.replace(NODE_CLAIMS, claims, "9")
        node_class = EC2NodeClass(ObjectMeta(name="c", uid="u", generation=1, resource_version="8"))
        self.mirror.replace(NODE_CLASSES, [node_class], "9")

    def tell(self, what, about=""):
        self.story.append((self.loop.now_ms() - NOW_MS, what, about))

    async def receive_notices(self):
        if not self.said:
            await self.loop.sleep_ms(POLL_MS)
            return ()
        wait_ms, answer = self.said.popleft()
        await self.loop.sleep_ms(wait_ms)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def acknowledge(self, receipts):
        self.tell("acknowledge", receipts)
        return len(receipts)

    async def statuses(self):
        self.tell("ask")
        return self.status_answers.popleft() if self.status_answers else ()

    def mark_unavailable(self, labels):
        self.tell("mark", labels[INSTANCE_TYPE])

    async def delete(self, ref, options):
        assert options.urgency is Urgency.INTERRUPTION
        self.tell("delete", ref.name)
        await self.loop.sleep_ms(5)
        answer = self.answers.popleft() if self.answers else Answer(Outcome.DONE, version="99")
        if answer.outcome is Outcome.DONE:
            self.loop.call_later(SEEN_MS / 1000, self.see_gone, ref.name)
        return answer

    def see_gone(self, name):
        claim = self.mirror.get(NODE_CLAIMS, name)
        gone = with_meta(claim, deletion_timestamp=ago(0), resource_version="99")
        change = self.mirror.put(NODE_CLAIMS, gone, "99")
        for hear in self.hearing:
            hear((change,))

    async def patch(self, ref, change, options):
        del options
        self.tell("patch", ref.resource.kind)
        self.version += 1
        if "status" in change:
            known = self.mirror.get(NODE_CLASSES, ref.name)
            status = msgspec.convert(change["status"], type(known.status))
            known = msgspec.structs.replace(known, status=status)
            known = with_meta(known, resource_version=str(self.version))
            self.mirror.put(NODE_CLASSES, known, str(self.version))
        else:
            claim = self.mirror.get(NODE_CLAIMS, ref.name)
            found = change["metadata"]["annotations"]
            claim = with_meta(claim, annotations=found, resource_version=str(self.version))
            self.mirror.put(NODE_CLAIMS, claim, str(self.version))
        return Answer(Outcome.DONE, version=str(self.version))

    def publish(self, notice):
        self.tell("publish", notice.reason)
        return True

    def run(self, duration_ms):
        controller = Interruption(self, Memory(), Settings())

        async def main():
            try:
                async with asyncio.timeout(duration_ms / 1000):
                    await run_all([controller])
            except TimeoutError:
                return

        try:
            self.loop.run_until_complete(main())
            self.loop.run_until_complete(self.loop.sleep_ms(100))
        finally:
            self.loop.close()
        return self

    def when(self, what, about=None):
        return [at for at, did, whom in self.story if did == what and about in (None, whom)]

    def order(self, *whats):
        return [did for _, did, _ in self.story if did in whats]

    @property
    def condition(self):
        [found] = self.mirror.all(NODE_CLASSES)
        return next((one for one in found.status.conditions if one.type == QUEUE), None)


def test_a_warning_ends_the_claim_at_once_and_is_acknowledged_when_that_is_seen():
    place = Place((300, (a_message(1),))).run(2_000)

    [deleted] = place.when("delete", "claim-of-a")
    [acknowledged] = place.when("acknowledge", ("m-1",))
    assert 300 <= deleted < 400
    assert deleted + SEEN_MS <= acknowledged < deleted + 200
    assert place.order("mark", "delete", "acknowledge") == ["mark", "delete", "acknowledge"]


def test_what_is_none_of_ours_is_acknowledged_at_once():
    said = (a_message(1, "foreign"), a_message(2, kind=""), a_message(3, kind="news"))
    place = Place((0, said)).run(1_000)

    assert place.when("acknowledge", ("m-1", "m-2", "m-3"))[0] < 100
    assert place.when("delete") == []


def test_a_message_that_comes_twice_ends_a_claim_once():
    place = Place((0, (a_message(1), a_message(2))), (500, (a_message(3),))).run(3_000)

    assert len(place.when("delete")) == 1
    receipts = [one for _, what, some in place.story if what == "acknowledge" for one in some]
    assert sorted(receipts) == ["m-1", "m-2", "m-3"]


def test_what_could_not_be_done_is_not_acknowledged():
    refused = [Answer(Outcome.UNREACHABLE)] * 100
    place = Place((0, (a_message(1),)), answers=refused).run(HELD_MS)

    assert len(place.when("delete")) > 1
    assert place.when("acknowledge") == []


@pytest.mark.parametrize("outcome", [Outcome.CONFLICT, Outcome.BUSY, Outcome.UNREACHABLE])
def test_a_deletion_that_fails_is_tried_again_within_seconds(outcome):
    place = Place((0, (a_message(1),)), answers=[Answer(outcome)] * 6).run(HELD_MS)

    tries = place.when("delete")
    assert len(tries) == 7
    assert max(later - sooner for sooner, later in pairwise(tries)) < 5_500
    assert place.when("acknowledge", ("m-1",))[0] > tries[-1]


def test_a_message_that_nobody_could_deal_with_is_forgotten_until_it_comes_again():
    refused = [Answer(Outcome.UNREACHABLE)] * 7
    place = Place((0, (a_message(1),)), (25_000, (a_message(2),)), answers=refused).run(70_000)

    assert place.when("acknowledge", ("m-1",)) == []
    assert place.when("acknowledge", ("m-2",)) != []


def test_a_hint_is_told_and_then_acknowledged():
    place = Place((0, (a_message(1, kind="rebalance_recommendation"),))).run(1_000)

    assert place.order("publish", "acknowledge") == ["publish", "acknowledge"]
    assert place.when("delete") == []


def test_more_than_can_be_held_stays_in_the_queue():
    many = tuple(a_message(n) for n in range(HELD_MAX))
    refused = [Answer(Outcome.UNREACHABLE)] * 1_000
    place = Place((0, many), (0, (a_message(-1, "foreign"),)), answers=refused).run(HELD_MS)

    assert place.said
    assert place.when("acknowledge") == []


def test_the_cloud_is_asked_at_the_start_and_every_minute():
    place = Place().run(2 * SWEEP_MS + 1_000)

    assert place.when("ask") == [0, SWEEP_MS, 2 * SWEEP_MS]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (MachineStatus("a", is_taken_back=True), "SpotInterrupted"),
        (MachineStatus("a", state="stopped"), "InstanceStopping"),
        (MachineStatus("a", state="terminated"), "InstanceTerminating"),
        (MachineStatus("a", planned_event="instance-stop"), "InstanceUnhealthy"),
        (MachineStatus("a", NOW_MS - 120_000, "system_status"), "InstanceUnhealthy"),
    ],
)
def test_what_no_message_told_is_found_by_asking(status, reason):
    place = Place(statuses=[(MachineStatus("foreign", state="stopped"), status)]).run(1_000)

    assert place.when("delete", "claim-of-a")[0] < 300
    assert place.when("publish", reason)
    assert place.when("acknowledge") == []


def test_a_failing_machine_is_hurried_before_it_is_ended():
    sick = MachineStatus("a", NOW_MS - 120_000, "instance_status")
    place = Place(statuses=[(sick,)]).run(1_000)

    assert place.order("patch", "delete").index("delete") > 0


@pytest.mark.parametrize(("tries", "asked"), [(4, [0, 60, 95, 120]), (3, [0, 60, 120])])
def test_the_cloud_is_asked_at_once_after_a_silence_that_may_have_lost_messages(tries, asked):
    outage = [(20_000, Deaf(QueueFault.UNREACHABLE, "x"))] * tries
    place = Place(*outage, (0, ())).run(125_000)

    assert [at // 1_000 for at in place.when("ask")] == asked


def test_a_queue_that_cannot_be_heard_is_told_and_everything_goes_on():
    deaf = Deaf(QueueFault.MISSING, "demo: gone", 1_000)
    lost = [(), (MachineStatus("b", is_taken_back=True),)]
    place = Place(*[(0, deaf)] * 200, statuses=lost).run(SWEEP_MS + 1_000)

    assert (place.condition.status, place.condition.reason) == ("False", "QueueNotFound")
    assert len(place.when("patch")) == 1
    assert place.when("delete", "claim-of-b") != []


def test_a_queue_that_comes_back_is_heard_again():
    deaf = Deaf(QueueFault.FORBIDDEN, "demo: no")
    place = Place((0, deaf), (0, deaf), (0, (a_message(1),))).run(10_000)

    assert place.condition.status == "True"
    assert len(place.when("patch")) == 2
    assert place.when("acknowledge", ("m-1",)) != []


def test_a_cloud_that_does_not_answer_is_asked_again():
    lost = [Unavailable("x"), (MachineStatus("c", is_taken_back=True),)]
    place = Place(statuses=lost).run(SWEEP_MS + 1_000)

    assert place.when("delete", "claim-of-c") != []


def test_an_error_while_listening_is_not_the_end(caplog):
    place = Place((0, RuntimeError("boom")), (0, (a_message(1),))).run(5_000)

    assert "interruption failed" in caplog.text
    assert place.when("acknowledge", ("m-1",)) != []
