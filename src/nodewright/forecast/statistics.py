"""Means over seeds, and how sure they are: intervals in which the true mean lies with 95 %.

The intervals are Student's, for few runs that are drawn alike. Two policies are compared seed by seed: the same
seed is the same luck for both, so that the interval of a difference is narrower than those of its parts.
"""

from collections.abc import Sequence
from math import sqrt
from typing import Final

import msgspec

_T95: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL: Final = 1.960


class Estimate(msgspec.Struct, frozen=True):
    """A mean with the half of its interval; None where one run says nothing about chance."""

    mean: float
    half: float | None = None


def estimate(values: Sequence[float]) -> Estimate:
    """Give the mean of some runs and how sure it is."""
    count = len(values)
    mean = sum(values) / count
    if count < 2:
        return Estimate(mean)
    spread = sqrt(sum((one - mean) ** 2 for one in values) / (count - 1))
    times = _T95[count - 2] if count - 2 < len(_T95) else _NORMAL
    return Estimate(mean, times * spread / sqrt(count))


def compare(values: Sequence[float], base: Sequence[float]) -> Estimate:
    """Give how much more runs have than others of the same seeds."""
    return estimate([one - other for one, other in zip(values, base, strict=True)])
