"""How a command's page is laid out: its docstring, with paragraphs that fit the reader's screen.

A docstring is wrapped for the width of the source, a page for the width of a terminal. So the lines
of a paragraph are joined and left to the terminal to break. What is laid out on purpose stays:
examples (`$ nodewright …`), indented lines, lists, and the sections that describe parameters.
"""

from collections.abc import Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cyclopts import App


def lay_out(app: "App", tokens: Sequence[str]) -> None:
    """Refit the page of the command that the tokens name."""
    command = app
    for token in tokens:
        if token.startswith("-") or token not in command:
            break
        command = command[token]
    if command is not app:
        command.help = refit(command.help)


def refit(text: str) -> str:
    """Join the lines of every paragraph that is not laid out on purpose."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(
        part if _is_laid_out(part.splitlines()) else " ".join(part.split()) for part in paragraphs
    )


def _is_laid_out(lines: list[str]) -> bool:
    return any(line[:1] in ("$", " ", "-", "=", "*", ":") for line in lines)
