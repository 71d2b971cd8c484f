"""TOML that we write is what the standard library reads back."""

import datetime as dt
import tomllib

from hypothesis import given
from hypothesis import strategies as st

from nodewright.aws.userdata.toml import write_toml

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
PLAIN = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    TEXTS,
    st.floats(allow_nan=False),
    st.dates(),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_what_is_written_reads_back_the_same(document):
    assert tomllib.loads(write_toml(document)) == document


def test_tables_that_hold_only_tables_are_named_by_them():
    assert write_toml({"a": {"b": {"c": 1}}}) == "[a.b]\nc = 1\n"


def test_an_instant_is_written_as_one():
    document = {"at": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC)}

    assert tomllib.loads(write_toml(document)) == document
