"""Histories: one point a minute for a day, whatever happens in between."""

from msgspec.structs import replace

from nodewright.view.values import Head, Origin, PoolRow, View
from nodewright.web.histories import EVERY_MS, OTHER, POINTS_MAX, POOLS_MAX, Histories

NANO = 10**9
START_MS = 1_800_000_000_000


def a_view(at_ms, nodes=1, **prices):
    pools = tuple(PoolRow(name, price_nanousd_hour=price * NANO) for name, price in prices.items())
    return View(START_MS + at_ms, Origin("live"), Head(nodes=nodes, pods=10 * nodes), pools=pools)


def test_points_are_a_minute_apart_and_the_last_is_that_of_now():
    histories = Histories()
    for second in range(0, 150, 10):
        histories.note(a_view(second * 1000, nodes=second, general=2))

    cost, counts = histories.write()
    assert [one[14:19] for one in counts.at] == ["00:00", "01:00", "02:00", "02:20"]
    assert counts.nodes == (0, 60, 120, 140)
    assert cost.pools == {"general": (2.0, 2.0, 2.0, 2.0)}


def test_memory_is_bounded_to_a_day():
    histories = Histories()
    for minute in range(2 * POINTS_MAX):
        histories.note(a_view(minute * EVERY_MS))

    cost, counts = histories.write()
    assert len(counts.at) == len(cost.at) == POINTS_MAX


def test_a_pool_that_was_not_there_cost_nothing():
    histories = Histories()
    histories.note(a_view(0, old=1))
    histories.note(a_view(EVERY_MS, new=3))

    assert histories.write()[0].pools == {"new": (0.0, 3.0), "old": (1.0, 0.0)}


def test_the_cheapest_of_very_many_pools_are_one_line():
    histories = Histories()
    many = {f"pool-{number:03}": number for number in range(1, POOLS_MAX + 3)}
    histories.note(a_view(0, **many))

    found = histories.write()[0].pools
    assert len(found) == POOLS_MAX + 1
    assert found[OTHER] == (1.0 + 2.0,)


def test_the_same_instant_is_written_once():
    histories = Histories()
    view = a_view(0, general=1)
    histories.note(view)
    histories.note(replace(view, problems=("x",)))

    assert len(histories.write()[0].at) == 1


def test_a_cluster_that_was_not_seen_yet_has_no_point():
    histories = Histories()
    histories.note(replace(a_view(0, nodes=0), is_complete=False))
    histories.note(View(0, Origin("live")))

    assert histories.write()[0].at == ()
