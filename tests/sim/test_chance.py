from hypothesis import given
from hypothesis import strategies as st

from nodewright.sim.chance import Chance


def test_a_stream_repeats_itself():
    def draw(seed):
        return [Chance(seed).stream("a").fraction() for _ in range(2)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_one_stream_does_not_disturb_another():
    alone, busy = Chance(1), Chance(1)
    for _ in range(100):
        busy.stream("other").fraction()

    assert alone.stream("mine").fraction() == busy.stream("mine").fraction()


@given(low=st.integers(-5, 5), size=st.integers(0, 10), seed=st.integers(0, 50))
def test_a_drawn_number_lies_in_its_range(low, size, seed):
    stream = Chance(seed).stream("x")

    assert all(low <= stream.integer(low, low + size) <= low + size for _ in range(20))


def test_what_never_happens_draws_nothing():
    one, other = Chance(1).stream("x"), Chance(1).stream("x")
    assert not one.happens(0.0)

    assert one.fraction() == other.fraction()
