"""A claim says that its machine is tagged only when it is."""

import asyncio

from builders import NOW_MS
from builders.lives import with_meta
from core.test_tagging import a_node_claim
from nodewright.controllers.ports import Memory, Settings
from nodewright.controllers.tagging import Tagging
from nodewright.model.classfacts import Trouble
from nodewright.model.resource import NODE_CLAIMS, NODE_CLASSES, WATCHED
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.mirror import Change, Mirror


class Account:
    """Ports of a cluster with one claim, and an account that tags."""

    def __init__(self, claim, trouble=None):
        self.clock = self.kube = self
        self.trouble = trouble
        self.tags = []
        self.changes = []
        self.mirror = Mirror()
        held = {NODE_CLAIMS: [claim], NODE_CLASSES: []}
        for resource in WATCHED:
            self.mirror.replace(resource, held.get(resource, []), "1")

    def now_ms(self):
        return NOW_MS

    async def tag(self, provider_id, tags):
        self.tags.append((provider_id, tags["Name"]))
        return self.trouble

    async def patch(self, _ref, change, _options):
        self.changes.append(change)
        return Answer(Outcome.DONE)


def acted(account):
    controller = Tagging(account, Memory(), Settings(), account)

    async def turn():
        assert await controller.gather()
        [decision] = controller.decide(controller.see())
        return await controller.act(decision)

    return asyncio.run(turn())


def test_the_machine_is_tagged_and_then_noted():
    account = Account(a_node_claim())

    assert acted(account).is_done
    assert account.tags == [("aws:///a/i-1", "ip-10-0-0-1")]
    assert len(account.changes) == 1


def test_trouble_is_tried_again_and_nothing_is_noted():
    account = Account(a_node_claim(), Trouble("Throttling", "slow down", is_passing=True))
    answer = acted(account)

    assert (answer.outcome, answer.message) == (Outcome.BUSY, "slow down")
    assert account.changes == []


def test_it_wakes_for_claims_that_became_nodes():
    done = with_meta(a_node_claim(), annotations={"karpenter.k8s.aws/tagged": "true"})
    controller = Tagging(Account(done), Memory(), Settings(), None)

    assert controller.hears(Change(NODE_CLAIMS, "claim", None, a_node_claim()))
    assert not controller.hears(Change(NODE_CLAIMS, "claim", None, done))
    assert not asyncio.run(controller.gather())
