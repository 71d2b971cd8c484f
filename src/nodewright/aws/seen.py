"""The memory that nodes have really shown: what the hypervisor takes is only guessed before.

It differs by type and image, so it is kept by both. The smallest counts, because a pod must fit on every
machine of the type, and it is kept for sixty days after the last node that has shown it. A process learns
from the nodes that are there when it starts, and from what its forerunner has noted on the class.
"""

import logging
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import msgspec

from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import AMIStatus
from nodewright.model.quantity import MILLI, Milli
from nodewright.ports.clock import Clock

DAY_MS: Final = 24 * 3_600_000
KEPT_MS: Final = 60 * DAY_MS
LOOK_MS: Final = 10_000
NOTED_DAYS: Final = 10
ENTRIES_MAX: Final = 10_000
_log: Final = logging.getLogger("nodewright.aws")

_DECODER: Final = msgspec.json.Decoder(dict[str, dict[str, tuple[int, int]]])
type Noted = dict[str, dict[str, tuple[int, int]]]
"""Bytes, and the day on which they were last seen, by image and type."""


class Sight(NamedTuple):
    """The smallest memory that was seen, and when it was seen last."""

    memory: Milli
    at_ms: int


class SeenMemory:
    """What is known of the memory of types, from nodes that are asked for now and then."""

    def __init__(self, clock: Clock, nodes: Callable[[], Iterable[SeenNode]]) -> None:
        self._clock = clock
        self._nodes = nodes
        self._seen: dict[tuple[str, str], Sight] = {}
        self._recalled: dict[str, None] = {}
        self._due_ms = 0

    def of(self, images: Iterable[AMIStatus]) -> tuple[tuple[str, Milli], ...]:
        """Give the smallest memory of each type that was seen with one of these images."""
        found: dict[str, Milli] = {}
        for (kind, _), one in self._known(images):
            found[kind] = min(one.memory, found.get(kind, one.memory))
        return tuple(sorted(found.items()))

    def note(self, images: Iterable[AMIStatus], written: str) -> str:
        """Give what is to be noted of these images; what is written already where it says enough."""
        noted: Noted = {}
        for (kind, image), one in sorted(self._known(images)):
            noted.setdefault(image, {})[kind] = (one.memory // MILLI, one.at_ms // DAY_MS)
        if not noted or _says_enough(_read(written), noted):
            return written
        return msgspec.json.encode(noted, order="deterministic").decode()

    def recall(self, written: str) -> None:
        """Learn what was noted, once."""
        if written in self._recalled:
            return
        self._recalled[written] = None
        if len(self._recalled) > ENTRIES_MAX:
            del self._recalled[next(iter(self._recalled))]
        for image, kinds in _read(written).items():
            for kind, (size, day) in kinds.items():
                self._learn((kind, image), size * MILLI, day * DAY_MS)

    def _known(self, images: Iterable[AMIStatus]) -> list[tuple[tuple[str, str], Sight]]:
        now_ms = self._clock.now_ms()
        if now_ms >= self._due_ms:
            self._due_ms = now_ms + LOOK_MS
            for one in self._nodes():
                self._learn((one.instance_type, one.image_id), one.memory, now_ms)
        ids = {one.id for one in images}
        return [
            (key, one)
            for key, one in self._seen.items()
            if key[1] in ids and now_ms - one.at_ms < KEPT_MS
        ]

    def _learn(self, key: tuple[str, str], memory: Milli, at_ms: int) -> None:
        known = self._seen.pop(key, None)
        if known is not None and abs(known.at_ms - at_ms) < KEPT_MS:
            memory, at_ms = min(known.memory, memory), max(known.at_ms, at_ms)
        elif known is not None and known.at_ms > at_ms:
            memory, at_ms = known
        self._seen[key] = Sight(memory, at_ms)
        if len(self._seen) > ENTRIES_MAX:
            del self._seen[next(iter(self._seen))]


def _read(written: str) -> Noted:
    if not written:
        return {}
    try:
        return _DECODER.decode(written)
    except msgspec.MsgspecError as error:
        _log.warning("what was noted of the memory of nodes cannot be read: %s", error)
        return {}


def _says_enough(written: Noted, noted: Noted) -> bool:
    """Tell whether a note has all images, types and amounts, and is not much older."""
    return all(
        known is not None and known[0] == size and day - known[1] < NOTED_DAYS
        for image, kinds in noted.items()
        for kind, (size, day) in kinds.items()
        for known in [written.get(image, {}).get(kind)]
    )
