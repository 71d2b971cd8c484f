"""Changes to objects as JSON Patch: what is proposed is exactly what was tried.

Only `add` (which also replaces) and `remove` are used, so that a patch does not depend on whether a
default was written down. `kubectl patch --type=json` takes the operations as they are.
"""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Pod


class Op(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation of a JSON Patch."""

    op: str
    path: str
    value: object = None


class Edit(msgspec.Struct, frozen=True):
    """A change to one object: what it is called, its operations, and how large it is."""

    kind: str
    values: Mapping[str, str | int]
    target: str
    ops: tuple[Op, ...]
    size: int


def pointer(*parts: str | int) -> str:
    """Write a path as a JSON pointer."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def add(value: object, *parts: str | int) -> Op:
    """Set a member, or append to a list where the last part is `-`."""
    return Op("add", pointer(*parts), value)


def remove(*parts: str | int) -> Op:
    """Take a member or an element out."""
    return Op("remove", pointer(*parts))


def apply[Patched: (Pod, NodePool)](thing: Patched, ops: Iterable[Op]) -> Patched:
    """Give the object with a patch applied."""
    document = msgspec.json.decode(msgspec.json.encode(thing))
    for one in ops:
        _apply(document, one)
    return msgspec.convert(document, type(thing))


def _apply(document: object, one: Op) -> None:
    *path, last = [
        part.replace("~1", "/").replace("~0", "~") for part in one.path.removeprefix("/").split("/")
    ]
    holder = document
    for part in path:
        holder = holder[int(part)] if isinstance(holder, list) else _member(holder, part)
    if isinstance(holder, list):
        if one.op == "remove":
            del holder[int(last)]
        elif last == "-":
            holder.append(one.value)
        else:
            holder.insert(int(last), one.value)
        return
    assert isinstance(holder, dict)
    if one.op == "remove":
        del holder[last]
    else:
        holder[last] = one.value


def _member(holder: object, part: str) -> object:
    assert isinstance(holder, dict)
    return holder[part]
