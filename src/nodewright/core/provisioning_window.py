"""The batch window: pods that come together are planned for together.

The first pod opens it. A pod that is new keeps it open a little longer, up to a limit; one that has
been seen does not, or a pod that cannot be helped would hold up all the others. A pod that still
waits some time after a pass opens the next one.
"""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

AGAIN_MS: Final = 10_000


class WindowSettings(msgspec.Struct, frozen=True):
    """How long to wait for more."""

    idle_ms: int = 1_000
    most_ms: int = 10_000


class Window(msgspec.Struct, frozen=True):
    """Since when the window is open, when the last new pod came, and when each pod last counted."""

    opened_ms: int | None = None
    newest_ms: int = 0
    counted_ms: Mapping[str, int] = {}

    def see(self, waiting: Collection[str], now_ms: int, came_ms: int | None = None) -> "Window":
        """Take note of who waits now, and of when the newest came where that is known."""
        if self._is_nothing_new(waiting, now_ms):
            return self
        counted = {uid: self.counted_ms[uid] for uid in waiting if uid in self.counted_ms}
        new = [uid for uid in waiting if uid not in counted]
        again = [uid for uid, at_ms in counted.items() if now_ms - at_ms >= AGAIN_MS]
        newest_ms = now_ms if came_ms is None else came_ms
        if self.opened_ms is None:
            if not new and not again:
                return Window(None, 0, counted)
            counted |= dict.fromkeys([*new, *again], now_ms)
            return Window(newest_ms, newest_ms, counted)
        counted |= dict.fromkeys(new, now_ms)
        return Window(self.opened_ms, newest_ms if new else self.newest_ms, counted)

    def _is_nothing_new(self, waiting: Collection[str], now_ms: int) -> bool:
        # Asked many times a second, mostly of thousands who wait as before.
        if set(waiting) != self.counted_ms.keys():
            return False
        oldest_ms = min(self.counted_ms.values(), default=now_ms)
        return self.opened_ms is not None or now_ms - oldest_ms < AGAIN_MS

    def forget(self, uids: Collection[str]) -> "Window":
        """Count some who wait as new: what they were promised did not come."""
        if not uids:
            return self
        counted = {uid: at_ms for uid, at_ms in self.counted_ms.items() if uid not in uids}
        return Window(self.opened_ms, self.newest_ms, counted)

    def due_ms(self, settings: WindowSettings) -> int | None:
        """Tell when the window closes, as far as is known now; nothing while it is not open."""
        if self.opened_ms is None:
            return None
        return min(self.newest_ms + settings.idle_ms, self.opened_ms + settings.most_ms)

    def close(self, now_ms: int) -> "Window":
        """Begin to wait again: who is still there after a while opens the next window."""
        return Window(None, 0, dict.fromkeys(self.counted_ms, now_ms))
