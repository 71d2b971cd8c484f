"""Instance types as bits, so that a set of requirements is an AND of a few integers.

For each label and value there is a mask of the types that can have it. A requirement is the OR of
the masks of the values it allows, and is kept, since the pools of a stream repeat each other. Where
no region is known every type of the table counts, and zones are not judged.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Final

from nodewright.catalog.labels import requirements_of
from nodewright.catalog.settings import DEFAULT, NodeSettings
from nodewright.catalog.table import Sheet, bundled_table
from nodewright.lint.views import Wish
from nodewright.model.labels import (
    AWS_GROUP,
    CAPACITY_TYPE,
    OS,
    REGION,
    RESERVED,
    WELL_KNOWN,
    WINDOWS_BUILD,
    ZONE,
)
from nodewright.model.requirements import Requirement

# What differs from account to account, or follows from the class, is not the table's to judge.
_NOT_JUDGED: Final = frozenset(
    {
        OS,
        WINDOWS_BUILD,
        "topology.k8s.aws/zone-id",
        "karpenter.sh/nodepool",
        *(key for key in WELL_KNOWN if key.startswith(f"{AWS_GROUP}/capacity-reservation")),
        *(key for key in WELL_KNOWN if key.startswith(f"{AWS_GROUP}/placement-group")),
    }
)

type Mask = int

_KEPT_MAX: Final = 20_000


class Instances:
    """The types that a stream chooses from."""

    def __init__(self, region: str) -> None:
        self.region = region
        self._known: dict[Requirement, Mask] = {}

    @cached_property
    def sheet(self) -> Sheet | None:
        """What the region sells, or nothing where no region is known."""
        return bundled_table().sheet(self.region) if self.region else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The types by name, in the order of their bits."""
        table = bundled_table()
        if self.sheet is None:
            return tuple(shape.name for shape in table.shapes)
        return tuple(table.shapes[number].name for number in self.sheet.types)

    @property
    def everything(self) -> Mask:
        """All types."""
        return (1 << len(self.names)) - 1

    @cached_property
    def _by_label(self) -> dict[str, dict[str, Mask]]:
        table, sheet = bundled_table(), self.sheet
        settings: NodeSettings = DEFAULT
        masks: dict[str, dict[str, Mask]] = {}
        for bit, name in enumerate(self.names):
            zones = () if sheet is None else _zones(sheet, bit)
            labels = requirements_of(table.shapes_by_name[name], self.region, zones, settings)
            for key, requirement in labels.items():
                values = masks.setdefault(key, {})
                for value in requirement.values or ("",):
                    values[value] = values.get(value, 0) | 1 << bit
        return masks

    def values_of(self, key: str) -> frozenset[str]:
        """Give every value that a label has on some type."""
        return frozenset(self._by_label.get(key, ())) - {""}

    @cached_property
    def all_names(self) -> frozenset[str]:
        """Every type of the table, sold in this region or not."""
        return frozenset(bundled_table().shapes_by_name)

    @cached_property
    def all_families(self) -> frozenset[str]:
        """Every family of the table."""
        return frozenset(shape.family for shape in bundled_table().shapes)

    def is_judged(self, key: str) -> bool:
        """Tell whether the table knows what a label can be."""
        if key in (ZONE, REGION) and self.sheet is None:
            return False
        return key in WELL_KNOWN and key not in _NOT_JUDGED

    def matching(self, requirement: Requirement) -> Mask:
        """Give the types that a requirement leaves."""
        known = self._known.get(requirement)
        if known is None:
            if len(self._known) >= _KEPT_MAX:
                self._known.clear()
            known = self._known[requirement] = self._match(requirement)
        return known

    def _match(self, requirement: Requirement) -> Mask:
        if not self.is_judged(requirement.key):
            return self.everything
        if requirement.key == CAPACITY_TYPE and requirement.has(RESERVED):
            return self.everything
        masks = self._by_label.get(requirement.key, {})
        found = masks.get("", 0) if requirement.is_negative else 0
        for value, mask in masks.items():
            if value and requirement.has(value):
                found |= mask
        return found

    def left(self, wishes: Iterable[Wish]) -> Mask:
        """Give the types that a list of wishes leaves; what cannot be read leaves all."""
        by_key: dict[str, Requirement] = {}
        for wish in wishes:
            requirement = wish.read()
            if requirement is not None:
                known = by_key.get(requirement.key)
                if known is not None and not known.intersects(requirement):
                    return 0
                by_key[requirement.key] = known.intersect(requirement) if known else requirement
        mask = self.everything
        for requirement in by_key.values():
            mask &= self.matching(requirement)
        return mask

    def culprits(self, wishes: Sequence[Wish]) -> tuple[Wish, ...]:
        """Give a smallest set of wishes that together leave nothing, the last one first."""
        kept = list(wishes)
        for wish in wishes:
            rest = [one for one in kept if one is not wish]
            if rest and not self.left(rest):
                kept = rest
        return tuple(reversed(kept))

    def count_values(self, key: str, mask: Mask, requirement: Requirement) -> int:
        """Count the values of a label that the types of a set still have."""
        return sum(
            1
            for value, types in self._by_label.get(key, {}).items()
            if value and types & mask and requirement.has(value)
        )

    def having(self, key: str, value: str) -> Mask:
        """Give the types whose label has a value."""
        return self._by_label.get(key, {}).get(value, 0)

    def named(self, mask: Mask) -> list[str]:
        """Name the types of a set."""
        return [name for bit, name in enumerate(self.names) if mask >> bit & 1]


@lru_cache(maxsize=4)
def instances_of(region: str) -> Instances:
    """Give the types of a region; asking again costs nothing."""
    return Instances(region)


def _zones(sheet: Sheet, row: int) -> tuple[str, ...]:
    mask = sheet.zone_masks[row]
    return tuple(zone for bit, zone in enumerate(sheet.zones) if mask >> bit & 1)
