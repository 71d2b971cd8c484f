"""Durations among the settings."""

import pytest

from nodewright.app.durations import read_duration
from nodewright.model.errors import UserError


def test_a_duration_is_read_as_go_writes_it():
    assert read_duration("--pause", "1m30s") == 90_000


@pytest.mark.parametrize("written", ["soon", "", "0s", "-1s"])
def test_what_is_no_duration_names_its_setting(written):
    with pytest.raises(UserError, match="--pause"):
        read_duration("--pause", written)
