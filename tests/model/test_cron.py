"""Schedules: what is one, and how far apart its hits are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.cron import (
    MACROS,
    BadSchedule,
    last_hit_ms,
    longest_pause_minutes,
    next_hit_ms,
    parse_schedule,
    read_zone,
)
from nodewright.model.instant import parse_instant

DAY = 24 * 60


@pytest.mark.parametrize(
    "text",
    ["* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 7", "a * * * *",
     "*/0 * * * *", "5-1 * * * *", "@often", "1,, * * * *", "99999999999 * * * *", ""],
)  # fmt: skip
def test_what_is_no_schedule_is_refused(text):
    with pytest.raises(BadSchedule):
        parse_schedule(text)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("* * * * *", 1),
        ("*/15 * * * *", 15),
        ("@hourly", 60),
        ("0 9 * * *", DAY),
        ("0 9,17 * * *", 16 * 60),
        ("0 9 * * mon-fri", 3 * DAY),
        ("@weekly", 7 * DAY),
        ("@monthly", 31 * DAY),
        ("0 0 29 2 *", (4 * 365 + 1) * DAY),
        ("0 0 30 2 *", None),
        ("0 0 1 * mon", 7 * DAY),
    ],
)
def test_the_longest_pause_is_known(text, minutes):
    assert longest_pause_minutes(parse_schedule(text)) == minutes


@pytest.mark.parametrize("macro", MACROS)
def test_every_macro_is_read(macro):
    assert longest_pause_minutes(parse_schedule(macro))


def at(text):
    return parse_instant(text)


@pytest.mark.parametrize(
    ("text", "zone", "now", "last", "following"),
    [
        ("0 9 * * *", None, "2026-11-15T09:00:00Z", "2026-11-15T09:00:00Z", "2026-11-16T09:00:00Z"),
        ("0 9 * * *", None, "2026-11-15T08:59:59Z", "2026-11-14T09:00:00Z", "2026-11-15T09:00:00Z"),
        ("0 22 * * fri", None, "2026-11-15T03:00:00Z", "2026-11-13T22:00:00Z",
         "2026-11-20T22:00:00Z"),
        ("0 9 * * *", "Asia/Seoul", "2026-11-15T09:00:00Z", "2026-11-15T00:00:00Z",
         "2026-11-16T00:00:00Z"),
        ("30 2 * * *", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-25T00:30:00Z",
         "2026-10-26T01:30:00Z"),
        ("0 0 29 2 *", None, "2026-11-15T00:00:00Z", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"),
    ],
)  # fmt: skip
def test_hits_are_found_before_and_after_an_instant(text, zone, now, last, following):
    schedule, where = parse_schedule(text), read_zone(zone)

    assert last_hit_ms(schedule, at(now), where) == at(last)
    assert next_hit_ms(schedule, at(now), where) == at(following)


def test_a_day_that_never_comes_is_never_hit():
    schedule = parse_schedule("0 0 31 2 *")

    assert last_hit_ms(schedule, at("2026-11-15T00:00:00Z")) is None
    assert next_hit_ms(schedule, at("2026-11-15T00:00:00Z")) is None


def test_an_unknown_time_zone_is_refused():
    with pytest.raises(BadSchedule, match="Mars"):
        read_zone("Mars/Olympus")


@given(st.integers(min_value=0, max_value=4_000_000_000_000), st.sampled_from(sorted(MACROS)))
def test_no_hit_lies_between_the_last_and_the_next(now_ms, macro):
    schedule = parse_schedule(macro)
    last, following = last_hit_ms(schedule, now_ms), next_hit_ms(schedule, now_ms)

    assert last <= now_ms < following
    assert last_hit_ms(schedule, following - 1) == last
    assert next_hit_ms(schedule, last) == following


@pytest.mark.parametrize(
    ("text", "after", "hit"),
    [
        ("*/15 * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:15:00Z"),
        ("0 9 * * 1-5", "2026-01-02T09:00:00Z", "2026-01-05T09:00:00Z"),
        ("@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
        ("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
        ("0 0 13 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z"),
        ("10-20/5 * * * *", "2026-01-01T00:12:00Z", "2026-01-01T00:15:00Z"),
    ],
)
def test_the_next_hit_is_the_one_that_the_fields_say(text, after, hit):
    assert next_hit_ms(parse_schedule(text), parse_instant(after)) == parse_instant(hit)


@given(minute=st.integers(0, 59), hour=st.integers(0, 23), now_s=st.integers(0, 2 * 10**9))
def test_a_daily_schedule_hits_within_a_day(minute, hour, now_s):
    hit = next_hit_ms(parse_schedule(f"{minute} {hour} * * *"), now_s * 1000)

    assert 0 < hit - now_s * 1000 <= DAY * 60_000
    assert hit // 60_000 % DAY == hour * 60 + minute
