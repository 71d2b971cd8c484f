"""Which machines are asked about, and what their answers are taken for."""

import pytest

from builders import NOW_MS
from core.test_perished import MACHINE, WHY, a_launched_claim
from nodewright.controllers.perished import Perished
from nodewright.controllers.ports import Memory, Settings
from nodewright.core.perished import LOOK_AFTER_MS
from nodewright.model.resource import NODE_CLAIMS, WATCHED
from nodewright.ports.cloud import Machine, Unavailable
from nodewright.state.mirror import Mirror


class Ports:
    """A cluster with these claims, and a cloud that gives one answer."""

    def __init__(self, answer, *claims):
        self.clock = self.cloud = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, claims if resource is NODE_CLAIMS else [], "1")
        self.answer = answer
        self.asked = []

    def now_ms(self):
        return NOW_MS

    async def describe(self, provider_id):
        self.asked.append(provider_id)
        return self.answer


def a_machine(state, because=""):
    place = ("m5.large", "us-west-2a", "spot")
    return Machine(MACHINE, state, *place, NOW_MS, ended_because=because)


@pytest.mark.parametrize(
    ("answer", "because"),
    [
        (a_machine("terminated", WHY), WHY),
        (a_machine("shutting-down", WHY), WHY),
        (None, "the cloud does not know it any more"),
    ],
)
async def test_a_machine_that_is_gone_is_known_with_the_cloud_s_words(answer, because):
    controller = Perished(Ports(answer, a_launched_claim()), Memory(), Settings())

    assert await controller.gather()
    [ended] = controller.see().beside.ended
    assert (ended.provider_id, ended.because) == (MACHINE, because)


@pytest.mark.parametrize("answer", [a_machine("running"), Unavailable("throttled")])
async def test_one_that_lives_or_is_not_known_for_a_moment_is_left_alone(answer):
    controller = Perished(Ports(answer, a_launched_claim()), Memory(), Settings())

    assert not await controller.gather()
    assert controller.next_look_ms() == LOOK_AFTER_MS


async def test_without_a_claim_that_waits_nobody_is_asked():
    ports = Ports(None, a_launched_claim(0))
    controller = Perished(ports, Memory(), Settings())

    assert not await controller.gather()
    assert ports.asked == []
