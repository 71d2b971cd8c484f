"""A failure is a headline that stands alone, whatever the input put into it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodewright.cli.errors import EXIT_FAILED, EXIT_FINE, Boundary, word_failure
from nodewright.model.errors import UserError


def test_a_headline_stands_alone():
    assert word_failure(UserError("cpu is missing")) == "error[NW-9000]: cpu is missing"


def test_a_message_of_several_lines_becomes_one():
    assert word_failure(UserError("a\n  b\tc")) == "error[NW-9000]: a b c"


def test_text_from_a_file_cannot_steer_the_terminal():
    said = word_failure(UserError("value '\x1b[2J\x07' is bad"))

    assert said == "error[NW-9000]: value '\\x1b[2J\\x07' is bad"


@given(st.text(), st.text(), st.text())
def test_any_text_gives_at_most_three_printable_lines(message, where, advice):
    said = word_failure(UserError(message, where=where, advice=advice))

    lines = said.split("\n")
    assert len(lines) <= 3
    assert all(line.isprintable() for line in lines)


def test_a_file_without_permission_says_so():
    refused = PermissionError(13, "Permission denied", "secret.yaml")

    assert word_failure(refused) == (
        "error[NW-9002]: secret.yaml cannot be used: permission denied"
    )


@pytest.mark.parametrize(
    ("error", "status"),
    [(UserError("no"), EXIT_FAILED), (KeyboardInterrupt(), EXIT_FAILED), (OSError(), EXIT_FAILED)],
)
def test_the_boundary_turns_a_failure_into_a_status(error, status, capsys):
    boundary = Boundary()
    with boundary:
        raise error

    assert boundary.status == status
    assert capsys.readouterr().err


def test_the_boundary_lets_a_wish_to_leave_through():
    with pytest.raises(SystemExit), Boundary():
        raise SystemExit(1)


def test_the_boundary_keeps_quiet_when_all_is_well(capsys):
    boundary = Boundary()
    with boundary:
        pass

    assert boundary.status == EXIT_FINE
    assert capsys.readouterr() == ("", "")
