"""What was made of objects that never change, kept from one look at a cluster to the next.

Two looks see mostly the same objects, and what is made of one of them alone is the same both times. It is
found again by the identity of everything that it was made of, which is a comparison of addresses and not
of contents. Whatever was not asked for during the last so many makings is forgotten.
"""

from collections.abc import Callable


class Recall[T]:
    """Remembers at least the last so many values, and at most twice as many."""

    def __init__(self, least: int) -> None:
        self._least = least
        # The parts are kept with what was made of them: so no other object can get their address.
        self._fresh: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}
        self._older: dict[tuple[int, ...], tuple[tuple[object, ...], T]] = {}

    def of(self, parts: tuple[object, ...], make: Callable[[], T]) -> T:
        """Give what is made of these objects; they must be all that it depends on."""
        key = tuple(map(id, parts))
        known = self._fresh.get(key)
        if known is None:
            known = self._older.get(key) or (parts, make())
            if len(self._fresh) >= self._least:
                self._older, self._fresh = self._fresh, {}
            self._fresh[key] = known
        return known[1]
