"""Every code's page: scheduling verdicts from the table of words, findings from lint's table."""

from typing import Final

from nodewright.lint.codes import CODES
from nodewright.model.wording import Language, Page, page, pages

_LINT: Final = "Run nodewright lint on the manifest; it names the line and, where it can, the fix."


def find_page(code: str, language: Language = "en") -> Page | None:
    """Give the page of a code, in English where no other language has it."""
    known = page(code, language)
    if known is not None:
        return known
    finding = CODES.get(code)
    return None if finding is None else Page(code, finding.title, finding.why, _LINT)


def all_pages() -> tuple[Page, ...]:
    """Give every page in English, by code."""
    found = {one.code: one for one in pages()}
    found |= {code: Page(code, one.title, one.why, _LINT) for code, one in CODES.items()}
    return tuple(found[code] for code in sorted(found))
