"""Parts of an expression: what kind of value each has, and how it is worked out for a machine.

Kinds are checked where parts are put together, so that what was put together can only fail for the
numbers of a machine: by a division by zero, or by a number that does not fit into 64 bits.
"""

import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

INTEGER_MAX: Final = 2**63 - 1
INTEGER_MIN: Final = -(2**63)

INTEGER: Final = "a whole number"
DOUBLE: Final = "a broken number"
BOOLEAN: Final = "true or false"
TEXT: Final = "text"
NUMBERS: Final = (INTEGER, DOUBLE)
COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TEXT_CALLS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": operator.contains,
}

type Value = int | float | bool | str
type Values = Mapping[str, int | str]


class BadExpression(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """A text is no expression, or it has no usable result for a machine."""


class Term(NamedTuple):
    """A part of an expression: what kind of value it has, and how it is worked out."""

    kind: str
    run: Callable[[Values], Any]


def constant(kind: str, value: Value) -> Term:
    """Give a value that is written out."""
    return Term(kind, lambda _values: value)


def negated(term: Term) -> Term:
    """Give the opposite of a condition."""
    if term.kind != BOOLEAN:
        raise BadExpression(f"! needs true or false, not {term.kind}")
    return Term(BOOLEAN, lambda values: not term.run(values))


def text_call(term: Term, part: Term, name: str) -> Term:
    """Give what a function of a text says about another text."""
    call = _TEXT_CALLS.get(name)
    if call is None or term.kind != TEXT or part.kind != TEXT:
        raise BadExpression(f"{term.kind} has no function {name} that takes {part.kind}")
    return Term(BOOLEAN, lambda values: call(term.run(values), part.run(values)))


def chosen(condition: Term, yes: Term, no: Term) -> Term:
    """Give one of two values, by a condition."""
    if condition.kind != BOOLEAN:
        raise BadExpression(f"before ? stands a condition, not {condition.kind}")
    is_numeric = yes.kind in NUMBERS and no.kind in NUMBERS
    if yes.kind != no.kind and not is_numeric:
        raise BadExpression(f"both sides of : must be of one kind, not {yes.kind} and {no.kind}")
    kind = yes.kind if yes.kind == no.kind else DOUBLE
    return Term(kind, lambda values: (yes if condition.run(values) else no).run(values))


def logical(left: Term, right: Term, sign: str) -> Term:
    """Give both conditions, or either."""
    if left.kind != BOOLEAN or right.kind != BOOLEAN:
        raise BadExpression(f"{sign} needs conditions on both sides")
    if sign == "&&":
        return Term(BOOLEAN, lambda values: left.run(values) and right.run(values))
    return Term(BOOLEAN, lambda values: left.run(values) or right.run(values))


def comparison(left: Term, right: Term, sign: str) -> Term:
    """Give how two values compare."""
    is_numeric = left.kind in NUMBERS and right.kind in NUMBERS
    if left.kind != right.kind and not is_numeric:
        raise BadExpression(f"{left.kind} cannot be compared with {right.kind}")
    compare = COMPARISONS[sign]
    return Term(BOOLEAN, lambda values: compare(left.run(values), right.run(values)))


def member(left: Term, parts: list[Term]) -> Term:
    """Give whether a value is one of several."""
    terms = [comparison(left, one, "==") for one in parts]
    return Term(BOOLEAN, lambda values: any(one.run(values) for one in terms))


def function(name: str, parts: list[Term]) -> Term:
    """Give the result of a function of numbers."""
    wanted = 2 if name in ("min", "max") else 1
    if len(parts) != wanted or any(one.kind not in NUMBERS for one in parts):
        raise BadExpression(f"{name} takes {'two numbers' if wanted == 2 else 'one number'}")
    if name == "int":
        return Term(INTEGER, lambda values: _whole(parts[0].run(values)))
    if name == "double":
        return Term(DOUBLE, lambda values: float(parts[0].run(values)))
    kind = INTEGER if all(one.kind == INTEGER for one in parts) else DOUBLE
    pick: Callable[..., Any] = min if name == "min" else max
    return Term(kind, lambda values: pick(one.run(values) for one in parts))


def arithmetic(left: Term, right: Term, sign: str) -> Term:
    """Give the result of one sign between two numbers."""
    if left.kind not in NUMBERS or right.kind not in NUMBERS:
        raise BadExpression(f"{sign} needs numbers, not {left.kind} and {right.kind}")
    if left.kind == right.kind == INTEGER:
        return Term(
            INTEGER, lambda values: fitting(_reckon(left.run(values), right.run(values), sign))
        )
    if sign == "%":
        raise BadExpression("% needs whole numbers on both sides")
    return Term(
        DOUBLE,
        lambda values: _reckon_broken(float(left.run(values)), float(right.run(values)), sign),
    )


def _reckon(left: int, right: int, sign: str) -> int:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if not right:
        raise BadExpression("something is divided by zero")
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if sign == "/" else left - quotient * right


def _reckon_broken(left: float, right: float, sign: str) -> float:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left)


def fitting(number: int) -> int:
    """Give a whole number that has at most 64 bits."""
    if not INTEGER_MIN <= number <= INTEGER_MAX:
        raise BadExpression("a number does not fit into 64 bits")
    return number


def _whole(number: float) -> int:
    if not math.isfinite(number):
        raise BadExpression(f"{number} has no whole part")
    return fitting(math.trunc(number))
