"""Filters as pure functions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.aws.call import AwsError
from nodewright.sandbox.aws.filters import path, select

LOOKS = {"name": path("Name"), "deep": path("A", "B"), "flag": path("Flag")}
THINGS = [
    {"Name": "alpha", "A": {"B": 1}, "Flag": True, "Tags": [{"Key": "k", "Value": "v*"}]},
    {"Name": "beta", "Flag": False, "Tags": []},
]


def names(*filters):
    asked = [{"Name": name, "Values": values} for name, values in filters]
    return [one["Name"] for one in select(THINGS, asked, LOOKS)]


def test_no_filter_lets_everything_pass():
    assert names() == ["alpha", "beta"]


def test_a_star_and_a_question_mark_stand_for_anything():
    assert names(("name", ["*a"])) == ["alpha", "beta"]
    assert names(("name", ["b?ta"])) == ["beta"]


def test_a_backslash_takes_the_meaning_away():
    assert names(("tag:k", ["v\\*"])) == ["alpha"]
    assert names(("tag:k", ["x\\*"])) == []


def test_numbers_and_truths_are_words():
    assert names(("deep", ["1"])) == ["alpha"]
    assert names(("flag", ["false"])) == ["beta"]


def test_an_unknown_name_is_refused():
    with pytest.raises(AwsError, match="The filter 'colour' is invalid"):
        names(("colour", ["x"]))


@given(st.text(alphabet="ab.+(*?[", max_size=8), st.text(alphabet="ab.+(*?[", max_size=8))
def test_a_text_without_wildcards_matches_itself_only(pattern, value):
    escaped = "".join(f"\\{one}" if one in "*?" else one for one in pattern)
    found = select([{"Name": value}], [{"Name": "name", "Values": [escaped]}], LOOKS)

    assert bool(found) == (pattern == value)
