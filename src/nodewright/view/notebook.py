"""The notebook: what was decided, kept in memory as far as a face shows it.

It is filled by a controller of the same process, as one of its witnesses, or from the entries of a
journal. The latest word about each node is kept, so that nobody has to decide again why a node stays;
of acts and words only so many of the latest are. It is written and read on one thread.
"""

from collections import OrderedDict, deque
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from nodewright.core.disrupting import PROPOSED
from nodewright.journal.kin import split_subject
from nodewright.journal.reading import Entry
from nodewright.journal.recorder import record_of
from nodewright.journal.records import CameOf, Decided, Look, WorldRef
from nodewright.model.decision import (
    Decision,
    Delete,
    Disrupt,
    End,
    Keep,
    Launch,
    Nominate,
    Refuse,
    Tell,
)
from nodewright.model.resource import NODES, PODS
from nodewright.model.world import World
from nodewright.observe.fresh import Fresh, code_of
from nodewright.ports.kube import Answer, Outcome

ACTS_MAX: Final = 5_000
WORDS_MAX: Final = 2_000
_SUBJECTS_MAX: Final = 100_000
DRAINING: Final = "FailedDraining"
_ACTS: Final = (Launch, Disrupt, Delete, End)
_ACT_NAMES: Final = frozenset(one.__name__ for one in _ACTS)
_NO_WORLD: Final = WorldRef("", {}, {}, msgspec.Raw(b"null"), msgspec.Raw(b"null"))


class Word(msgspec.Struct, frozen=True):
    """The latest that was said of a node or a pod; a code where it was refused something."""

    text: str
    at_ms: int
    code: str = ""
    decision: str = ""
    look_again_ms: int = 0


class Told(msgspec.Struct, frozen=True):
    """A page of the notebook.

    `kept` and `proposed` have the latest word about nodes, `drains` what draining nodes wait for,
    `refused` and `expected` (where to) the latest about pods by uid. Acts and words are oldest first.
    """

    kept: dict[str, Word] = {}
    proposed: dict[str, Word] = {}
    drains: dict[str, Word] = {}
    refused: dict[str, Word] = {}
    expected: dict[str, str] = {}
    acts: tuple[Entry, ...] = ()
    words: tuple[Entry, ...] = ()


class _Shelf[T](OrderedDict[str, T]):
    """The latest about so many subjects; those longest not spoken of are forgotten."""

    def note(self, name: str, value: T) -> None:
        """Put what was said last in the place of what was said before."""
        self[name] = value
        self.move_to_end(name)
        if len(self) > _SUBJECTS_MAX:
            self.popitem(last=False)


class Notebook:
    """Takes note of decisions; also a witness of controllers."""

    def __init__(self) -> None:
        self._fresh = Fresh()
        self._now_ms = 0
        self._kept = _Shelf[Word]()
        self._proposed = _Shelf[Word]()
        self._drains = _Shelf[Word]()
        self._refused = _Shelf[Word]()
        self._expected = _Shelf[str]()
        self._acts: deque[Entry] = deque(maxlen=ACTS_MAX)
        self._words: deque[Entry] = deque(maxlen=WORDS_MAX)
        self._known: deque[str] = deque(maxlen=ACTS_MAX)
        self._known_set: set[str] = set()
        self.revision = 0

    def page(self) -> Told:
        """Give what is known now."""
        return Told(
            dict(self._kept),
            dict(self._proposed),
            dict(self._drains),
            dict(self._refused),
            dict(self._expected),
            tuple(self._acts),
            tuple(self._words),
        )

    def read(self, entries: Iterable[Entry]) -> None:
        """Take note of entries of a journal, oldest first; those that are known change nothing."""
        for entry in entries:
            one = entry.decision
            if one.kind in _ACT_NAMES:
                self._act(entry)
            else:
                self._say(one)

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Take note of what is newly said."""
        del duration_ms
        self._now_ms = world.now_ms
        for one in self._fresh.pick(controller, decisions):
            match one:
                case Nominate():
                    self._expected.note(one.subject.uid, one.host)
                    self._refused.pop(one.subject.uid, None)
                    self.revision += 1
                case Refuse():
                    self._say(self._record(controller, one))
                case Keep() if one.reason == PROPOSED:
                    self._say(self._record(controller, one))
                case Tell() if one.subject.resource is NODES and (
                    code_of(one) or one.reason == DRAINING
                ):
                    self._say(self._record(controller, one))
                case _:
                    continue

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Take note of what was really done."""
        if answer.outcome is not Outcome.DONE or not isinstance(decision, _ACTS):
            return
        record = self._record(controller, decision)
        came_of = CameOf(record.id, self._now_ms, answer.outcome.value, "", duration_ms)
        self._act(Entry(record, came_of))

    def _record(self, controller: str, decision: Decision) -> Decided:
        look = Look(
            f"{controller}@{self._now_ms}", controller, self._now_ms, "", 0, 0, "", _NO_WORLD
        )
        return record_of(look, decision.id, decision)

    def _act(self, entry: Entry) -> None:
        name = entry.decision.id
        if name in self._known_set:
            return
        if len(self._known) == ACTS_MAX:
            self._known_set.discard(self._known[0])
        self._known.append(name)
        self._known_set.add(name)
        self._acts.append(entry)
        self.revision += 1

    def _say(self, one: Decided) -> None:
        kind, name = split_subject(one.subject)
        code = code_in(one)
        word = Word(one.note, one.at_ms, code, one.id, _again(one))
        if one.kind == Refuse.__name__ and kind == PODS.kind:
            self._refused.note(one.uid, word)
            self._expected.pop(one.uid, None)
        elif one.kind == Nominate.__name__ and kind == PODS.kind:
            self._expected.note(one.uid, str(one.content.get("host", "")))
            self._refused.pop(one.uid, None)
        elif kind == NODES.kind and one.kind == Keep.__name__ and one.reason == PROPOSED:
            self._proposed.note(name, word)
        elif kind == NODES.kind and one.reason == DRAINING:
            self._drains.note(name, word)
        elif kind == NODES.kind and one.kind == Tell.__name__ and code.startswith("NW-4"):
            self._kept.note(name, word)
            self._proposed.pop(name, None)
        else:
            return
        self.revision += 1
        if one.kind != Nominate.__name__ and one.reason != DRAINING:
            self._words.append(Entry(one))


def code_in(one: Decided) -> str:
    """Give the code that a decision names."""
    code = one.content.get("code")
    if isinstance(code, str):
        return code
    said = one.content.get("dedupe")
    names = said if isinstance(said, list | tuple) else ()
    return next((str(each) for each in names if str(each).startswith("NW-")), "")


def _again(one: Decided) -> int:
    found = one.content.get("look_again_ms")
    return found if isinstance(found, int) else 0
