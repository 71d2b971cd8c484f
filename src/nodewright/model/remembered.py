"""What is remembered of one NodePool, as it stands on it: an annotation, read back by whoever leads next.

Rates, waves, back-off and churn are about what was done before, which no other object shows. Without an
annotation nothing is remembered, so taking it off a pool is how a person makes us forget. Text that
cannot be read counts as none.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from nodewright.model.disruption import Backoff, Wave
from nodewright.model.nodepool import NodePool

MEMORY: Final = "nodewright.dev/disruption-memory"
"""The annotation of a NodePool."""


class Swapped(msgspec.Struct, frozen=True, rename="camel"):
    """Types that became others, and when."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    at_ms: int


class Remembered(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What is remembered of a pool: `gone` has instants at which so many nodes went."""

    wave: Wave | None = None
    backoff: Backoff | None = None
    gone: tuple[tuple[int, int], ...] = ()
    moved_ms: Mapping[str, tuple[int, ...]] = {}
    swaps: tuple[Swapped, ...] = ()

    def write(self) -> str | None:
        """Give the text of the annotation; none where there is nothing to remember."""
        if self == Remembered():
            return None
        return msgspec.json.encode(self, order="deterministic").decode()


def read_remembered(pool: NodePool) -> Remembered:
    """Give what is remembered of a pool."""
    return parse_remembered(pool.metadata.annotations.get(MEMORY))


def parse_remembered(text: str | None) -> Remembered:
    """Read the text of the annotation."""
    if not text:
        return Remembered()
    try:
        return msgspec.json.decode(text, type=Remembered)
    except msgspec.DecodeError:
        return Remembered()
