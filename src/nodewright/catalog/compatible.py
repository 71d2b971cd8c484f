"""Whether a machine can be started at all as a NodeClass wants it."""

from nodewright.catalog.settings import AL2023, NodeSettings
from nodewright.catalog.table import Shape


def is_compatible(shape: Shape, settings: NodeSettings) -> bool:
    """Tell whether EC2 would take the settings for this type."""
    if settings.ami_family == AL2023 and shape.family == "a1":
        return False
    if settings.nests_virtualization and not shape.nests_virtualization:
        return False
    if settings.placement_strategy and settings.placement_strategy not in shape.placements:
        return False
    if settings.has_connection_tracking and shape.hypervisor != "nitro":
        return False
    return settings.network_interfaces is None or _takes_interfaces(shape, settings)


def _takes_interfaces(shape: Shape, settings: NodeSettings) -> bool:
    if not shape.has_ena or settings.efa_only_count > shape.efa_interfaces:
        return False
    return all(
        interface.card < len(shape.card_interfaces)
        and interface.device < shape.card_interfaces[interface.card]
        for interface in settings.network_interfaces or ()
    )
