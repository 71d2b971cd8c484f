"""Prices for regions that no package quotes today.

The newest table knows us-east-1; an older one knows most regions. Within a family, a region costs
the same multiple of us-east-1 for every size, so where only the us-east-1 price is new, the regional
price is that price times the old multiple: of the type, else of its family, else of its category,
else of the region. Such a price is an estimate and is marked. An old regional price whose us-east-1
price has not moved since is taken as it was quoted.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median
from typing import Final

import msgspec

HOME: Final = "us-east-1"
_STEP: Final = 1000
_CATEGORY: Final = re.compile(r"[a-z]+")

type Prices = Mapping[str, Mapping[str, int]]
"""Region to type to nano-dollars an hour."""


class Quote(msgspec.Struct, frozen=True):
    """A price for a type in a region: as quoted by one of the two tables, or estimated."""

    price: int
    is_new: bool = False
    is_estimate: bool = False


class Estimator:
    """What the two tables together say of any (type, region)."""

    def __init__(self, new: Prices, old: Prices) -> None:
        self._new = new
        self._old = old
        self._ratios = {region: _Ratios(prices, old[HOME]) for region, prices in old.items()}

    def quote(self, name: str, region: str) -> Quote | None:
        """Give the price of a type in a region, or nothing where neither table helps."""
        listed = self._new.get(region)
        if listed is not None:
            return Quote(listed[name], is_new=True) if name in listed else None
        home: float | None = self._new[HOME].get(name)
        old = self._old.get(region, {}).get(name)
        old_home = self._old[HOME].get(name)
        if old is not None and (home is None or old_home is None or _same(home, old_home)):
            return Quote(old)
        if home is None:
            home = self._home_from_elsewhere(name)
        if home is None or region not in self._ratios:
            return None
        ratio = self._ratios[region].of(name)
        return Quote(round(home * ratio / _STEP) * _STEP, is_estimate=True)

    def _home_from_elsewhere(self, name: str) -> float | None:
        for region in sorted(self._old):
            if name in self._old[region]:
                return self._old[region][name] / self._ratios[region].of(name)
        return None


class _Ratios:
    """How many times the us-east-1 price a region costs."""

    def __init__(self, prices: Mapping[str, int], home: Mapping[str, int]) -> None:
        self._types = {name: prices[name] / home[name] for name in sorted(prices) if name in home}
        self._families = _medians((family_of(name), ratio) for name, ratio in self._types.items())
        self._categories = _medians(
            (category_of(name), ratio) for name, ratio in self._types.items()
        )
        self._region = median(self._types.values())

    def of(self, name: str) -> float:
        """Give the multiple for a type, from the nearest kin that is known."""
        return self._types.get(
            name,
            self._families.get(
                family_of(name), self._categories.get(category_of(name), self._region)
            ),
        )


def family_of(name: str) -> str:
    """Give the part of a type's name before the dot."""
    return name.partition(".")[0]


def category_of(name: str) -> str:
    """Give the leading letters of a type's name."""
    found = _CATEGORY.match(name)
    return found[0] if found else ""


def _medians(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for key, ratio in pairs:
        groups[key].append(ratio)
    return {key: median(ratios) for key, ratios in groups.items()}


def _same(left: float, right: float) -> bool:
    # The two tables round to different digits.
    return abs(left - right) * 10_000 <= max(left, right)
