"""Amounts for people: exact where that is short, otherwise rounded so that no promise is broken.

What is free is rounded down and what is missing is rounded up: a person who asks for what we showed
as free gets it.
"""

from typing import Final

from nodewright.model.quantity import MILLI, Milli, print_quantity

_MI_MAX: Final = len("9999Mi")
_UNITS: Final = (("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))
_BYTES: Final = frozenset({"memory", "ephemeral-storage", "storage"})


def is_bytes(resource: str) -> bool:
    """Tell whether a resource counts bytes."""
    return resource in _BYTES or resource.startswith("hugepages-")


def show_amount(amount: Milli, resource: str, *, up: bool = False) -> str:
    """Write an amount shortly: `118.6Gi`, `7910m`, `38`."""
    exact = print_quantity(amount, resource)
    if not is_bytes(resource):
        return exact
    if exact.endswith(("Gi", "Ti", "Pi", "Ei")) or (exact.endswith("Mi") and len(exact) <= _MI_MAX):
        return exact
    sign, size = ("-", -amount) if amount < 0 else ("", amount)
    for suffix, shift in _UNITS:
        unit = MILLI << shift
        if size >= unit:
            tenths = -(-size * 10 // unit) if up else size * 10 // unit
            whole, tenth = divmod(tenths, 10)
            return f"{sign}{whole}.{tenth}{suffix}" if tenth else f"{sign}{whole}{suffix}"
    return exact


def round_down(amount: Milli, resource: str) -> Milli:
    """Give the largest amount that is easy to write and not more than this one."""
    if not is_bytes(resource):
        return amount if resource == "cpu" else amount // MILLI * MILLI
    for shift in (20, 10, 0):
        unit = MILLI << shift
        if amount >= unit:
            return amount // unit * unit
    return amount


def round_up(amount: Milli, resource: str) -> Milli:
    """Give the smallest amount that is easy to write and not less than this one."""
    unit = MILLI << 20 if is_bytes(resource) else MILLI
    return -(-amount // unit) * unit
