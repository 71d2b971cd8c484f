"""Values as documents: money in the price list's currency, times as RFC 3339, amounts as quantities.

Field names say what a number is, so one rule for each ending writes them all: `priceNanousdHour` becomes
`pricePerHour`, `savedTodayNanousd` becomes `savedToday`, `untilMs` becomes `until`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from nodewright.model.instance import NANO
from nodewright.model.instant import print_instant
from nodewright.model.quantity import print_quantity
from nodewright.view.values import Amount, LimitRow, Value

type Document = dict[str, object]
type _Field = tuple[str, str, Callable[[Any], object]]

_CENTS: Final = 6
_AMOUNTS: Final = {"cpu": "cpu", "memory": "memory", "cpu_used": "cpu", "memory_used": "memory"}


def write_value(value: Value) -> Document:
    """Write a value with everything in it."""
    fields = _FIELDS.get(type(value))
    if fields is None:
        fields = _FIELDS[type(value)] = tuple(
            _field(name, written)
            for name, written in zip(
                value.__struct_fields__, value.__struct_encode_fields__, strict=True
            )
        )
    if isinstance(value, LimitRow):
        return {
            "resource": value.resource,
            "limit": print_quantity(value.limit, value.resource),
            "used": print_quantity(value.used, value.resource),
        }
    return {written: write(getattr(value, name)) for name, written, write in fields}


_FIELDS: Final[dict[type[Value], tuple[_Field, ...]]] = {}


def write_amount(amount: Amount, resource: str) -> Document:
    """Write an amount as quantities; use that nobody knows is null."""
    used = amount.used
    return {
        "requested": print_quantity(amount.requested, resource),
        "allocatable": print_quantity(amount.allocatable, resource),
        "used": None if used is None else print_quantity(used, resource),
    }


def _field(name: str, written: str) -> _Field:
    """Give how a field is written: its name and the way of its values, which follow from its ending."""
    if written.endswith("NanousdHour"):
        return name, f"{written.removesuffix('NanousdHour')}PerHour", _money
    if written.endswith("Nanousd"):
        return name, written.removesuffix("Nanousd"), _money
    if written.endswith("Ms"):
        return name, written.removesuffix("Ms"), _instant
    if name in _AMOUNTS:
        resource = _AMOUNTS[name]
        return name, written, lambda value: _quantity(value, resource)
    return name, written, _plain


def _money(value: int | None) -> float | None:
    return None if value is None else round(value / NANO, _CENTS)


def _instant(value: int | None) -> str | None:
    return None if value is None else print_instant(value)


def _quantity(value: object, resource: str) -> object:
    if isinstance(value, Amount):
        return write_amount(value, resource)
    return print_quantity(value, resource) if isinstance(value, int) else None


def _plain(value: object) -> object:
    match value:
        case Value():
            return write_value(value)
        case tuple() | list():
            return [_plain(one) for one in value]
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case _:
            return msgspec.to_builtins(value)
