import pytest

from nodewright.model.errors import UserError
from nodewright.trace.entry import Arrival, Scaling
from nodewright.trace.lines import read_lines, write_entry, write_head
from nodewright.trace.synthetic import DAY_MS, Wish, make_synthetic, name_synthetic


@pytest.mark.parametrize("name", name_synthetic())
def test_a_synthetic_workload_is_a_sound_trace_that_repeats_itself(name):
    made = list(make_synthetic(name, Wish(days=0.5, seed=3)).entries)
    again = list(make_synthetic(name, Wish(days=0.5, seed=3)).entries)
    written = [write_head(name), *map(write_entry, made)]

    assert made == again
    assert list(read_lines(written, name).entries) == made
    assert all(0 <= one.at_ms < DAY_MS / 2 for one in made)


def test_another_seed_is_another_workload_and_the_scale_says_how_much_there_is():
    def pods(**wish):
        entries = make_synthetic("ci-bursts", Wish(**wish)).entries
        return [one for one in entries if isinstance(one, Arrival)]

    assert pods(seed=1) != pods(seed=2)
    assert len(pods(scale=3.0)) > 2 * len(pods())


def test_services_breathe_with_the_day():
    entries = make_synthetic("diurnal-web", Wish()).entries
    sizes = [one.replicas for one in entries if isinstance(one, Scaling) and "web" in one.name]

    assert min(sizes) < 16
    assert max(sizes) > 56


def test_an_unknown_workload_is_told_which_ones_there_are():
    with pytest.raises(UserError) as told:
        make_synthetic("games", Wish())

    assert "diurnal-web" in told.value.advice
    with pytest.raises(UserError, match="scale"):
        make_synthetic("diurnal-web", Wish(scale=0))
