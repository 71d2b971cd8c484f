"""Notes: what this process has written on NodePools of what it remembers, and who is just writing."""

import asyncio

from nodewright.state.expectations import has_reached


class Notes:
    """The texts that may stand on pools as far as we wrote them, and the versions that came of it."""

    def __init__(self) -> None:
        self._texts: dict[str, set[str | None]] = {}
        self._latest: dict[str, str | None] = {}
        self._versions: dict[str, str] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def names(self) -> tuple[str, ...]:
        """Name the pools that were read."""
        return tuple(sorted(self._texts))

    def knows(self, pool: str, text: str | None) -> bool:
        """Tell whether what stands on a pool was read or written by us."""
        return text in self._texts.get(pool, ())

    def is_latest(self, pool: str, text: str | None) -> bool:
        """Tell whether a text is what we know to stand on a pool."""
        return pool in self._latest and self._latest[pool] == text

    def read(self, pool: str, text: str | None) -> None:
        """Take note of what stands on a pool."""
        self._texts[pool], self._latest[pool] = {text}, text

    def write(self, pool: str, text: str | None) -> None:
        """Take note of what is about to be written: it may come to stand there."""
        self._texts.setdefault(pool, set()).add(text)

    def wrote(self, pool: str, text: str | None, version: str) -> None:
        """Take note of what was written."""
        self.read(pool, text)
        self._versions[pool] = version

    def forget(self, pool: str) -> None:
        """Take note that a pool is gone."""
        for known in (self._texts, self._latest, self._versions, self._locks):
            known.pop(pool, None)

    def version(self, pool: str, seen: str) -> str:
        """Give the latest version of a pool that we know of."""
        own = self._versions.get(pool, "")
        return own if own and not has_reached(seen, own) else seen

    def miss(self, pool: str) -> None:
        """Take note that somebody else has written: what is seen counts."""
        self._versions.pop(pool, None)

    def turn(self, pool: str) -> asyncio.Lock:
        """Give what lets one write at a time."""
        return self._locks.setdefault(pool, asyncio.Lock())
