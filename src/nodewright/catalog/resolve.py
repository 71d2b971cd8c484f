"""From the table to the instance types of a region, as the settings of a NodeClass see them."""

from functools import lru_cache

from nodewright.catalog.capacity import capacity_of, overhead_of
from nodewright.catalog.compatible import is_compatible
from nodewright.catalog.formulas import settle
from nodewright.catalog.labels import requirements_of
from nodewright.catalog.offerings import offerings_of, zones_of
from nodewright.catalog.settings import DEFAULT, NodeSettings
from nodewright.catalog.table import Shape, Sheet, Table, bundled_table
from nodewright.model.instance import InstanceType


def regions() -> tuple[str, ...]:
    """Name the regions that the bundled table knows."""
    return bundled_table().regions


def instance_types_for(region: str, settings: NodeSettings = DEFAULT) -> tuple[InstanceType, ...]:
    """Give every type that a region sells, by the bundled table, in order of name.

    The answer is kept: asking again for the same region and settings costs nothing.
    """
    return _bundled_types(region, settings)


@lru_cache(maxsize=64)
def _bundled_types(region: str, settings: NodeSettings) -> tuple[InstanceType, ...]:
    return resolve(bundled_table(), region, settings)


def resolve(table: Table, region: str, settings: NodeSettings) -> tuple[InstanceType, ...]:
    """Give every type that a region sells, by this table, in order of name."""
    sheet = table.sheet(region)
    return tuple(
        resolve_type(table.shapes[number], sheet, row, settings)
        for row, number in enumerate(sheet.types)
    )


def resolve_type(shape: Shape, sheet: Sheet, row: int, settings: NodeSettings) -> InstanceType:
    """Give one type as a row of a sheet sells it."""
    settings = settle(shape, settings)
    zones = tuple(zone for _, zone in zones_of(sheet, row))
    if settings.zones is not None:
        usable = {zone.name for zone in settings.zones}
        zones = tuple(zone for zone in zones if zone in usable)
    capacity = capacity_of(shape, settings)
    return InstanceType(
        name=shape.name,
        requirements=requirements_of(shape, sheet.region, zones, settings),
        capacity=capacity,
        overhead=overhead_of(shape, settings, capacity),
        offerings=tuple(
            offerings_of(shape, sheet, row, settings, compatible=is_compatible(shape, settings))
        ),
    )
