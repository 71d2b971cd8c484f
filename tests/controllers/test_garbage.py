"""Garbage: what belongs to claims of older kinds is nobody's to take away."""

import asyncio

from builders import NOW_MS
from builders.legacy import an_object
from nodewright.controllers.garbage import Garbage
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.resource import MACHINES
from nodewright.ports.cloud import Machine
from nodewright.state.mirror import Mirror


class OldCloud:
    """Ports of a cloud with two machines, of which a Machine of old has one."""

    def __init__(self):
        self.cloud = self.clock = self
        self.mirror = Mirror()
        self.mirror.replace(
            MACHINES,
            [
                an_object(
                    "karpenter.sh/v1alpha5", "Machine", "m", status={"providerID": "aws:///old"}
                )
            ],
            "1",
        )

    def now_ms(self):
        return NOW_MS

    async def list_machines(self):
        return tuple(
            Machine(one, "running", "m5.large", "zone-a", "spot", NOW_MS - 60_000)
            for one in ("aws:///old", "aws:///lost")
        )


def test_a_machine_of_an_older_claim_is_no_orphan():
    controller = Garbage(OldCloud(), Memory(), Settings())
    asyncio.run(controller.gather())
    found = [one.provider_id for one in controller.decide(controller.see())]

    assert found == ["aws:///lost"]
