"""The page of the documentation that lists every finding."""

from typing import Final

from nodewright.lint.codes import CODES

_HEAD: Final = """\
# Every finding of `lint`

Codes never change their meaning. `NW-20…` and `NW-21…` are findings that only a manifest can have; `NW-30nn` is shared with `doctor` and
with the conditions on resources. Severity is that of the usual case; a milder case of the same code may be a warning or a note.

| code | severity | what | why it matters |
| --- | --- | --- | --- |
"""


def findings_page() -> str:
    """Write the page."""
    rows = (
        f"| {one.code} | {one.severity} | {one.title} | {one.why} |\n" for one in CODES.values()
    )
    return _HEAD + "".join(rows)
