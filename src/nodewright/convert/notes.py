"""What a conversion says beside its objects: what changed, what was added, what has no place today.

`refused` means that the object could not be made at all, `lost` that something of its meaning has
no counterpart, `check` that a person should look, `added` and `changed` that the same meaning is
written differently. The message can stand as a comment over the field that it is about.
"""

from typing import Final

import msgspec

from nodewright.model.path import Path

ADDED: Final = "added"
CHANGED: Final = "changed"
CHECK: Final = "check"
LOST: Final = "lost"
REFUSED: Final = "refused"


class Note(msgspec.Struct, frozen=True):
    """One remark: from which field of which object, to which field of which, and why."""

    kind: str
    source: str
    path: Path
    message: str
    target: str = ""
    target_path: Path = ()


class Notebook:
    """Collects the notes on one object that becomes another."""

    def __init__(self, source: str, target: str = "") -> None:
        self.source = source
        self.target = target
        self.notes: list[Note] = []

    def add(self, kind: str, message: str, path: Path, target_path: Path = ()) -> None:
        """Write a note down."""
        self.notes.append(Note(kind, self.source, path, message, self.target, target_path))

    @property
    def is_refused(self) -> bool:
        """Whether something cannot be converted at all."""
        return any(note.kind == REFUSED for note in self.notes)
