"""Expiration: age alone decides."""

import pytest

from builders import a_world
from builders.lives import MINUTE_MS, a_claim, ago, kinds_of, with_meta, with_spec
from nodewright.core.expiration import expire


def a_claim_aged(age_ms, expire_after):
    return with_spec(a_claim("c", age_ms=age_ms), expire_after=expire_after)


@pytest.mark.parametrize(
    ("age_ms", "expire_after", "goes"),
    [
        (10 * MINUTE_MS, "10m", True),
        (10 * MINUTE_MS - 1, "10m", False),
        (10**12, "Never", False),
        (10**12, "10 minutes", False),
    ],
)
def test_a_claim_goes_when_it_is_as_old_as_it_may_get(age_ms, expire_after, goes):
    found = kinds_of(expire(a_world(a_claim_aged(age_ms, expire_after))))

    assert found == ([("Delete", "c")] if goes else [])


def test_a_claim_that_goes_already_is_not_told_twice():
    claim = with_meta(a_claim_aged(MINUTE_MS, "1m"), deletion_timestamp=ago(0))

    assert list(expire(a_world(claim))) == []
