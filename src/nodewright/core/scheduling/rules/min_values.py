"""minValues: a pool may ask that enough different values of a label stay possible."""

from collections.abc import Mapping

from nodewright.core.scheduling.supply import Bits, Supply
from nodewright.model.requirements import Requirements


def min_values_of(requirements: Requirements) -> Mapping[str, int]:
    """Give the labels for which a pool asks for choice, with how much."""
    return {
        key: requirement.min_values
        for key, requirement in requirements.items()
        if requirement.min_values is not None
    }


def distinct_values(supply: Supply, bits: Bits, key: str) -> int:
    """Count the values of a label over the types that are left."""
    values: set[str] = set()
    for index in supply.alive_types(bits):
        requirement = supply.types[index].requirements.get(key)
        if requirement is not None:
            values |= requirement.values
    return len(values)
