"""Pages as pure functions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.pages import page


@given(st.integers(0, 50), st.integers(1, 20))
def test_pages_put_together_are_the_whole(count, size):
    things = list(range(count))
    found, token = page(things, None, size)
    while token:
        some, token = page(things, token, size)
        found += some

    assert found == things


def test_a_token_of_nobodys_is_refused():
    with pytest.raises(AwsError, match="InvalidNextToken"):
        page([1, 2, 3], "nonsense", 2)
