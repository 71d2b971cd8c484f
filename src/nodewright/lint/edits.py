"""Edits carried out on values: what a document should hold once it is mended."""

import copy
from collections.abc import Iterable
from typing import Any, Final

from nodewright.lint.finding import Edit, Join, Remove, Rename, Replace

_ORDER: Final = (Replace, Rename, Remove, Join)


def apply_all(value: Any, edits: Iterable[Edit]) -> Any | None:
    """Give a copy with every edit carried out, or None where one of them finds nothing.

    Removals come last and from the end, so that no path of another edit moves.
    """
    changed = copy.deepcopy(value)
    ordered = sorted(edits, key=_place, reverse=True)
    ordered.sort(key=lambda edit: _ORDER.index(type(edit)))
    return changed if all(_apply(changed, edit) for edit in ordered) else None


def _place(edit: Edit) -> tuple[tuple[int, int, str], ...]:
    return tuple((1, part, "") if isinstance(part, int) else (0, 0, part) for part in edit.path)


def _apply(value: Any, edit: Edit) -> bool:
    *before, last = edit.path
    for part in before:
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return False
    try:
        value[last]
    except (KeyError, IndexError, TypeError):
        return False
    match edit:
        case Replace(value=new):
            value[last] = new
        case Rename(name=name):
            _rename(value, last, name)
        case Remove():
            del value[last]
        case Join():
            first, *others = value[last]
            for other in others:
                first["matchExpressions"].extend(other["matchExpressions"])
            del value[last][1:]
    return True


def _rename(mapping: Any, old: Any, new: str) -> None:
    """Give a key another name in its place; the order of the others stays."""
    position = list(mapping).index(old)
    entry = mapping.pop(old)
    if hasattr(mapping, "insert"):
        mapping.insert(position, new, entry)
        return
    rest = list(mapping.items())
    mapping.clear()
    rest.insert(position, (new, entry))
    mapping.update(rest)
