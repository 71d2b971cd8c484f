"""Summaries: everything counts, and the latest make the quantiles."""

from hypothesis import given
from hypothesis import strategies as st

from nodewright.observe.family import Family
from nodewright.observe.quantiles import KEPT_MAX, Summary


def rows(summary):
    (metric,) = summary.collect()
    return {(one.name, one.labels.get("quantile", "")): one.value for one in metric.samples}


@given(st.lists(st.floats(min_value=0, max_value=1e6), min_size=1, max_size=50))
def test_the_ends_are_the_least_and_the_most(values):
    summary = Summary(Family("s", "."))
    for value in values:
        summary.observe(value)
    told = rows(summary)

    assert (told[("s", "0")], told[("s", "1")]) == (min(values), max(values))
    assert told[("s_count", "")] == len(values)
    assert min(values) <= told[("s", "0.5")] <= told[("s", "0.99")] <= max(values)


def test_the_oldest_are_forgotten_and_still_counted():
    summary = Summary(Family("s", "."))
    for value in [1000.0, *([1.0] * KEPT_MAX)]:
        summary.observe(value)

    assert rows(summary)[("s", "1")] == 1
    assert rows(summary)[("s_count", "")] == KEPT_MAX + 1
