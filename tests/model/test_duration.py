import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.duration import (
    BadDuration,
    parse_duration,
    parse_duration_or_never,
    parse_go_duration,
    print_duration,
)

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("0s", 0),
        ("30s", 30_000),
        ("10m", 600_000),
        ("720h", 720 * HOUR),
        ("1h30m", HOUR * 3 // 2),
        ("60m", HOUR),
        ("1m1m", 120_000),
    ],
)
def test_a_field_takes_groups_of_hours_minutes_and_seconds(text, milliseconds):
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "10", "1d", "-5m", "+5m", "1.5h", "5 m", "h", "Never", "5ms"])
def test_a_field_takes_no_sign_no_fraction_no_days_and_no_other_word(text):
    with pytest.raises(BadDuration, match="is not a duration"):
        parse_duration(text)


def test_never_is_no_length():
    assert parse_duration_or_never("Never") is None
    assert parse_duration_or_never("1h") == HOUR
    with pytest.raises(BadDuration):
        parse_duration_or_never("never")


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("1.5h", HOUR * 3 // 2),
        ("-5m", -300_000),
        ("+5m", 300_000),
        ("300ms", 300),
        ("1h0.5s", HOUR + 500),
        (".5s", 500),
        ("1500us", 1),
        ("1500µs", 1),
        ("0", 0),
    ],
)
def test_an_annotation_takes_the_wider_grammar_of_go(text, milliseconds):
    assert parse_go_duration(text) == milliseconds


@pytest.mark.parametrize("text", ["", "-", "5", "1d", "abc", ".s", "1h ", "9" * 65 + "s"])
def test_what_go_would_not_read_is_refused(text):
    with pytest.raises(BadDuration):
        parse_go_duration(text)


def test_a_length_that_go_cannot_count_is_refused():
    with pytest.raises(BadDuration, match="longer than"):
        parse_duration("9999999h")


@given(st.integers(min_value=0, max_value=10**9))
def test_what_is_printed_reads_back(seconds):
    assert parse_duration(print_duration(seconds * 1000)) == seconds * 1000


@given(st.text(alphabet="0123456789.hmsnuµ+-", max_size=20) | st.text(max_size=20))
def test_any_text_is_read_or_refused(text):
    for read in (parse_go_duration, parse_duration):
        with contextlib.suppress(BadDuration):
            assert isinstance(read(text), int)
