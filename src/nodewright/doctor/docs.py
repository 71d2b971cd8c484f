"""The pages of the documentation, made from the checks: one for each, and a table of all."""

from typing import Any, Final

from nodewright.doctor.calls import looking_actions
from nodewright.doctor.check import SECTION_NAMES, Check
from nodewright.doctor.registry import all_checks

_HEAD: Final = """\
# Every check of `doctor`

Codes never change their meaning, and `lint`, `doctor` and the conditions on resources share them. **Mends** says whether
`nodewright doctor --fix CODE` has one right answer; where it has none, a person must choose, and the report prints the commands.

| code | section | severity | checks that | mends |
| --- | --- | --- | --- | --- |
"""
_ACTIONS: Final = """
## What it may look at

A run that changes nothing needs these actions. What is not allowed is reported as unknown, never as fine.

```text
{actions}
```
"""


def doctor_documents() -> dict[str, str]:
    """Write the page of every check and their index as Markdown, by file name."""
    checks = all_checks()
    rows = [_row(one) for one in checks]
    actions = _ACTIONS.format(actions="\n".join(looking_actions()))
    return {
        "index.md": _HEAD + "".join(rows) + actions,
        **{f"{one.code}.md": _page(one) for one in checks},
    }


def _row(one: Check[Any]) -> str:
    mends = "yes" if one.is_fixable else "no: choose"
    section = SECTION_NAMES[one.section].en
    link = f"[{one.code}]({one.code}.md)"
    return f"| {link} | {section} | {one.severity} | {one.title.en} | {mends} |\n"


def _page(one: Check[Any]) -> str:
    mends = f"`nodewright doctor --fix {one.code}`" if one.is_fixable else "No single right answer"
    korean = f"`nodewright doctor --fix {one.code}`" if one.is_fixable else "정답이 하나가 아님"
    lines = [
        f"# {one.code}: {one.title.en}",
        *("", f"Section {SECTION_NAMES[one.section].en}, severity {one.severity}."),
        *("", one.why.en),
        *("", f"**What to do.** {one.answer.en} ({mends}.)"),
        *("", f"Only this check: `nodewright doctor {one.code}`."),
        *("", f"## {one.title.ko}"),
        *("", one.why.ko),
        *("", f"**할 일.** {one.answer.ko} ({korean}.)"),
    ]
    return "\n".join(lines) + "\n"
