"""YAML that reads back as what was written, with comments where they belong."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from nodewright.convert.yamltext import write_yaml
from nodewright.state.manifests import read_manifests

texts = st.text(max_size=12) | st.sampled_from(
    ["yes", "1", "1e3", "0x1", "2024-01-01", "~", "", " a", "a ", "a\n", "a\nb\n\n", "- x", "#", "a: b",
     "30Gi", "720h", "10%", "@x", "null", "\u2028", "\x85", "é", "😀", "/dev/xvda", "1.5", ".5", "=", "!"]
)  # fmt: skip
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=10,
)


def read(text):
    return yaml.load(text, Loader=yaml.CSafeLoader)


@given(st.dictionaries(st.sampled_from("abcd"), values, min_size=1))
def test_what_is_written_reads_back(value):
    text = write_yaml(value, {})

    assert read(text) == value


@given(st.dictionaries(st.sampled_from("abcd"), values, min_size=1), st.lists(st.text(max_size=80)))
def test_comments_change_nothing(value, words):
    assert read(write_yaml(value, {("a",): words, ("b", 0): words}, words)) == value


def test_our_own_reader_agrees():
    value = {"a": {"b": ["y", "x", {"c": "line\nline\n"}], "d": {}, "e": [], "f": "on"}}

    assert read_manifests(write_yaml(value, {}).encode(), "x")[0].raw == value


def test_a_comment_stands_over_its_field_or_what_is_around_it():
    value = {"spec": {"list": [{"key": "a"}, {"key": "b"}], "x": 1}}
    comments = {
        ("spec", "list", 1): ["second"],
        ("spec", "list", 0, "key"): ["first"],
        ("spec", "x", "deep"): ["near"],
    }

    assert write_yaml(value, comments, ["head"]) == (
        "# head\n"
        "spec:\n"
        "  list:\n"
        "    # first\n"
        "    - key: a\n"
        "    # second\n"
        "    - key: b\n"
        "  # near\n"
        "  x: 1\n"
    )


def test_long_comments_are_folded():
    text = write_yaml({"a": 1}, {("a",): ["word " * 40]})

    assert all(len(line) <= 98 for line in text.splitlines())
