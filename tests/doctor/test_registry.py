"""Checks are found by their files, and chosen by code or section."""

import re

import pytest

from nodewright.doctor.registry import all_checks, choose
from nodewright.lint.codes import CODES
from nodewright.model.errors import UserError

HANGUL = re.compile("[가-힣]")


def test_every_code_has_one_check():
    codes = [one.code for one in all_checks()]

    assert codes == sorted(set(codes))


@pytest.mark.parametrize("check", all_checks(), ids=lambda one: one.code)
def test_every_check_speaks_both_languages(check):
    for text in (check.title, check.why, check.answer):
        assert text.en
        assert HANGUL.search(text.ko)
        assert not HANGUL.search(text.en)


@pytest.mark.parametrize("check", all_checks(), ids=lambda one: one.code)
def test_a_code_is_as_grave_for_doctor_as_for_lint(check):
    if check.code in CODES:
        assert check.severity == CODES[check.code].severity


def test_checks_are_chosen_by_code_and_by_section():
    by_code = choose(("nw-3025",))
    by_section = choose(("identity",))

    assert [one.code for one in by_code] == ["NW-3025"]
    assert {one.section for one in by_section} == {"identity"}
    assert by_code[0] in by_section


def test_a_word_that_names_no_check_is_refused_with_what_there_is():
    with pytest.raises(UserError, match="there is no check bananas") as caught:
        choose(("bananas",))

    assert "identity" in caught.value.advice
