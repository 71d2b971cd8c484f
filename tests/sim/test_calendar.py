from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.model.errors import UserError
from nodewright.sim.calendar import Schedule


def ms(text):
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("schedule", "after", "hit"),
    [
        ("*/15 * * * *", "2026-01-01T00:00:00", "2026-01-01T00:15:00"),
        ("0 9 * * 1-5", "2026-01-02T09:00:00", "2026-01-05T09:00:00"),
        ("@daily", "2026-01-01T00:00:00", "2026-01-02T00:00:00"),
        ("0 0 29 2 *", "2026-01-01T00:00:00", "2028-02-29T00:00:00"),
        ("0 0 13 * 5", "2026-01-03T00:00:00", "2026-01-09T00:00:00"),
        ("5 4 * * 7", "2026-01-01T00:00:00", "2026-01-04T04:05:00"),
        ("10-20/5 * * * *", "2026-01-01T00:12:00", "2026-01-01T00:15:00"),
    ],
)
def test_the_next_hit_is_the_one_that_the_fields_say(schedule, after, hit):
    assert Schedule(schedule).next_after_ms(ms(after)) == ms(hit)


@pytest.mark.parametrize(
    "bad", ["", "* * * *", "60 * * * *", "a * * * *", "* * 0 * *", "5-1 * * * *"]
)
def test_what_is_no_schedule_is_refused(bad):
    with pytest.raises(UserError):
        Schedule(bad)


@given(minute=st.integers(0, 59), hour=st.integers(0, 23), now=st.integers(0, 2 * 10**9))
def test_a_daily_schedule_hits_within_a_day(minute, hour, now):
    hit = Schedule(f"{minute} {hour} * * *").next_after_ms(now * 1000)
    moment = datetime.fromtimestamp(hit / 1000, UTC)

    assert 0 < hit - now * 1000 <= 24 * 3_600_000
    assert (moment.hour, moment.minute, moment.second) == (hour, minute, 0)
