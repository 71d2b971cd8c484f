import asyncio
import time

import pytest

from nodewright.sim.loop import Stalled, VirtualLoop

START_MS = 1_000_000


@pytest.fixture
def loop():
    loop = VirtualLoop(START_MS)
    yield loop
    loop.close()


def test_a_year_passes_in_no_time(loop):
    begun = time.monotonic()
    loop.run_until_complete(loop.sleep_ms(365 * 24 * 3_600_000))

    assert loop.now_ms() == START_MS + 365 * 24 * 3_600_000
    assert time.monotonic() - begun < 5


def test_events_come_in_the_order_of_their_time(loop):
    seen = []
    for delay_ms in (30, 10, 20):
        loop.after_ms(delay_ms, lambda ms=delay_ms: seen.append((ms, loop.now_ms() - START_MS)))
    loop.run_until_complete(loop.sleep_ms(100))

    assert seen == [(10, 10), (20, 20), (30, 30)]


@pytest.mark.parametrize("looks", [(), (3, 5, 9), (10,)])
def test_of_events_at_one_instant_the_oldest_comes_first_whoever_looks_between(loop, looks):
    seen = []
    for look_ms in looks:
        loop.after_ms(look_ms, lambda: None)
    for number in range(40):
        loop.after_ms(10, seen.append, number)
    loop.run_until_complete(loop.sleep_ms(100))

    assert seen == list(range(40))


def test_what_is_cancelled_does_not_happen(loop):
    seen = []
    events = [loop.after_ms(10, seen.append, number) for number in range(500)]
    for event in events[1:]:
        event.cancel()
    loop.run_until_complete(loop.sleep_ms(100))

    assert seen == [0]
    assert events[1].cancelled()


def test_the_past_means_now(loop):
    seen = []
    loop.run_until_complete(loop.sleep_ms(50))
    loop.at_ms(START_MS, lambda: seen.append(loop.now_ms()))
    loop.run_until_complete(loop.sleep_ms(1))

    assert seen == [START_MS + 50]


def test_what_asks_for_a_thread_is_run_in_its_place(loop):
    async def ask():
        return await asyncio.to_thread(loop.now_ms)

    assert loop.run_until_complete(ask()) == START_MS


def test_a_world_in_which_nothing_can_happen_says_so(loop):
    with pytest.raises(Stalled):
        loop.run_until_complete(loop.create_future())


def test_an_error_in_an_event_ends_the_run(loop):
    loop.after_ms(5, lambda: 1 / 0)

    with pytest.raises(ZeroDivisionError):
        loop.run_until_complete(loop.sleep_ms(10))


def test_a_speed_makes_virtual_time_pass_as_real_time_does():
    loop = VirtualLoop(START_MS, speed=100.0)
    begun = time.monotonic()
    loop.run_until_complete(loop.sleep_ms(5_000))
    loop.close()

    assert 0.05 <= time.monotonic() - begun < 2
