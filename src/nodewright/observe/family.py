"""What a family of metrics is: one name, what it tells, and by what it is split."""

from typing import Final

import msgspec

DURATIONS: Final = (
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 45,
    60, 90, 120, 180, 240, 300, 450, 600,
)  # fmt: skip


class Family(msgspec.Struct, frozen=True):
    """One metric: its name, what it tells, and by what it is split."""

    name: str
    about: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = DURATIONS
