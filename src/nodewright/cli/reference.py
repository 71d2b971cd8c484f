"""The commands as pages of the documentation, written from what `--help` shows."""

from typing import Final

from nodewright.cli.main import COMMANDS, build_app

_INDEX: Final = "index.md"


def command_documents() -> dict[str, str]:
    """Give the pages by file name: one for each verb, and the list of all of them."""
    verbs = [command for command in COMMANDS if not command.name.startswith("-")]
    lines = [
        "# Commands",
        "",
        "Exit status: 0 fine, 1 done and something was found, 2 could not be done. `--debug` after any command shows the traceback of a failure.",
        "",
        "| command | what |",
        "| --- | --- |",
        *(f"| [`nodewright {one.name}`]({one.name}.md) | {one.line} |" for one in verbs),
    ]
    pages = {_INDEX: "\n".join(lines) + "\n"}
    for one in verbs:
        app = build_app(wanted=one.name)[one.name]
        written = app.generate_docs(usage_name=f"nodewright {one.name}")
        pages[f"{one.name}.md"] = _with_examples(written)
    return pages


def _with_examples(page: str) -> str:
    """Set lines that can be typed in blocks of their own, and leave out the table of contents."""
    lines: list[str] = []
    is_example = is_contents = False
    for line in page.rstrip().splitlines():
        if line.startswith("#"):
            is_contents = line.endswith("Table of Contents")
        if is_contents:
            continue
        if line.startswith("$ ") is not is_example and (line or not is_example):
            lines.append("```" if is_example else "```console")
            is_example = not is_example
            if not is_example:
                lines.append("")
        if line or not is_example:
            lines.append(line)
    if is_example:
        lines.append("```")
    return "\n".join(lines) + "\n"
