"""Those who listen: bounded in number, and let go when they do not keep up."""

from nodewright.web.hub import QUEUE_MAX, Hub


async def test_everybody_is_told_the_same():
    hub = Hub()
    listeners = [hub.join(), hub.join()]

    hub.tell(b"news")

    assert [await one.next() for one in listeners] == [b"news", b"news"]


async def test_no_more_listen_than_may():
    hub = Hub(most=2)
    first, second, third = hub.join(), hub.join(), hub.join()

    assert third is None
    hub.leave(first)
    assert hub.join() is not None
    assert second is not None


async def test_whoever_takes_nothing_is_let_go_and_costs_nothing_more():
    hub = Hub()
    sleeping, awake = hub.join(), hub.join()

    for number in range(3 * QUEUE_MAX):
        hub.tell(str(number).encode())
        await awake.next()

    assert sleeping.is_over
    assert await sleeping.next() is None
    assert (hub.count, hub.dropped_count) == (1, 1)


async def test_at_the_end_everybody_is_let_go():
    hub = Hub()
    one = hub.join()

    hub.close()

    assert await one.next() is None
    assert hub.count == 0
