"""Schedules: what is one, and how far apart its hits are."""

import pytest

from nodewright.lint.cron import MACROS, BadSchedule, longest_pause_minutes, parse_schedule

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
