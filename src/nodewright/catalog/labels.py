"""The labels of an instance type, as the requirements that pods and NodePools are held against.

A label for which EC2 names nothing is "must not exist", so whoever asks for it rejects the type.
Thousands of types share a few thousand (label, value) pairs, and a requirement never changes: each
pair is made once and shared.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from nodewright.catalog.settings import NodeSettings, Reservation
from nodewright.catalog.table import Shape
from nodewright.model.labels import (
    ARCH,
    AWS_GROUP,
    CAPACITY_TYPE,
    INSTANCE_TYPE,
    ON_DEMAND,
    OS,
    PLACEMENT_GROUP_ID,
    PLACEMENT_GROUP_PARTITION,
    REGION,
    RESERVATION_ID,
    RESERVATION_INTERRUPTIBLE,
    RESERVATION_TYPE,
    RESERVED,
    SPOT,
    WINDOWS_BUILD,
    ZONE,
    ZONE_ID,
)
from nodewright.model.requirements import Requirement, Requirements

_NITRO_SANDBOX: Final = f"{AWS_GROUP}/nitro-sandbox"
_INSTANCE: Final = f"{AWS_GROUP}/instance-"
_SCHEME: Final = re.compile(r"^([a-z]+)(?:-[0-9]+tb)?([0-9]+).*\.")
_TENANCIES: Final = ("dedicated", "default")


@lru_cache(maxsize=65536)
def one_of(key: str, *values: str) -> Requirement:
    """Give the shared requirement that a label has one of these values; none means absent."""
    return Requirement(key, False, frozenset(values))


def requirements_of(
    shape: Shape, region: str, zones: tuple[str, ...], settings: NodeSettings
) -> Requirements:
    """Give every label of a type that is sold in these zones of a region."""
    reservations = tuple(
        entry for entry in settings.reservations if entry.instance_type == shape.name
    )
    return Requirements(
        (
            *_identity(shape, region, zones, settings),
            *_reservations(shape, reservations),
            *_name_parts(shape),
            *_machine(shape),
            *_accelerators(shape),
        )
    )


def capacity_types_of(shape: Shape) -> tuple[str, ...]:
    """Give the ways in which a type can be bought, reservations apart."""
    return tuple(kind for kind in (ON_DEMAND, SPOT) if kind in shape.usage_classes)


def _identity(
    shape: Shape, region: str, zones: tuple[str, ...], settings: NodeSettings
) -> Iterator[Requirement]:
    build = settings.windows_build
    systems = ("linux",) if not build else ("windows",) if shape.arch == "amd64" else ()
    yield one_of(INSTANCE_TYPE, shape.name)
    yield one_of(ARCH, shape.arch)
    yield one_of(OS, *systems)
    yield one_of(ZONE, *zones)
    yield one_of(REGION, region)
    yield one_of(WINDOWS_BUILD, *_known(build))
    yield one_of(PLACEMENT_GROUP_ID, *_known(settings.placement_group))
    partitions = range(1, settings.placement_partitions + 1)
    yield one_of(PLACEMENT_GROUP_PARTITION, *(str(number) for number in partitions))
    # The ids of zones differ between accounts: only subnets can tell them.
    ids = tuple(
        zone.zone_id for zone in settings.zones or () if zone.zone_id and zone.name in zones
    )
    if ids:
        yield one_of(ZONE_ID, *ids)


def _reservations(shape: Shape, found: tuple[Reservation, ...]) -> Iterator[Requirement]:
    yield one_of(CAPACITY_TYPE, *capacity_types_of(shape), *([RESERVED] if found else []))
    yield one_of(RESERVATION_ID, *(entry.reservation_id for entry in found))
    yield one_of(RESERVATION_TYPE, *(entry.kind for entry in found))
    yield one_of(
        RESERVATION_INTERRUPTIBLE, *(_truth(holds=entry.is_interruptible) for entry in found)
    )


def _name_parts(shape: Shape) -> Iterator[Requirement]:
    family, _, size = shape.name.partition(".")
    parts = _SCHEME.match(shape.name)
    yield one_of(f"{_INSTANCE}category", *_known(parts[1] if parts else ""))
    yield one_of(f"{_INSTANCE}generation", *_known(parts[2] if parts else ""))
    yield one_of(f"{_INSTANCE}family", *_known(family))
    yield one_of(f"{_INSTANCE}size", *_known(size))
    yield one_of(f"{_INSTANCE}capability-flex", _truth(holds="-flex" in family))


def _machine(shape: Shape) -> Iterator[Requirement]:
    nvme_gb = shape.store_gb if shape.store_is_nvme else 0
    yield one_of(f"{_INSTANCE}cpu", str(shape.vcpu))
    yield one_of(f"{_INSTANCE}memory", str(shape.memory_mib))
    yield one_of(f"{_INSTANCE}cpu-manufacturer", *_known(_kebab(shape.manufacturer)))
    yield one_of(f"{_INSTANCE}cpu-sustained-clock-speed-mhz", *_counted(shape.clock_mhz))
    yield one_of(f"{_INSTANCE}hypervisor", shape.hypervisor)
    yield one_of(
        f"{_INSTANCE}encryption-in-transit-supported", _truth(holds=shape.encrypts_in_transit)
    )
    yield one_of(_NITRO_SANDBOX, _truth(holds=shape.has_enclaves))
    yield one_of(f"{_INSTANCE}local-nvme", *_counted(nvme_gb))
    yield one_of(f"{_INSTANCE}ebs-bandwidth", *_counted(shape.ebs_mbps))
    yield one_of(f"{_INSTANCE}network-bandwidth", *_counted(shape.network_mbps))
    yield one_of(f"{_INSTANCE}tenancy", *_TENANCIES)


def _accelerators(shape: Shape) -> Iterator[Requirement]:
    # Only a single kind can be described by one label; machines with two kinds carry none.
    gpu = shape.gpus[0] if len(shape.gpus) == 1 else None
    yield one_of(f"{_INSTANCE}gpu-name", *_known(_kebab(gpu.name) if gpu else ""))
    yield one_of(f"{_INSTANCE}gpu-manufacturer", *_known(_kebab(gpu.manufacturer) if gpu else ""))
    yield one_of(f"{_INSTANCE}gpu-count", *([str(gpu.count)] if gpu else []))
    yield one_of(f"{_INSTANCE}gpu-memory", *([str(gpu.memory_mib)] if gpu else []))
    name, manufacturer, count = _accelerator(shape)
    yield one_of(f"{_INSTANCE}accelerator-name", *_known(_kebab(name)))
    yield one_of(f"{_INSTANCE}accelerator-manufacturer", *_known(_kebab(manufacturer)))
    yield one_of(f"{_INSTANCE}accelerator-count", *_counted(count))


def _accelerator(shape: Shape) -> tuple[str, str, int]:
    if len(shape.neurons) == 1:
        return shape.neurons[0].name, "aws", shape.neurons[0].count
    if not shape.neurons and len(shape.accelerators) == 1:
        only = shape.accelerators[0]
        return only.name, only.manufacturer, only.count
    return "", "", 0


def _kebab(name: str) -> str:
    return name.lower().replace(" ", "-")


def _truth(*, holds: bool) -> str:
    return "true" if holds else "false"


def _known(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _counted(amount: int) -> tuple[str, ...]:
    return (str(amount),) if amount else ()
