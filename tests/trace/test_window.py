from nodewright.trace.entry import Arrival, Scaling, Size, Thing, Trace
from nodewright.trace.window import cut

SIZE = Size({"cpu": "1"})


def part(entries, start_ms, length_ms=None):
    return list(cut(Trace("t", iter(entries)), start_ms, length_ms).entries)


def test_what_is_still_going_on_comes_at_the_start():
    entries = [
        Thing(0, {"kind": "X"}),
        Scaling(0, "a/w", 2, SIZE),
        Scaling(0, "a/gone", 2, SIZE),
        Arrival(1, "a/over", SIZE, lasts_ms=5),
        Arrival(2, "a/runs", SIZE, lasts_ms=100),
        Arrival(3, "a/until", SIZE, until_ms=60),
        Arrival(4, "a/stays", SIZE),
        Scaling(5, "a/w", 7),
        Scaling(6, "a/gone", None),
        Arrival(50, "a/late", SIZE, until_ms=90),
    ]

    assert part(entries, 40) == [
        Thing(0, {"kind": "X"}),
        Scaling(0, "a/w", 7, SIZE),
        Arrival(0, "a/stays", SIZE),
        Arrival(0, "a/runs", SIZE, lasts_ms=62),
        Arrival(0, "a/until", SIZE, until_ms=20),
        Arrival(10, "a/late", SIZE, until_ms=50),
    ]


def test_a_part_ends_where_it_is_told_to():
    entries = [Arrival(at, "a/p", SIZE) for at in (0, 10, 20, 30)]

    assert [one.at_ms for one in part(entries, 0, 20)] == [0, 10]
    assert cut(Trace("t", iter(()), 50), 20, 100).length_ms == 30
