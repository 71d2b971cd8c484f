"""Arithmetic over an instance type: the part of CEL in which kubelet settings may be written.

A text is read and its kinds are checked once; then it is worked out for as many types as there are.
Whole numbers have 64 bits, their division drops what is left over, and what does not fit is an error, as in
CEL. Other than there, whole and broken numbers may be mixed; the result is broken then. Neither
reading nor working out can go on for long: there are no loops, and length and depth have limits.
"""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from nodewright.model.expression_term import (
    BOOLEAN,
    COMPARISONS,
    DOUBLE,
    INTEGER,
    NUMBERS,
    TEXT,
    BadExpression,
    Term,
    Values,
    arithmetic,
    chosen,
    comparison,
    constant,
    fitting,
    function,
    logical,
    member,
    negated,
    text_call,
)

LENGTH_MAX: Final = 1_000
DEPTH_MAX: Final = 32
VARIABLES: Final[Mapping[str, str]] = {
    "vcpus": INTEGER,
    "memory_mib": INTEGER,
    "default_enis": INTEGER,
    "ips_per_eni": INTEGER,
    "max_pods": INTEGER,
    "instance_type": TEXT,
}

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<double>\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)
    |(?P<integer>0x[0-9a-fA-F]+|\d+)
    |(?P<name>[A-Za-z_]\w*)
    |(?P<text>"[^"\\]*"|'[^'\\]*')
    |(?P<sign>&&|\|\||[=!<>]=|[-+*/%<>!?:().,\[\]]))""",
    re.VERBOSE | re.ASCII,
)


@lru_cache(maxsize=256)
def read_expression(text: str) -> Term:
    """Read an expression whose result is a number; anything else is a `BadExpression`."""
    if len(text) > LENGTH_MAX:
        raise BadExpression(f"an expression has at most {LENGTH_MAX} characters")
    term = _Reader(text).read()
    if term.kind not in NUMBERS:
        raise BadExpression(f"the result must be a number, not {term.kind}")
    return term


def work_out(text: str, values: Values) -> int:
    """Give the result of an expression for one machine; what a broken number has over is dropped."""
    found: int | float = read_expression(text).run(values)
    if not math.isfinite(found):
        raise BadExpression(f"the result is {found}, which is no amount")
    return math.trunc(found)


class _Reader:
    """Reads one text from left to right; each method reads what binds tighter than the one before."""

    def __init__(self, text: str) -> None:
        self._tokens = _split(text)
        self._at = 0
        self._depth = 0

    def read(self) -> Term:
        term = self._choice()
        if self._at < len(self._tokens):
            raise BadExpression(f"{self._tokens[self._at][1]!r} is not expected here")
        return term

    def _choice(self) -> Term:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise BadExpression(f"brackets go at most {DEPTH_MAX} deep")
        condition = self._either()
        if self._take("?"):
            yes = self._choice()
            self._expect(":")
            no = self._choice()
            condition = chosen(condition, yes, no)
        self._depth -= 1
        return condition

    def _either(self) -> Term:
        left = self._both()
        while self._take("||"):
            left = logical(left, self._both(), "||")
        return left

    def _both(self) -> Term:
        left = self._compared()
        while self._take("&&"):
            left = logical(left, self._compared(), "&&")
        return left

    def _compared(self) -> Term:
        left = self._sum()
        if self._take("in"):
            return member(left, self._list())
        sign = self._take(*COMPARISONS)
        return comparison(left, self._sum(), sign) if sign else left

    def _sum(self) -> Term:
        left = self._product()
        while sign := self._take("+", "-"):
            left = arithmetic(left, self._product(), sign)
        return left

    def _product(self) -> Term:
        left = self._signed()
        while sign := self._take("*", "/", "%"):
            left = arithmetic(left, self._signed(), sign)
        return left

    def _signed(self) -> Term:
        signs = []
        while sign := self._take("-", "!"):
            signs.append(sign)
        term = self._called()
        for sign in signs:
            term = arithmetic(constant(INTEGER, 0), term, "-") if sign == "-" else negated(term)
        return term

    def _called(self) -> Term:
        term = self._simple()
        while self._take("."):
            name = self._name()
            self._expect("(")
            part = self._choice()
            self._expect(")")
            term = text_call(term, part, name)
        return term

    def _simple(self) -> Term:
        kind, word = self._next()
        match kind:
            case "integer":
                return constant(INTEGER, fitting(int(word, 16 if word[:2] == "0x" else 10)))
            case "double":
                return constant(DOUBLE, float(word))
            case "text":
                return constant(TEXT, word[1:-1])
            case "name":
                return self._named(word)
        if word != "(":
            raise BadExpression(f"{word!r} is not expected here")
        term = self._choice()
        self._expect(")")
        return term

    def _named(self, word: str) -> Term:
        if word in ("true", "false"):
            return constant(BOOLEAN, word == "true")
        if word in ("min", "max", "int", "double") and self._take("("):
            parts = [self._choice()]
            while self._take(","):
                parts.append(self._choice())
            self._expect(")")
            return function(word, parts)
        if word not in VARIABLES:
            known = ", ".join([*VARIABLES, "min(a, b)", "max(a, b)", "int(a)", "double(a)"])
            raise BadExpression(f"{word} is not known here; there are {known}")
        return Term(VARIABLES[word], lambda values: values[word])

    def _list(self) -> list[Term]:
        self._expect("[")
        parts = [self._choice()]
        while self._take(","):
            parts.append(self._choice())
        self._expect("]")
        return parts

    def _name(self) -> str:
        kind, word = self._next()
        if kind != "name":
            raise BadExpression(f"a name is expected, not {word!r}")
        return word

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise BadExpression("it ends where more is expected")
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, *words: str) -> str:
        if self._at < len(self._tokens):
            kind, word = self._tokens[self._at]
            if kind != "text" and word in words:
                self._at += 1
                return word
        return ""

    def _expect(self, word: str) -> None:
        found = self._next()[1]
        if found != word:
            raise BadExpression(f"{word!r} is expected, not {found!r}")


def _split(text: str) -> list[tuple[str, str]]:
    tokens, at, end = [], 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            raise BadExpression(f"{text[at:].strip()[:10]!r} cannot be read")
        assert found.lastgroup is not None
        tokens.append((found.lastgroup, found[found.lastgroup]))
        at = found.end()
    return tokens
