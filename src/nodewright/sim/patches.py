"""Patches on plain data: merge patches (RFC 7386) and JSON patches (RFC 6902).

Nothing is changed in place: what a patch does not touch is shared between the old value and the new.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from nodewright.sim.refusals import Refused


def merge(target: Any, patch: Any) -> Any:
    """Merge a patch into a value: null removes, objects merge, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = merge(merged.get(name), value)
    return merged


def apply_steps(target: Any, steps: Iterable[Mapping[str, Any]]) -> Any:
    """Take JSON patch steps one after the other; a failing one refuses all."""
    for step in steps:
        path = _read_pointer(step["path"])
        match step["op"]:
            case "test":
                if _look(target, path) != step["value"]:
                    raise Refused(422, "Invalid", f"the test of {step['path']} failed")
            case "add":
                target = _change(target, path, "add", step["value"])
            case "replace":
                target = _change(target, path, "replace", step["value"])
            case "remove":
                target = _change(target, path, "remove", None)
            case "move":
                source = _read_pointer(step["from"])
                value = _look(target, source)
                target = _change(_change(target, source, "remove", None), path, "add", value)
            case "copy":
                target = _change(target, path, "add", _look(target, _read_pointer(step["from"])))
            case unknown:
                raise Refused(400, "BadRequest", f"a JSON patch has no step {unknown!r}")
    return target


def _read_pointer(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise Refused(400, "BadRequest", f"{pointer!r} is no JSON pointer")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/")]


def _missing(part: str) -> Refused:
    return Refused(422, "Invalid", f"the JSON patch names {part!r}, which is not there")


def _look(target: Any, path: list[str]) -> Any:
    for part in path:
        if isinstance(target, Mapping) and part in target:
            target = target[part]
        elif isinstance(target, list | tuple) and part.isdecimal() and int(part) < len(target):
            target = target[int(part)]
        else:
            raise _missing(part)
    return target


def _change(target: Any, path: list[str], verb: str, value: Any) -> Any:
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(target, Mapping):
        if part not in target and (rest or verb != "add"):
            raise _missing(part)
        changed = dict(target)
        if rest:
            changed[part] = _change(target[part], rest, verb, value)
        elif verb == "remove":
            del changed[part]
        else:
            changed[part] = value
        return changed
    if isinstance(target, list | tuple):
        return _change_list(list(target), path, verb, value)
    raise _missing(part)


def _change_list(items: list[Any], path: list[str], verb: str, value: Any) -> list[Any]:
    part, rest = path[0], path[1:]
    if part == "-" and verb == "add" and not rest:
        return [*items, value]
    limit = len(items) if verb == "add" and not rest else len(items) - 1
    if not part.isdecimal() or int(part) > limit:
        raise _missing(part)
    index = int(part)
    if rest:
        items[index] = _change(items[index], rest, verb, value)
    elif verb == "add":
        items.insert(index, value)
    elif verb == "remove":
        del items[index]
    else:
        items[index] = value
    return items
