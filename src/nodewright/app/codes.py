"""Every code's page: decisions, refusals of an installation and of doctor, findings of doctor's checks and of lint."""

from typing import Final

from nodewright.doctor.codes import PAGES as EXAMINING
from nodewright.doctor.registry import all_checks
from nodewright.install.codes import PAGES as INSTALLING
from nodewright.lint.codes import CODES
from nodewright.model.wording import Language, Page, page, pages

_REFUSALS: Final = {**INSTALLING, **EXAMINING}
_LINT: Final = "Run nodewright lint on the manifest; it names the line and, where it can, the fix."


def find_page(code: str, language: Language = "en") -> Page | None:
    """Give the page of a code, in English where no other language has it."""
    known = page(code, language)
    if known is not None:
        return known
    if code in _REFUSALS:
        return _REFUSALS[code][language == "ko"]
    finding = CODES.get(code)
    check = next((one for one in all_checks() if one.code == code), None)
    if check is not None:
        # What a manifest can have is named as lint names it; else by what is checked.
        if finding is not None and language == "en":
            return Page(code, finding.title, finding.why, check.answer.en)
        said = (check.title, check.why, check.answer)
        return Page(code, *(one.into(language) for one in said))
    return None if finding is None else Page(code, finding.title, finding.why, _LINT)


def code_documents() -> dict[str, str]:
    """Write the pages of decisions and refusals and their index as Markdown, by file name."""
    english = (*pages(), *(one for one, _ in _REFUSALS.values()))
    korean = {one.code: one for one in (*pages("ko"), *(one for _, one in _REFUSALS.values()))}
    index = [
        "# Why pods stay behind, why nodes stay or go, and why a command stops",
        "",
        (
            "Every verdict about a pod (NW-1xxx) or a node (NW-4xxx) and every refusal of `install` "
            "and `doctor` (NW-97xx) has one of these codes, which never change. `nodewright explain NW-nnnn` prints the page."
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
