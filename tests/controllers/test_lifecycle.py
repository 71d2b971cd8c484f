"""Launches: asked for once, found again by their tag, and begun anew only when nothing is there."""

import asyncio

import msgspec

from builders import NOW_MS, a_type, a_world, want
from builders.lives import MINUTE_MS, a_claim, a_new_node, with_meta, with_spec, with_status
from builders.nodes import an_overlay
from nodewright.controllers.lifecycle import Lifecycle
from nodewright.controllers.ports import CLAIM_TAG, Memory, Settings
from nodewright.core.lifecycle import decide_lives
from nodewright.core.lifecycle_launch import ATTEMPT
from nodewright.model.decision import Start
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE
from nodewright.model.metadata import Condition
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import NODE_CLAIMS, NODE_OVERLAYS, NODES, refer
from nodewright.ports.cloud import (
    Launched,
    LaunchFailed,
    LaunchFault,
    Machine,
    Unavailable,
)
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.mirror import Mirror

TYPE = a_type("m", cpu=4)
MACHINE = Machine(
    "aws:///zone-a/i-1", "running", "m", "zone-a", "spot", NOW_MS, {CLAIM_TAG: "claim"}
)
SPENT = LaunchFailed(LaunchFault.SPENT, "IdempotentParameterMismatch")


class OneCloud:
    """Ports of a cloud that answers launches as it is told and lists these machines."""

    def __init__(self, answers, machines=()):
        self.kube = self.cloud = self.clock = self
        self.mirror = Mirror()
        self.answers = list(answers)
        self.machines = machines
        self.requests = []
        self.patches = []

    def now_ms(self):
        return NOW_MS

    async def launch(self, request):
        self.requests.append(request)
        return self.answers.pop(0)

    async def list_machines(self):
        return self.machines

    async def instance_types(self, node_class):
        del node_class
        return (TYPE,)

    async def patch(self, ref, change, options):
        del ref, options
        self.patches.append(change)
        return Answer(Outcome.DONE, version="8")


def a_wish(age_ms=MINUTE_MS, **annotations):
    reference = NodeClassRef(group="karpenter.k8s.aws", kind="EC2NodeClass", name="default")
    wanted = (want(INSTANCE_TYPE, "In", "m"),)
    claim = with_spec(a_claim(age_ms=age_ms), node_class_ref=reference, requirements=wanted)
    return with_meta(claim, annotations=annotations)


def failed(claim):
    condition = Condition(type="Launched", status="Unknown", reason="RequestTimeout")
    return with_status(claim, conditions=(condition,))


def launch(ports, claim, controller=None):
    controller = controller or Lifecycle(ports, Memory(), Settings())
    start = Start(subject=refer(NODE_CLAIMS, claim), reason="Launch", claim=claim)
    return asyncio.run(controller.act(start)), controller


def test_types_that_overlays_correct_come_with_the_launch():
    overlay = an_overlay(price="0.01")
    cloud = OneCloud([Launched(MACHINE)])
    cloud.mirror.replace(NODE_OVERLAYS, [overlay], "1")
    launch(cloud, a_wish())
    [request] = cloud.requests

    assert {one.price for one in request.overlaid[0].offerings} == {10_000_000}
    assert not request.is_relaxed
    plain = OneCloud([Launched(MACHINE)])
    launch(plain, a_wish(**{"karpenter.sh/nodeclaim-min-values-relaxed": "true"}))
    assert plain.requests[0].overlaid == ()
    assert plain.requests[0].is_relaxed


def test_the_token_is_the_claim_and_its_attempt():
    ports = OneCloud([Launched(MACHINE), Launched(MACHINE)])
    launch(ports, a_wish())
    launch(ports, a_wish(**{ATTEMPT: "2"}))

    assert [one.token for one in ports.requests] == ["uid-claim-0", "uid-claim-2"]


def test_a_machine_whose_launch_was_not_answered_is_found_by_its_tag():
    ports = OneCloud([], (MACHINE,))
    answer, _ = launch(ports, failed(a_wish()))

    assert (answer.is_done, ports.requests) == (True, [])
    labels, status = ports.patches
    assert labels["metadata"]["labels"][CAPACITY_TYPE] == "spot"
    assert status["status"]["providerID"] == MACHINE.provider_id
    assert status["status"]["capacity"]["cpu"] == "4"


def test_machines_of_others_and_dead_ones_are_not_taken():
    other = msgspec.structs.replace(MACHINE, tags={CLAIM_TAG: "other"})
    dead = msgspec.structs.replace(MACHINE, state="terminated")
    ports = OneCloud([Launched(MACHINE)], (other, dead))
    launch(ports, failed(a_wish()))

    assert len(ports.requests) == 1


def test_nothing_is_asked_again_while_the_cloud_does_not_say_what_is_there():
    ports = OneCloud([], Unavailable("RequestLimitExceeded"))
    answer, _ = launch(ports, failed(a_wish()))

    assert (answer.outcome, ports.requests) == (Outcome.BUSY, [])


def test_a_spent_token_is_replaced_only_after_a_look_for_its_machine():
    ports, claim = OneCloud([SPENT, SPENT]), a_wish()
    first, controller = launch(ports, claim)
    assert (first.outcome, ports.patches) == (Outcome.BUSY, [])

    launch(ports, claim, controller)
    assert ports.patches == [{"metadata": {"annotations": {ATTEMPT: "1"}}}]


def test_a_spent_token_is_kept_while_its_machine_may_not_be_listed_yet():
    ports = OneCloud([SPENT])
    answer, _ = launch(ports, failed(a_wish(age_ms=5_000)))

    assert (answer.outcome, ports.patches) == (Outcome.BUSY, [])


def test_a_claim_that_names_no_types_may_be_any_that_is_on_sale():
    ports = OneCloud([Launched(MACHINE)])
    launch(ports, with_spec(a_wish(), requirements=()))

    assert ports.requests[0].instance_types == ("m",)


def register(promised_after, nominates=True):
    """Register a node on which one pod is expected; tell how often was waited before it was."""
    claim = a_claim(true=("Launched",))
    node, ports, memory = a_new_node(claim, name="n"), OneCloud([]), Memory()
    ports.mirror.replace(NODE_CLAIMS, [claim], "1")
    ports.mirror.replace(NODES, [node], "1")
    memory.expectations.create(claim, ["uid-p"], NOW_MS)
    memory.nominates = nominates
    waits = []

    async def sleep_ms(duration_ms):
        waits.append(duration_ms)
        if len(waits) == promised_after:
            memory.nominated["uid-p"] = "n"

    ports.sleep_ms = sleep_ms
    (step,) = decide_lives(a_world(claim, node))
    asyncio.run(Lifecycle(ports, memory, Settings()).act(step))
    assert len(ports.patches) == 1
    return waits


def test_a_node_opens_once_its_pods_are_promised_to_it():
    assert len(register(promised_after=3)) == 3


def test_a_node_does_not_wait_long_for_promises():
    assert sum(register(promised_after=None)) == 2_000


def test_without_promises_a_node_opens_at_once():
    assert register(promised_after=None, nominates=False) == []
