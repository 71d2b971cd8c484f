"""The part of an EC2NodeClass that changes what instance types are.

Zones are those of the subnets that its status names; before any are known, every zone counts.
Capacity reservations are not taken from the status, which does not say how much of them is left,
nor is the strategy of a placement group, which only EC2 knows.
"""

import msgspec

from nodewright.catalog.settings import (
    AL2023,
    DEFAULT,
    BlockDevice,
    Interface,
    NodeSettings,
    SubnetZone,
)
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassSpec
from nodewright.model.errors import UserError
from nodewright.model.kubelet import is_expression, read_kubelet
from nodewright.model.quantity import BadQuantity, Milli, parse_quantity, parse_resources


def settings_of(node_class: EC2NodeClass, base: NodeSettings = DEFAULT) -> NodeSettings:
    """Give the settings of a NodeClass; `base` holds what the controller itself is told.

    What cannot be read is a user's mistake, named by its field.
    """
    where = f"EC2NodeClass {node_class.metadata.name}"
    spec = node_class.spec
    try:
        kubelet = read_kubelet(spec.kubelet)
        cpu = spec.cpu_options
        return msgspec.structs.replace(
            base,
            ami_family=spec.resolved_family or AL2023,
            zones=_zones(node_class),
            max_pods=kubelet.max_pods if isinstance(kubelet.max_pods, int) else None,
            max_pods_formula=kubelet.max_pods if isinstance(kubelet.max_pods, str) else "",
            pods_per_core=kubelet.pods_per_core,
            kube_reserved=_amounts(kubelet.kube_reserved),
            kube_formulas=_formulas(kubelet.kube_reserved),
            system_reserved=_amounts(kubelet.system_reserved),
            system_formulas=_formulas(kubelet.system_reserved),
            eviction_hard=tuple(
                (signal, str(value)) for signal, value in sorted(kubelet.eviction_hard.items())
            ),
            block_devices=_block_devices(spec),
            instance_store_policy=spec.instance_store_policy or "",
            network_interfaces=_interfaces(spec),
            has_connection_tracking=spec.connection_tracking is not None,
            nests_virtualization=cpu is not None and cpu.nested_virtualization == "enabled",
        )
    except msgspec.ValidationError as error:
        raise UserError(f"kubelet: {error}", code="NW-9303", where=where) from error
    except BadQuantity as error:
        raise UserError(str(error), code="NW-9303", where=where) from error


def _zones(node_class: EC2NodeClass) -> tuple[SubnetZone, ...] | None:
    found = {
        subnet.zone: SubnetZone(subnet.zone, subnet.zone_id) for subnet in node_class.status.subnets
    }
    return tuple(found[zone] for zone in sorted(found)) or None


def _amounts(written: dict[str, str | int | float]) -> tuple[tuple[str, Milli], ...]:
    plain = {name: value for name, value in written.items() if not is_expression(value)}
    return tuple(sorted(parse_resources(plain).items()))


def _formulas(written: dict[str, str | int | float]) -> tuple[tuple[str, str], ...]:
    known = {name: str(value) for name, value in written.items() if is_expression(value)}
    return tuple(sorted(known.items()))


def _block_devices(spec: EC2NodeClassSpec) -> tuple[BlockDevice, ...]:
    return tuple(
        BlockDevice(
            device_name=mapping.device_name or "",
            size=parse_quantity(mapping.ebs.volume_size)
            if mapping.ebs is not None and mapping.ebs.volume_size is not None
            else None,
            is_root=mapping.root_volume,
        )
        for mapping in spec.block_device_mappings
    )


def _interfaces(spec: EC2NodeClassSpec) -> tuple[Interface, ...] | None:
    wanted = tuple(
        Interface(entry.network_card_index, entry.device_index, entry.interface_type)
        for entry in spec.network_interfaces
    )
    return wanted or None
