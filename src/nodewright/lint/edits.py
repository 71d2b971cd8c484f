"""Edits carried out on values: what a document should hold once it is mended."""

import copy
from collections.abc import Iterable
from typing import Any, Final

from nodewright.lint.finding import Edit, Join, Lift, Remove, Rename, Replace

_ORDER: Final = (Replace, Rename, Remove, Join, Lift)


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
        case Lift():
            return _lift(value, last)
    return True


def _lift(mapping: Any, key: Any) -> bool:
    inner = mapping[key]
    if not isinstance(inner, dict) or any(name in mapping for name in inner if name != key):
        return False
    position = list(mapping).index(key)
    mapping.pop(key)
    for name, entry in reversed(list(inner.items())):
        _insert(mapping, position, name, entry)
    return True


def _rename(mapping: Any, old: Any, new: str) -> None:
    """Give a key another name in its place; the order of the others stays."""
    position = list(mapping).index(old)
    _insert(mapping, position, new, mapping.pop(old))


def _insert(mapping: Any, position: int, key: str, entry: Any) -> None:
    if hasattr(mapping, "insert"):
        mapping.insert(position, key, entry)
        return
    rest = list(mapping.items())
    mapping.clear()
    rest.insert(position, (key, entry))
    mapping.update(rest)
