"""How the queue of messages about machines is heard: how late the latest of them came, and what is wrong."""

import msgspec


class Heard(msgspec.Struct, frozen=True):
    """What came of listening last; a lag only once a message has come."""

    lag_ms: int | None = None
    fault: str = ""


class Hearing:
    """What this process has heard of its queue; nothing where it listens to none."""

    def __init__(self) -> None:
        self.latest: Heard | None = None

    def listened(self, lags_ms: tuple[int, ...]) -> None:
        """Take note of messages, or of none, by how long each had waited."""
        before = self.latest.lag_ms if self.latest is not None else None
        self.latest = Heard(max(lags_ms, default=before))

    def failed(self, fault: str) -> None:
        """Take note that nothing can be heard."""
        before = self.latest.lag_ms if self.latest is not None else None
        self.latest = Heard(before, fault)
