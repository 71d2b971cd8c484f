"""Wildcards in actions and ARNs."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.iam.globs import (
    matches,
    matches_arn,
    matches_resource,
    read_glob,
    spell,
)

PATTERNS = st.text(alphabet="ab:*?/", max_size=8)
TEXTS = st.text(alphabet="ab:/", max_size=8)


@given(PATTERNS, TEXTS)
def test_a_plain_pattern_is_the_shell_pattern_without_brackets(pattern, text):
    assert matches(read_glob(pattern), text) == fnmatch.fnmatchcase(text, pattern)


@given(PATTERNS, TEXTS)
def test_a_resource_pattern_crosses_a_colon_only_with_the_last_star_of_a_segment(pattern, text):
    if pattern == "*":
        assert matches_resource(read_glob(pattern), text)
        return
    inner = "".join(
        "[^:]" if char == "?" else "[^:]*" if char == "*" else re.escape(char) for char in pattern
    )
    reference = inner.replace("[^:]*:", ".*:")
    reference = reference.removesuffix("[^:]*") + ".*" if pattern.endswith("*") else reference

    assert matches_resource(read_glob(pattern), text) == bool(
        re.fullmatch(reference, text, re.DOTALL)
    )


@given(PATTERNS)
def test_reading_keeps_every_character(pattern):
    assert spell(read_glob(pattern)) == pattern


@given(TEXTS)
def test_a_text_without_wildcards_matches_itself_only(text):
    assert matches(read_glob(text), text)
    assert not matches(read_glob(text), text + "a")


@pytest.mark.parametrize(
    ("pattern", "arn", "fits"),
    [
        ("arn:aws:ec2:*:*:instance/*", "arn:aws:ec2:us-west-2:1:instance/i-1", True),
        ("arn:aws:ec2:us-west-2:1:instance/*", "arn:aws:ec2:us-west-2:1:volume/v", False),
        ("arn:aws:iam::1:role/a*", "arn:aws:iam::1:role/abc/def", True),
        ("arn:aws:iam::1:role/a?c", "arn:aws:iam::1:role/abc", True),
        ("arn:aws:iam::1:role/a?c", "arn:aws:iam::1:role/ac", False),
        ("arn:aws:logs:r:1:log-group:a*", "arn:aws:logs:r:1:log-group:ab:stream", True),
        ("arn:aws:logs:r:1:log-*p:x", "arn:aws:logs:r:1:log-grou:p:x", False),
        ("arn:aws:s3:::b", "arn:aws:s3:::B", False),
        ("*", "anything", True),
    ],
)
def test_resources_match_as_documented(pattern, arn, fits):
    assert matches_resource(read_glob(pattern), arn) is fits


@pytest.mark.parametrize(
    ("pattern", "arn", "fits"),
    [
        ("arn:aws:sns:*:1:t", "arn:aws:sns:us-west-2:1:t", True),
        # Each part is compared by itself, so a star does not swallow the account.
        ("arn:aws:sns:*:t", "arn:aws:sns:us-west-2:1:t", False),
        ("arn:aws:iam::*:role/x*", "arn:aws:iam::1:role/x:y", True),
        ("*", "arn:aws:iam::1:role/x", False),
        ("arn:aws:iam::1:role/x", "no-arn", False),
    ],
)
def test_arn_operators_compare_part_by_part(pattern, arn, fits):
    assert matches_arn(read_glob(pattern), arn) is fits


def test_case_counts_unless_it_is_told_not_to():
    assert not matches(read_glob("EC2:*"), "ec2:RunInstances")
    assert matches(read_glob("EC2:run*"), "ec2:RunInstances", ignore_case=True)
