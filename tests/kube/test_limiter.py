"""The limit holds, and the urgent go first."""

import asyncio

from nodewright.kube.limiter import Limiter
from nodewright.ports.kube import Urgency


async def test_a_burst_is_free_and_the_rest_is_paced(clock):
    limiter = Limiter(clock, qps=100, burst=10)
    start = clock.ticks
    for _ in range(10):
        await limiter.acquire()
    burst_ms = clock.ticks - start
    for _ in range(20):
        await limiter.acquire()

    assert burst_ms == 0
    assert clock.ticks - start == 200


async def test_an_interruption_overtakes_all_that_wait(clock):
    limiter = Limiter(clock, qps=10, burst=1)
    await limiter.acquire()
    order = []

    async def wait(name, urgency):
        await limiter.acquire(urgency)
        order.append(name)

    waiters = [
        asyncio.create_task(wait("events", Urgency.BACKGROUND)),
        asyncio.create_task(wait("first", Urgency.ORDINARY)),
        asyncio.create_task(wait("second", Urgency.ORDINARY)),
        asyncio.create_task(wait("interruption", Urgency.INTERRUPTION)),
    ]
    await asyncio.gather(*waiters)

    assert order == ["interruption", "first", "second", "events"]


async def test_who_gives_up_takes_no_permission(clock):
    limiter = Limiter(clock, qps=10, burst=1)
    await limiter.acquire()
    patient = asyncio.create_task(limiter.acquire())
    hasty = asyncio.create_task(limiter.acquire(Urgency.INTERRUPTION))
    await asyncio.sleep(0)
    hasty.cancel()
    start = clock.ticks
    await patient

    assert clock.ticks - start <= 100
    assert limiter.waiting_count == 0


async def test_idle_time_fills_the_bucket_no_further_than_the_burst(clock):
    limiter = Limiter(clock, qps=100, burst=5)
    clock.ticks += 60_000
    start = clock.ticks
    for _ in range(6):
        await limiter.acquire()

    assert clock.ticks - start == 10
