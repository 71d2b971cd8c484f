"""Sheets: Worlds written as what has changed since the last one, and put together again.

Objects of the mirror are the same values for as long as they do not change, so telling what changed
is a comparison of identities; only what is new is encoded. A World is read back through its snapshot
document, the same way as any file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec

from nodewright.journal.records import EMPTY, Look, Sheet, WorldRef
from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import key_of
from nodewright.model.world import World
from nodewright.state.kinds import FIELDS
from nodewright.state.writing import (
    Parts,
    SnapshotMetadata,
    assemble,
    encode_object,
    encode_type,
    pools_of,
    write_options,
    write_state,
)

TYPES: Final = "types/"
_NAME_BYTES: Final = 12


type _Mark = tuple[str, bytes]
"""The key of an object, and a hash of what is written of it."""


class Damaged(Exception):  # noqa: N818 - it reads as what it is where it is caught.
    """A World whose lines are not all there."""


class _Field:
    """The sheet of one field as it was last written.

    What has not changed is known by its identity: `things` keeps it alive, so no other object can
    have that identity meanwhile.
    """

    def __init__(self) -> None:
        self.name = EMPTY
        self.things: Sequence[Any] = ()
        self._known: dict[int, _Mark] = {}
        self._hashes: dict[str, bytes] = {}

    def change(
        self, field: str, things: Sequence[Any], encode: Callable[[Any], bytes]
    ) -> Sheet | None:
        """Take the field's next content; give the line to be written, where it is another."""
        if things is self.things:
            return None
        identities = list(map(id, things))
        marks = list(map(self._known.get, identities))
        texts: dict[str, bytes] = {}
        for index in [index for index, mark in enumerate(marks) if mark is None]:
            key, text = _key(things[index]), encode(things[index])
            marks[index] = (key, _hash(text))
            texts[key] = text
        whole = [mark for mark in marks if mark is not None]
        if len({key for key, _ in whole}) < len(whole):
            # Two of one name are kept apart by their places.
            texts = {f"{_key(one)}#{index}": encode(one) for index, one in enumerate(things)}
            whole = [(key, _hash(text)) for key, text in texts.items()]
        return self._turn(field, things, whole, texts)

    def _turn(
        self, field: str, things: Sequence[Any], marks: "list[_Mark]", texts: dict[str, bytes]
    ) -> Sheet | None:
        before, base = self._hashes, self.name
        self.things = things
        self._known = dict(zip(map(id, things), marks, strict=True))
        self._hashes = dict(marks)
        self.name = _hash(*self._hashes.values()).hex()
        if self.name == base:
            return None
        put = {
            key: msgspec.Raw(text)
            for key, text in texts.items()
            if before.get(key) != self._hashes[key]
        }
        gone = tuple(sorted(before.keys() - self._hashes.keys()))
        keys = list(self._hashes)
        order = None if keys == sorted(keys) else tuple(keys)
        return Sheet(field, self.name, base, put, gone, order)


class SheetWriter:
    """Writes Worlds one after the other; each segment of a journal begins with a new one."""

    def __init__(self) -> None:
        self._fields: dict[str, _Field] = {}

    def write(self, world: World) -> tuple[list[Sheet], WorldRef]:
        """Give the lines that a World needs, and the words that stand for it then."""
        lines: list[Sheet] = []
        sheets: dict[str, str] = {}

        def add(field: str, things: Sequence[Any], encode: Callable[[Any], bytes]) -> None:
            held = self._fields.setdefault(field, _Field())
            # A controller that looks at no pods does not make the others write theirs anew.
            if not things:
                return
            line = held.change(field, things, encode)
            if line is not None:
                lines.append(line)
            sheets[field] = held.name

        for field in FIELDS:
            add(field, getattr(world, field), _encoder(field))
        catalogs: dict[int, str] = {}
        pools: dict[str, str] = {}
        for pool, types in pools_of(world).items():
            if id(types) not in catalogs:
                catalogs[id(types)] = f"{TYPES}{len(catalogs)}"
                add(catalogs[id(types)], types, encode_type)
            pools[pool] = catalogs[id(types)]
        options = _text(write_options(world.options))
        state = _text(write_state(world))
        name = _hash(_text(sheets), _text(pools), options, state).hex()
        return lines, WorldRef(name, sheets, pools, msgspec.Raw(options), msgspec.Raw(state))


class SheetReader:
    """Follows the sheets of one segment from its first line on."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._things: dict[str, dict[str, msgspec.Raw]] = {}

    def take(self, sheet: Sheet) -> None:
        """Take the next sheet; one that does not follow the last leaves its field unknown."""
        if sheet.base != self._names.get(sheet.field, EMPTY):
            self._names.pop(sheet.field, None)
            self._things.pop(sheet.field, None)
            return
        things = self._things.get(sheet.field, {})
        for key in sheet.gone:
            things.pop(key, None)
        things |= sheet.put
        order = sorted(things) if sheet.order is None else sheet.order
        self._things[sheet.field] = {key: things[key] for key in order}
        self._names[sheet.field] = sheet.name

    def document(self, look: Look) -> bytes:
        """Give the World of a look that was just read as a snapshot document."""
        for field, name in look.world.sheets.items():
            if self._names.get(field, EMPTY) != name:
                raise Damaged(f"the lines of {field} are not all there")
        return assemble(
            Parts(
                now_ms=look.at_ms,
                metadata=SnapshotMetadata(name=look.id),
                objects=list(self._objects(look.world.sheets)),
                catalogs={
                    name: self._held(name, look.world.sheets)
                    for name in sorted(set(look.world.pools.values()))
                },
                pools=look.world.pools,
                options=look.world.options,
                state=look.world.state,
            )
        )

    def _objects(self, sheets: Mapping[str, str]) -> Iterator[bytes]:
        for field in FIELDS:
            yield from self._held(field, sheets)

    def _held(self, field: str, sheets: Mapping[str, str]) -> list[bytes]:
        return [bytes(raw) for raw in self._things[field].values()] if field in sheets else []


def _encoder(field: str) -> Callable[[Any], bytes]:
    return lambda one: encode_object(field, one)


def _key(one: Any) -> str:
    meta: ObjectMeta | None = getattr(one, "metadata", None)
    return str(one.name) if meta is None else key_of(meta)


def _hash(*parts: bytes) -> bytes:
    return blake2b(b"\0".join(parts), digest_size=_NAME_BYTES).digest()


def _text(value: object) -> bytes:
    return msgspec.json.encode(value, order="deterministic")
