"""Termination looks once more at what the cluster holds before a machine is ended for good."""

import asyncio

import pytest

from builders import NOW_MS, a_node, a_pod
from builders.lives import a_claim, ago, with_meta, with_status
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.termination import Termination
from nodewright.model.decision import End
from nodewright.model.resource import NODE_CLAIMS, NODES, refer
from nodewright.ports.cloud import Ended
from nodewright.ports.kube import Answer, Outcome

NODE = refer(NODES, a_node("n"))
END = End(subject=refer(NODE_CLAIMS, a_claim("c")), reason="Terminate", provider_id="id", node=NODE)
POD = a_pod("p", node="n")
UNREACHABLE = Answer(Outcome.UNREACHABLE, "status 500")


class Ports:
    """A cluster in which these pods are on every node, and a cloud that ends what it is asked to."""

    def __init__(self, pods):
        self.kube = self.cloud = self.clock = self
        self.pods = pods
        self.ended = []

    def now_ms(self):
        return NOW_MS

    async def list_pods(self, node):
        assert node == "n"
        return self.pods

    async def terminate(self, provider_id):
        self.ended.append(provider_id)
        return Ended.ACCEPTED


@pytest.mark.parametrize(
    ("pods", "outcome"),
    [
        ((), Outcome.DONE),
        ((with_status(POD, phase="Succeeded"),), Outcome.DONE),
        ((with_meta(POD, deletion_timestamp=ago(120_000)),), Outcome.DONE),
        ((POD,), Outcome.CONFLICT),
        (UNREACHABLE, Outcome.UNREACHABLE),
    ],
)
def test_a_machine_is_ended_only_if_its_node_is_empty_at_that_instant(pods, outcome):
    ports = Ports(pods)
    answer = asyncio.run(Termination(ports, Memory(), Settings()).act(END))

    assert answer.outcome is outcome
    assert ports.ended == (["id"] if outcome is Outcome.DONE else [])


def test_a_pod_that_has_just_come_is_named():
    answer = asyncio.run(Termination(Ports((POD,)), Memory(), Settings()).act(END))

    assert answer.message == "pod default/p has just come to n"
