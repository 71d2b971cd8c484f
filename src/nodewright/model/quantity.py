"""Amounts of resources as exact integers.

Every amount is a whole number of thousandths of its base unit (millicores, thousandths of a byte,
thousandths of a GPU). One unit for all resources keeps arithmetic blind to what it counts, and a
thousandth is the finest step that Kubernetes itself keeps, so nothing is lost: what a manifest
writes finer than that is rounded up, away from zero, as Kubernetes does.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

type Milli = int
type Resources = Mapping[str, Milli]
"""Resource name to thousandths. Absent means zero."""

MILLI: Final = 1000

_DECIMAL: Final = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SMALL: Final = {"m": -3, "u": -6, "n": -9}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_FORM: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<fraction>[0-9]*))?"
    r"(?:[eE](?P<exponent>[+-]?[0-9]{1,3})|(?P<suffix>Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE])?)"
)
_SLIP: Final = re.compile(
    r"(?P<digits>[0-9]+(?:\.[0-9]+)?)\s*(?:(?P<unit>[kKmMgGtTpP])(?P<binary>[iI])?)?(?P<bytes>[bB])?"
)
"""Quantities as people write them who think of megabytes."""

_LENGTH_MAX: Final = 64
_EXPONENT_MAX: Final = 30


class BadQuantity(ValueError):  # noqa: N818 - it reads as what it is where it is caught
    """Text that is no Kubernetes quantity, and the resource whose amount it was to be."""

    def __init__(self, text: str, problem: str, resource: str = "") -> None:
        super().__init__(f"{resource}: {text!r} {problem}" if resource else f"{text!r} {problem}")
        self.text = text
        self.problem = problem
        self.resource = resource


@lru_cache(maxsize=65536)
def parse_quantity(text: str) -> Milli:
    """Read a Kubernetes quantity (`100m`, `1.5Gi`, `1e3`, `0.5`) as thousandths, rounded up."""
    form = _FORM.fullmatch(text) if len(text) <= _LENGTH_MAX else None
    if form is None or not (form["whole"] or form["fraction"]):
        raise BadQuantity(text[:_LENGTH_MAX], "is not a quantity (like 100m, 1.5Gi or 2)")
    fraction = form["fraction"] or ""
    digits = int(form["whole"] + fraction) if form["whole"] or fraction else 0
    tens = 3 - len(fraction)
    suffix = form["suffix"] or ""
    if form["exponent"] is not None:
        tens += int(form["exponent"])
        if abs(int(form["exponent"])) > _EXPONENT_MAX:
            raise BadQuantity(text, f"has an exponent beyond {_EXPONENT_MAX}")
    elif suffix in _BINARY:
        digits <<= _BINARY[suffix]
    else:
        tens += _DECIMAL[suffix] if suffix in _DECIMAL else _SMALL[suffix]
    amount = digits * _ten(tens) if tens >= 0 else -(-digits // _ten(-tens))
    return -amount if form["sign"] == "-" else amount


def _ten(exponent: int) -> int:
    return int(10**exponent)


def parse_amount(value: str | float) -> Milli:
    """Read a quantity that a manifest may have written as text or as a bare number."""
    if isinstance(value, str):
        return parse_quantity(value)
    if isinstance(value, int):
        return value * MILLI
    return parse_quantity(repr(value))


def guess_quantity(text: str) -> str:
    """Give the quantity that was probably meant by text that is none; empty when it is one."""
    form = None if _is_quantity(text) else _SLIP.fullmatch(text.strip())
    if form is None:
        return ""
    unit = form["unit"] or ""
    if form["binary"]:
        unit = f"{unit.upper()}i"
    elif form["bytes"] or unit != "m":
        unit = "k" if unit in ("k", "K") else unit.upper()
    guess = f"{form['digits']}{unit}"
    return guess if _is_quantity(guess) else ""


def _is_quantity(text: str) -> bool:
    try:
        parse_quantity(text)
    except BadQuantity:
        return False
    return True


def parse_resources(amounts: Mapping[str, str | float]) -> dict[str, Milli]:
    """Read a whole resource list; a bad amount names its resource."""
    parsed: dict[str, Milli] = {}
    for name, value in amounts.items():
        try:
            parsed[name] = parse_amount(value)
        except BadQuantity as error:
            raise BadQuantity(error.text, error.problem, name) from None
    return parsed


_BINARY_NAMES: Final = frozenset({"memory", "ephemeral-storage", "storage"})


def print_quantity(amount: Milli, resource: str = "") -> str:
    """Write thousandths the way Kubernetes would: `3310m`, `3344Mi`, `58`."""
    if amount % MILLI:
        return f"{amount}m"
    units = amount // MILLI
    if (resource in _BINARY_NAMES or resource.startswith("hugepages-")) and units:
        for suffix in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
            if units % (1 << _BINARY[suffix]) == 0:
                return f"{units >> _BINARY[suffix]}{suffix}"
    return str(units)


def print_resources(amounts: Resources) -> dict[str, str]:
    """Write a resource list by name, leaving out what is zero."""
    return {name: print_quantity(amounts[name], name) for name in sorted(amounts) if amounts[name]}


def add(*lists: Resources) -> dict[str, Milli]:
    """Sum resource lists name by name."""
    total: dict[str, Milli] = {}
    for amounts in lists:
        for name, amount in amounts.items():
            total[name] = total.get(name, 0) + amount
    return total


def subtract(left: Resources, right: Resources) -> dict[str, Milli]:
    """Take `right` from `left`; what only `right` has becomes negative."""
    rest = dict(left)
    for name, amount in right.items():
        rest[name] = rest.get(name, 0) - amount
    return rest


def largest(lists: Iterable[Resources]) -> dict[str, Milli]:
    """Give, for each resource, the largest amount in any of the lists."""
    top: dict[str, Milli] = {}
    for amounts in lists:
        for name, amount in amounts.items():
            top[name] = max(amount, top.get(name, amount))
    return top
