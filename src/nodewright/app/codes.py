"""Every code's page: decisions from the table of words, findings from doctor's checks and from lint's."""

from typing import Final

from nodewright.doctor.registry import all_checks
from nodewright.lint.codes import CODES
from nodewright.model.wording import Language, Page, page, pages

_LINT: Final = "Run nodewright lint on the manifest; it names the line and, where it can, the fix."


def find_page(code: str, language: Language = "en") -> Page | None:
    """Give the page of a code, in English where no other language has it."""
    known = page(code, language)
    if known is not None:
        return known
    check = next((one for one in all_checks() if one.code == code), None)
    if check is not None:
        said = (check.title, check.why, check.answer)
        return Page(code, *(one.into(language) for one in said))
    finding = CODES.get(code)
    return None if finding is None else Page(code, finding.title, finding.why, _LINT)


def code_documents() -> dict[str, str]:
    """Write the pages of all decisions and their index as Markdown, by file name."""
    english = pages()
    korean = {one.code: one for one in pages("ko")}
    index = [
        "# Why pods stay behind, and why nodes stay or go",
        "",
        (
            "Every verdict about a pod (NW-1xxx) or a node (NW-4xxx) has one of these codes, which never "
            "change. `nodewright explain NW-nnnn` prints the page."
        ),
        "",
        "| code | what |",
        "| --- | --- |",
        *(f"| [{one.code}]({one.code}.md) | {one.title} |" for one in english),
    ]
    found = {"index.md": "\n".join(index) + "\n"}
    for one in english:
        other = korean[one.code]
        lines = [
            f"# {one.code}: {one.title}",
            *("", one.why),
            *("", f"**What to do.** {one.what}"),
            *("", f"## {other.title}"),
            *("", other.why),
            *("", f"**할 일.** {other.what}"),
        ]
        found[f"{one.code}.md"] = "\n".join(lines) + "\n"
    return found
