"""A shell script read as far as a boot needs it: which commands run, with which words.

Quotes, continued lines, comments, here-documents and variables that the script itself sets are
understood; what a command prints is not known here, so `$(…)` and unknown variables stand for
nothing. The shell reads as it goes: commands before a mistake of syntax have run already, so they
are given before the mistake is raised. Branches count as taken.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.sandbox.kubelet.boot import BootError

_SEPARATORS: Final = ";&|\n(){}"
_OPENERS: Final = {"if": "fi", "case": "esac", "for": "done", "while": "done", "until": "done"}
_CLOSERS: Final = frozenset(_OPENERS.values())
_LEADERS_NAMES: Final = (
    "then else elif do sudo exec time export local readonly declare ! nohup command"
)
_LEADERS: Final = frozenset(_LEADERS_NAMES.split())
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_VARIABLE: Final = re.compile(r"\{([A-Za-z_]\w*)[^}]*\}|([A-Za-z_]\w*)")
_HEREDOC: Final = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")


class Command(msgspec.Struct, frozen=True):
    """One command and the line on which it stands."""

    words: tuple[str, ...]
    line: int


def read_commands(script: str) -> Iterator[Command]:
    """Give the commands of a script in their order, then raise what the shell cannot read."""
    reader = _Reader(script.replace("\r\n", "\n"))
    variables = reader.variables
    open_blocks: list[str] = []
    for command in reader.simple_commands():
        words = list(command.words)
        while words:
            word = words[0]
            found = _ASSIGNMENT.fullmatch(word)
            if word in _OPENERS:
                open_blocks.append(_OPENERS[word])
            elif word in _CLOSERS:
                if not open_blocks or open_blocks.pop() != word:
                    raise BootError(
                        f"line {command.line}: syntax error near unexpected token `{word}'"
                    )
            elif found:
                variables[found[1]] = found[2]
            elif word not in _LEADERS:
                break
            words.pop(0)
        if words:
            yield Command(tuple(words), command.line)
    if open_blocks:
        raise BootError(f"line {reader.line}: syntax error: unexpected end of file")


class _Reader:
    """Cuts a script into words, one at a time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.line = 1
        self.variables: dict[str, str] = {}
        self._heredocs: list[str] = []

    def simple_commands(self) -> Iterator[Command]:
        words: list[str] = []
        line = self.line
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "#":
                self._skip_line()
            elif char in " \t" or self._text.startswith("\\\n", self._at):
                self._skip(2 if char == "\\" else 1)
            elif found := _HEREDOC.match(self._text, self._at):
                self._heredocs.append(found[2])
                self._skip(len(found[0]))
            elif char in _SEPARATORS:
                if words:
                    yield Command(tuple(words), line)
                words = []
                self._skip(1)
                if char == "\n":
                    self._skip_heredocs()
                line = self.line
            else:
                line = line if words else self.line
                words.append(self._word())
        if words:
            yield Command(tuple(words), line)

    def _word(self) -> str:
        parts: list[str] = []
        while self._at < len(self._text):
            char = self._text[self._at]
            if char in " \t" or char in _SEPARATORS:
                break
            if char == "\\":
                escaped = self._text[self._at + 1 : self._at + 2]
                parts.append("" if escaped == "\n" else escaped)
                self._skip(2)
            elif char == "'":
                parts.append(self._single())
            elif char == '"':
                parts.append(self._double())
            elif char in "$`":
                parts.append(self._expansion())
            else:
                parts.append(char)
                self._skip(1)
        return "".join(parts)

    def _single(self) -> str:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            raise self._unclosed("'")
        inner = self._text[self._at + 1 : end]
        self._skip(len(inner) + 2)
        return inner

    def _double(self) -> str:
        parts: list[str] = []
        opened = self.line
        self._skip(1)
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == '"':
                self._skip(1)
                return "".join(parts)
            if char == "\\" and self._text[self._at + 1 : self._at + 2] in tuple('$`"\\\n'):
                parts.append(self._text[self._at + 1].replace("\n", ""))
                self._skip(2)
            elif char in "$`":
                parts.append(self._expansion())
            else:
                parts.append(char)
                self._skip(1)
        raise self._unclosed('"', opened)

    def _expansion(self) -> str:
        """Step over `$name`, `${name}`, `$(…)` or a backquoted command; give what is known."""
        start = self._text[self._at]
        if start == "`":
            return self._skip_to("`", "`")
        if self._text.startswith("$(", self._at):
            return self._skip_brackets()
        found = _VARIABLE.match(self._text, self._at + 1)
        if found is None:
            self._skip(1)
            return "$"
        self._skip(1 + len(found[0]))
        return self.variables.get(found[1] or found[2], "")

    def _skip_to(self, mark: str, shown: str) -> str:
        end = self._text.find(mark, self._at + 1)
        if end < 0:
            raise self._unclosed(shown)
        self._skip(end + 1 - self._at)
        return ""

    def _skip_brackets(self) -> str:
        depth = 0
        for offset, char in enumerate(self._text[self._at :]):
            depth += (char == "(") - (char == ")")
            if char == ")" and depth == 0:
                self._skip(offset + 1)
                return ""
        raise self._unclosed(")")

    def _skip(self, count: int) -> None:
        self.line += self._text.count("\n", self._at, self._at + count)
        self._at += count

    def _skip_line(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _skip_heredocs(self) -> None:
        for mark in self._heredocs:
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                here = self._text[self._at : end]
                self._skip(end + 1 - self._at)
                if here.strip() == mark:
                    break
        self._heredocs.clear()

    def _unclosed(self, mark: str, line: int | None = None) -> BootError:
        return BootError(
            f"line {line or self.line}: unexpected EOF while looking for matching `{mark}'"
        )
