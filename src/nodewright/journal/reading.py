"""Reading a journal: its decisions with what came of them, and the World of each.

Segments are read one after the other, so that a journal of any size takes little memory. What cannot
be read is told and left out.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from nodewright.journal.kin import Kin, Wanted
from nodewright.journal.records import CameOf, Decided, Look, Sheet
from nodewright.journal.segments import SegmentReader, began_ms, list_segments
from nodewright.journal.sheets import Damaged, SheetReader
from nodewright.model.errors import UserError
from nodewright.state.snapshot import Snapshot, read_snapshot

NO_JOURNAL: Final = "NW-9601"
NO_DECISION: Final = "NW-9602"
LISTED_MAX: Final = 10_000


class Filter(msgspec.Struct, frozen=True):
    """Which decisions are wanted: of a controller, about a subject or somebody's kin, from an instant to another.

    Where `before_ms` is 0 there is no end; where no `kinds` are named all are wanted.
    """

    controller: str = ""
    subject: str = ""
    since_ms: int = 0
    limit: int = LISTED_MAX
    about: Wanted = Wanted()
    before_ms: int = 0
    kinds: frozenset[str] = frozenset()

    def wants(self, one: Decided) -> bool:
        """Tell whether a decision is wanted; a subject may be a part of the name."""
        if self.controller and one.controller != self.controller:
            return False
        if self.before_ms and one.at_ms >= self.before_ms:
            return False
        if self.kinds and one.kind not in self.kinds:
            return False
        return one.at_ms >= self.since_ms and (not self.subject or self.subject in one.subject)


class Entry(msgspec.Struct, frozen=True):
    """A decision with the latest that came of it."""

    decision: Decided
    outcome: CameOf | None = None


class Listing(msgspec.Struct, frozen=True):
    """Decisions, oldest first, and what could not be read."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """A decision with its look, all that was new at that look, and the World as a document."""

    entry: Entry
    look: Look
    siblings: tuple[Decided, ...]
    document: bytes

    def open(self) -> Snapshot:
        """Read the World that was decided on."""
        return read_snapshot(self.document, f"the snapshot of {self.entry.decision.id}")


class Journal:
    """A journal on disk, to be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(self, wanted: Filter = Filter()) -> Listing:  # noqa: B008 - frozen.
        """Give the decisions that are wanted, the latest where there are too many.

        Segments are read from the last one back, and no further than it takes.
        """
        decided: dict[tuple[str, str], Decided] = {}
        outcomes: dict[str, CameOf] = {}
        problems: list[str] = []
        kin = self._learn(wanted)
        for path in reversed(list(self._since(wanted.since_ms))):
            reader = SegmentReader(path)
            own: dict[tuple[str, str], Decided] = {}
            came_of: dict[str, CameOf] = {}
            for line in reader.lines():
                if isinstance(line, CameOf):
                    came_of[line.id] = line
                elif isinstance(line, Decided) and _is_wanted(line, wanted, kin):
                    own[line.look, line.id] = line
                    if len(own) > wanted.limit:
                        del own[next(iter(own))]
            decided, outcomes = own | decided, came_of | outcomes
            problems[:0] = reader.problems
            if len(decided) >= wanted.limit:
                break
        last = list(decided.values())[-wanted.limit :] if wanted.limit > 0 else []
        return Listing(tuple(Entry(one, outcomes.get(one.id)) for one in last), tuple(problems))

    def _learn(self, wanted: Filter) -> Kin | None:
        """Learn who belongs to whom, from all that is there; nothing where nobody was named."""
        if wanted.about.is_anybody:
            return None
        kin = Kin(wanted.about)
        for path in self._segments():
            for line in SegmentReader(path).lines():
                if isinstance(line, Decided):
                    kin.learn(line)
        return kin

    def find(self, name: str) -> Found:
        """Give a decision with its World, by its name or that of the command it began; the latest of that name."""
        outcome: CameOf | None = None
        for path in reversed(self._segments()):
            seen = _search(path, name)
            outcome = outcome or seen.outcome
            if seen.look is not None:
                return self._complete(path, name, seen, outcome)
        began = self._find_began(name)
        if began:
            return self.find(began)
        raise UserError(
            f"the journal has no decision {name}",
            code=NO_DECISION,
            where=str(self._folder),
            advice="`nodewright decisions` lists those it has; older ones are thrown away",
        )

    def _find_began(self, command: str) -> str:
        """Give the decision that began a command, which notes, Events and log lines know by its own name."""
        for path in reversed(self._segments()):
            for line in SegmentReader(path).lines():
                match line:
                    case Decided(content={"record": {"id": str(found)}}) if found == command:
                        return line.id
        return ""

    def looks(self) -> Iterator[Found]:
        """Give every look by the first decision that was new at it, with its World, in order."""
        for path in self._segments():
            sheets = SheetReader()
            look, document = None, b""
            siblings: list[Decided] = []
            for line in SegmentReader(path).lines():
                if isinstance(line, Decided):
                    siblings.append(line)
                    continue
                if look is not None and siblings:
                    yield Found(Entry(siblings[0]), look, tuple(siblings), document)
                look, siblings = None, []
                if isinstance(line, Sheet):
                    sheets.take(line)
                elif isinstance(line, Look):
                    look, document = line, self._document(sheets, line, line.id)
            if look is not None and siblings:
                yield Found(Entry(siblings[0]), look, tuple(siblings), document)

    def _complete(self, path: Path, name: str, seen: "_Seen", outcome: CameOf | None) -> Found:
        reader, sheets = SegmentReader(path), SheetReader()
        siblings: list[Decided] = []
        look, document = None, b""
        for line in reader.lines():
            match line:
                case Sheet() if look is None:
                    sheets.take(line)
                case Look() if line.id == seen.look:
                    look, document = line, self._document(sheets, line, name)
                case Decided() if line.look == seen.look:
                    siblings.append(line)
        decision = next((one for one in siblings if one.id == name), None)
        if look is None or decision is None:
            raise self._damaged(name, "; ".join(reader.problems) or "its look is not there")
        return Found(Entry(decision, outcome), look, tuple(siblings), document)

    def _document(self, sheets: SheetReader, look: Look, name: str) -> bytes:
        try:
            return sheets.document(look)
        except Damaged as error:
            raise self._damaged(name, str(error)) from None

    def _damaged(self, name: str, why: str) -> UserError:
        return UserError(
            f"the snapshot of {name} cannot be read: {why}",
            code=NO_DECISION,
            where=str(self._folder),
        )

    def _since(self, instant_ms: int) -> Iterator[Path]:
        segments = self._segments()
        for index, path in enumerate(segments):
            # A segment may hold what is wanted unless the next one begins before that.
            if index + 1 == len(segments) or began_ms(segments[index + 1]) >= instant_ms:
                yield path

    def _segments(self) -> list[Path]:
        try:
            found = list_segments(self._folder)
        except OSError as error:
            raise self._absent(error.strerror or str(error)) from None
        if not found:
            raise self._absent("no journal is in this folder")
        return found

    def _absent(self, why: str) -> UserError:
        return UserError(
            f"the journal cannot be read: {why}",
            code=NO_JOURNAL,
            where=str(self._folder),
            advice="give the controller's journal folder with --journal, or its API with --api",
        )


def _is_wanted(one: Decided, wanted: Filter, kin: Kin | None) -> bool:
    return wanted.wants(one) and (kin is None or kin.concerns(one))


class _Seen(msgspec.Struct):
    look: str | None = None
    outcome: CameOf | None = None


def _search(path: Path, name: str) -> _Seen:
    """Look for the latest look at which a decision was new, and for what came of it."""
    seen = _Seen()
    for line in SegmentReader(path).lines():
        if isinstance(line, Decided) and line.id == name:
            seen.look = line.look
        elif isinstance(line, CameOf) and line.id == name:
            seen.outcome = line
    return seen
