"""The page of findings says what the table says."""

from pathlib import Path

from nodewright.lint.codes import CODES
from nodewright.lint.page import findings_page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "findings.md"


def test_the_committed_page_is_up_to_date():
    assert PAGE.read_text() == findings_page()


def test_every_code_has_a_row():
    assert all(f"| {code} |" in findings_page() for code in CODES)
