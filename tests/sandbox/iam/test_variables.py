"""Policy variables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.sandbox.iam.context import context
from nodewright.sandbox.iam.globs import matches, spell
from nodewright.sandbox.iam.variables import expand, is_well_formed, variable_keys

ADA = context({"aws:username": "ada", "aws:TagKeys": ("a", "b"), "aws:PrincipalTag/team": "x*"})


def test_a_variable_stands_for_the_value_of_its_key():
    assert spell(expand("home/${aws:username}/*", ADA)) == "home/ada/*"
    assert spell(expand("${AWS:UserName}", ADA)) == "ada"


def test_a_star_out_of_a_variable_is_a_plain_star():
    glob = expand("${aws:PrincipalTag/team}", ADA)

    assert matches(glob, "x*")
    assert not matches(glob, "xy")


@pytest.mark.parametrize("char", ["*", "?", "$"])
def test_special_characters_can_be_written_as_variables(char):
    glob = expand(f"a${{{char}}}b", ADA)

    assert matches(glob, f"a{char}b")
    assert not matches(glob, "axb")


def test_a_default_stands_in_for_a_missing_key():
    assert spell(expand("${aws:PrincipalTag/dept, 'all'}", ADA)) == "all"
    assert spell(expand("${aws:username, 'nobody'}", ADA)) == "ada"
    assert expand("${aws:PrincipalTag/dept, ''}", ADA) == ()


@pytest.mark.parametrize("key", ["aws:PrincipalTag/dept", "aws:TagKeys"])
def test_a_key_that_is_missing_or_has_several_values_matches_nothing(key):
    assert expand(f"x${{{key}}}", ADA) is None


def test_keys_with_a_default_are_not_missed():
    text = "${aws:username}${*}${a:b,'c'}${d:e}"

    assert list(variable_keys(text)) == ["aws:username", "d:e"]


@pytest.mark.parametrize("text", ["${aws:username", "a${", "${a:b, c}"])
def test_a_broken_variable_is_noticed(text):
    assert not is_well_formed(text)


@given(st.text(max_size=20).filter(lambda text: "$" not in text))
def test_text_without_variables_stays_as_it_is(text):
    assert spell(expand(text, ADA)) == text
