"""Expiration sleeps until the next claim's time is over."""

import asyncio

from builders import NOW_MS
from builders.lives import MINUTE_MS, a_claim, with_meta, with_spec
from nodewright.controllers.expiration import Expiration
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.nodepool import NodeClassRef
from nodewright.model.resource import NODE_CLAIMS, WATCHED
from nodewright.state.mirror import Change, Mirror

SERVED = NodeClassRef("karpenter.k8s.aws", "EC2NodeClass", "default")


class Claims:
    """Ports of a cluster that has these claims."""

    def __init__(self, *claims):
        self.clock = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.mirror.replace(NODE_CLAIMS, claims, "1")

    def now_ms(self):
        return NOW_MS


def a_claim_with(name, age_ms, expire_after):
    claim = a_claim(name, age_ms=age_ms)
    return with_spec(claim, expire_after=expire_after, node_class_ref=SERVED)


def started(*claims):
    return Expiration(Claims(*claims), Memory(), Settings())


def test_it_looks_again_when_the_next_time_is_over():
    soon, late = a_claim_with("a", MINUTE_MS, "3m"), a_claim_with("b", MINUTE_MS, "720h")
    controller = started(soon, late)

    assert not asyncio.run(controller.gather())
    assert controller.next_look_ms() == 2 * MINUTE_MS


def test_a_time_that_is_over_is_looked_at_until_the_claim_goes():
    controller = started(a_claim_with("a", 10 * MINUTE_MS, "3m"))

    assert asyncio.run(controller.gather())
    assert controller.next_look_ms() == controller.pace.at_least_every_ms


def test_claims_that_live_for_ever_are_seldom_looked_at():
    controller = started(a_claim_with("a", MINUTE_MS, "Never"))

    assert not asyncio.run(controller.gather())
    assert controller.next_look_ms() > controller.pace.at_least_every_ms


def test_only_claims_that_are_new_or_may_live_shorter_wake_it():
    claim = a_claim_with("a", MINUTE_MS, "3m")
    controller = started(claim)
    written, shorter = with_meta(claim, resource_version="9"), with_spec(claim, expire_after="1m")

    assert controller.hears(Change(NODE_CLAIMS, "a", None, claim))
    assert controller.hears(Change(NODE_CLAIMS, "a", claim, shorter))
    assert not controller.hears(Change(NODE_CLAIMS, "a", claim, written))
    assert not controller.hears(Change(NODE_CLAIMS, "a", claim, None))
