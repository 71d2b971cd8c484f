"""Condition operators, over keys with one value or with several.

A condition holds when some policy value fits some value of the request; a negated operator holds
when none does. `ForAllValues` wants it of every value of the request (so it holds when there is
none), `ForAnyValue` of at least one. A key that the request lacks fails a plain operator, passes a
negated one, and passes anything that ends in `IfExists`. `Null` asks only whether the key is there.
"""

import base64
import binascii
import ipaddress
import operator
import re
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

import msgspec

from nodewright.sandbox.iam.context import Context
from nodewright.sandbox.iam.globs import Glob, matches, matches_arn, matches_literally, read_glob
from nodewright.sandbox.iam.variables import expand

ALL, ANY = "ForAllValues", "ForAnyValue"

type TextTest = Callable[[Glob, str], bool]
type ValueTest = Callable[[str, str], bool]


class Operator(msgspec.Struct, frozen=True):
    """How a condition compares: the base operator, its quantifier and whether absence passes."""

    base: str
    quantifier: str = ""
    if_exists: bool = False

    def __str__(self) -> str:
        """Give the operator as policies write it."""
        front = f"{self.quantifier}:" if self.quantifier else ""
        return f"{front}{self.base}{'IfExists' if self.if_exists else ''}"


class Condition(msgspec.Struct, frozen=True):
    """One key of a condition block with the values that it is held against."""

    operator: Operator
    key: str
    values: tuple[str, ...]


def holds(condition: Condition, context: Context, *, variables: bool) -> bool:
    """Tell whether a condition is met by a request."""
    base, present = condition.operator.base, context.get(condition.key)
    if base == "Null":
        wanted = "false" if present else "true"
        return any(value.lower() == wanted for value in condition.values)
    negated = base in NEGATED
    if not present:
        return condition.operator.if_exists or _passes_without_values(condition.operator, negated)

    def fits(value: str) -> bool:
        found = any(
            _compare(base, wanted, value, context if variables else None)
            for wanted in condition.values
        )
        return found is not negated

    if condition.operator.quantifier == ANY:
        return any(map(fits, present))
    if condition.operator.quantifier == ALL or negated:
        return all(map(fits, present))
    return any(map(fits, present))


def read_operator(text: str) -> Operator | None:
    """Read an operator such as `ForAnyValue:StringLikeIfExists`; None if there is no such one."""
    found = _OPERATOR.fullmatch(text)
    if found is None or found["base"] not in OPERATORS:
        return None
    if found["base"] == "Null" and found["exists"]:
        return None
    return Operator(found["base"], found["quantifier"] or "", bool(found["exists"]))


def is_readable_value(base: str, value: str) -> bool:
    """Tell whether a policy value has the form that its operator needs."""
    if base in _NUMBERS:
        return _number(value) is not None
    if base in _DATES:
        return _instant(value) is not None
    if base in ("Bool", "Null"):
        return value.lower() in ("true", "false")
    if base in ("IpAddress", "NotIpAddress"):
        return _network(value) is not None
    return base != "BinaryEquals" or _bytes(value) is not None


def _passes_without_values(how: Operator, negated: bool) -> bool:
    return how.quantifier == ALL or (negated and how.quantifier != ANY)


def _compare(base: str, wanted: str, value: str, context: Context | None) -> bool:
    test = _TEXTS.get(base)
    if test is not None:
        glob = read_glob(wanted) if context is None else expand(wanted, context)
        return glob is not None and test(glob, value)
    return _VALUES[base](wanted, value)


def _text(ignore_case: bool) -> TextTest:
    return lambda glob, value: matches_literally(glob, value, ignore_case=ignore_case)


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _instant(text: str) -> Decimal | None:
    """Give a date as seconds since the epoch; AWS takes ISO 8601 and epoch seconds."""
    number = _number(text)
    if number is not None:
        return number
    try:
        read = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    aware = read if read.tzinfo is not None else read.replace(tzinfo=UTC)
    return Decimal(str(aware.timestamp()))


def _ordered(
    read: Callable[[str], Decimal | None], order: Callable[[Decimal, Decimal], bool]
) -> ValueTest:
    def test(wanted: str, value: str) -> bool:
        left, right = read(value), read(wanted)
        return left is not None and right is not None and order(left, right)

    return test


def _same_bool(wanted: str, value: str) -> bool:
    return wanted.lower() == value.lower()


def _bytes(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _same_bytes(wanted: str, value: str) -> bool:
    read = _bytes(wanted)
    return read is not None and read == _bytes(value)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None


def _in_network(wanted: str, value: str) -> bool:
    network = _network(wanted)
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return False
    return network is not None and address in network


_ORDERS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "Equals": operator.eq,
    "NotEquals": operator.eq,
    "LessThan": operator.lt,
    "LessThanEquals": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanEquals": operator.ge,
}
_NUMBERS = {f"Numeric{name}": _ordered(_number, order) for name, order in _ORDERS.items()}
_DATES = {f"Date{name}": _ordered(_instant, order) for name, order in _ORDERS.items()}
_TEXTS: dict[str, TextTest] = {
    "StringEquals": _text(ignore_case=False),
    "StringNotEquals": _text(ignore_case=False),
    "StringEqualsIgnoreCase": _text(ignore_case=True),
    "StringNotEqualsIgnoreCase": _text(ignore_case=True),
    "StringLike": matches,
    "StringNotLike": matches,
    "ArnEquals": matches_arn,
    "ArnLike": matches_arn,
    "ArnNotEquals": matches_arn,
    "ArnNotLike": matches_arn,
}
_VALUES: dict[str, ValueTest] = {
    **_NUMBERS,
    **_DATES,
    "Bool": _same_bool,
    "BinaryEquals": _same_bytes,
    "IpAddress": _in_network,
    "NotIpAddress": _in_network,
}
OPERATORS = frozenset({*_TEXTS, *_VALUES, "Null"})
NEGATED = frozenset(name for name in OPERATORS if "Not" in name)
_OPERATOR = re.compile(
    rf"(?:(?P<quantifier>{ALL}|{ANY}):)?(?P<base>[A-Za-z]+?)(?P<exists>IfExists)?"
)
