"""A page fits the reader's screen, and what was laid out on purpose stays so."""

from nodewright.cli.main import run
from nodewright.cli.pages import refit


def test_a_paragraph_is_one_line():
    assert refit("First.\n\n    One\n    two.\n") == "First.\n\nOne two."


def test_examples_keep_their_lines():
    text = "First.\n\n$ nodewright plan a.json\n$ nodewright plan b.json"

    assert refit(text) == text


def test_lists_sections_and_indented_lines_stay():
    text = "First.\n\n- one\n- two\n\nParameters\n----------\nx\n    What."

    assert refit(text) == text


def test_the_page_of_a_verb_in_a_group_is_laid_out_too(capsys):
    assert run(["sandbox", "up", "--help"]) == 0

    assert "$ nodewright sandbox up" in capsys.readouterr().out
