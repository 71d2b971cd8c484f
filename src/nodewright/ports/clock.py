"""Time, as controllers may know it: they ask for it and never look at a clock of their own."""

from typing import Protocol


class Clock(Protocol):
    """Where the time comes from, real or virtual."""

    def now_ms(self) -> int:
        """Give the present instant in milliseconds since the epoch."""
        ...

    async def sleep_ms(self, duration_ms: int) -> None:
        """Wait."""
        ...
