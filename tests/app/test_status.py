"""The status is written when it has changed, and trouble with it is said once."""

import asyncio

import yaml

from nodewright.app.status import NAME, keep_status
from nodewright.ports.kube import Answer, Outcome


class Ports:
    """A cluster that takes or refuses, and time that passes at once, three times."""

    def __init__(self, *outcomes):
        self.kube = self.clock = self
        self.applied = []
        self._outcomes = list(outcomes)
        self._turns = 0

    async def apply(self, ref, wanted):
        self.applied.append((ref.path, wanted["data"]["status"]))
        return Answer(self._outcomes.pop(0) if self._outcomes else Outcome.DONE, "no")

    async def sleep_ms(self, _):
        self._turns += 1
        if self._turns == 3:
            raise asyncio.CancelledError


async def written(ports, *documents):
    turns = iter(documents)
    try:
        await keep_status(ports, "own", lambda: next(turns))
    except asyncio.CancelledError:
        return [yaml.safe_load(text) for _, text in ports.applied]
    raise AssertionError("it ended by itself")


async def test_it_is_written_when_it_has_changed():
    ports = Ports()

    assert await written(ports, {"nodes": 1}, {"nodes": 1}, {"nodes": 2}) == [
        {"nodes": 1},
        {"nodes": 2},
    ]
    assert ports.applied[0][0] == f"/api/v1/namespaces/own/configmaps/{NAME}"


async def test_what_was_refused_is_tried_again_and_said_once(caplog):
    ports = Ports(Outcome.FORBIDDEN, Outcome.FORBIDDEN)

    assert len(await written(ports, *[{"nodes": 1}] * 3)) == 3
    assert len(caplog.messages) == 1


async def test_nothing_is_written_while_the_cluster_is_not_known():
    assert await written(Ports(), None, None, None) == []
