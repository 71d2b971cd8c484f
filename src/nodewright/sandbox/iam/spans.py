"""Where the statements of a document stand in its text.

Simulation answers point at the statement that decided by line and column, so the text is walked
once more, over strings, brackets and braces only; what the JSON decoder took is known to be sound.
"""

import re

from nodewright.sandbox.iam.policy import Span

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]')


def statement_spans(text: str) -> tuple[Span, ...]:
    """Give the place of every statement of a document, in order."""
    depth = 0
    inside = False
    home = start = 0
    spans: list[Span] = []
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            depth += 1
            if inside and mark == "{" and depth == home + 1:
                start = token.start()
            elif inside and mark == "[" and depth == home + 1:
                home = depth
        elif mark in "}]":
            if inside and mark == "}" and depth == home + 1:
                spans.append(_span(text, start, token.end()))
                inside = home > 1
            depth -= 1
            inside = inside and depth >= home
        elif depth == 1 and _is_key(text, token.end()):
            inside = mark == '"Statement"'
            home = 1
    return tuple(spans)


def _is_key(text: str, end: int) -> bool:
    return text[end:].lstrip().startswith(":")


def _span(text: str, start: int, end: int) -> Span:
    return Span(*_place(text, start), *_place(text, end))


def _place(text: str, offset: int) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - line_start + 1
