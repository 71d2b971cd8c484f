"""TOML, written: the standard library only reads it.

Tables come after plain values, in the order of the mapping. Text is written with the escapes of a
basic string, so that whatever was read comes out with the same meaning.
"""

import datetime as dt
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


def write_toml(document: Mapping[str, Any]) -> str:
    """Write a document."""
    return "\n".join(_table(document, ())) + "\n"


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not _is_table(value) and not _is_table_list(value):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        here = (*path, key)
        name = ".".join(map(_key, here))
        if _is_table(value):
            # A table that only holds tables is named by them.
            if not value or not all(_is_table(one) for one in value.values()):
                yield f"[{name}]"
            yield from _table(value, here)
        elif _is_table_list(value):
            for one in value:
                yield f"[[{name}]]"
                yield from _table(one, here)


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping)


def _is_table_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_table, value))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but for the delete character, which TOML wants escaped too.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case float() if not math.isfinite(value):
            return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
        case int() | float():
            return repr(value)
        case dt.datetime() | dt.date() | dt.time():
            return value.isoformat()
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
            return f"{{{inside}}}"
    raise TypeError(f"TOML has no way to write {value!r}")
