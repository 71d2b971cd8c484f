"""Questions that are asked together."""

import asyncio

from builders.awsclients import Hurried
from nodewright.aws.batch import IDLE_MS, ITEMS_MAX, Batch
from nodewright.aws.gateway import Fault


class Paced(Hurried):
    """A clock that lets others run while it waits."""

    async def sleep_ms(self, duration_ms):
        await asyncio.sleep(0)
        await super().sleep_ms(duration_ms)


class Server:
    def __init__(self, fault=None):
        self.sent = []
        self.fault = fault

    async def send(self, keys):
        self.sent.append(keys)
        return self.fault or {key: key.upper() for key in keys if key != "gone"}


async def test_those_who_ask_at_once_are_one_call():
    server = Server()
    batch = Batch(Paced(), server.send)

    assert await asyncio.gather(*map(batch.ask, ["a", "b", "a", "gone"])) == ["A", "B", "A", None]
    assert server.sent == [("a", "b", "gone")]


async def test_who_asks_later_is_in_the_next_call():
    server, clock = Server(), Paced()
    batch = Batch(clock, server.send)
    await batch.ask("a")
    assert clock.slept == [IDLE_MS]
    await batch.ask("b")

    assert server.sent == [("a",), ("b",)]


async def test_a_full_batch_does_not_wait():
    server = Server()
    batch = Batch(Paced(), server.send)
    answers = await asyncio.gather(*(batch.ask(f"k{n}") for n in range(ITEMS_MAX + 1)))

    assert len(answers) == ITEMS_MAX + 1
    assert sorted(len(keys) for keys in server.sent) == [1, ITEMS_MAX]


async def test_a_fault_is_everybody_s():
    fault = Fault("RequestLimitExceeded")
    batch = Batch(Paced(), Server(fault).send)

    assert await asyncio.gather(batch.ask("a"), batch.ask("b")) == [fault, fault]
