"""All checks, by code: every module of `checks/` has one as `CHECK`, or several as `CHECKS`."""

import importlib
import pkgutil
from functools import cache
from typing import Any, Final

from nodewright.doctor import checks
from nodewright.doctor.check import SECTIONS, Check
from nodewright.model.errors import UserError

UNKNOWN_CHECK: Final = "NW-9731"


@cache
def all_checks() -> tuple[Check[Any], ...]:
    """Give every check, in the order of the codes."""
    found: list[Check[Any]] = []
    for entry in pkgutil.iter_modules(checks.__path__):
        module = importlib.import_module(f"{checks.__name__}.{entry.name}")
        found.extend(module.CHECKS if hasattr(module, "CHECKS") else (module.CHECK,))
    return tuple(sorted(found, key=lambda one: one.code))


def choose(words: tuple[str, ...]) -> tuple[Check[Any], ...]:
    """Give the checks that codes and sections name; all where nothing is named."""
    everything = all_checks()
    if not words:
        return everything
    wanted = {word.upper() if word.upper().startswith("NW-") else word.lower() for word in words}
    known = {one.code for one in everything} | set(SECTIONS)
    strange = sorted(wanted - known)
    if strange:
        raise UserError(
            f"there is no check {', '.join(strange)}",
            code=UNKNOWN_CHECK,
            advice=f"give a code such as {everything[0].code}, or a section: {', '.join(SECTIONS)}",
        )
    return tuple(one for one in everything if one.code in wanted or one.section in wanted)
