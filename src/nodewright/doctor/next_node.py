"""How many addresses the next node of a class takes from its subnet, by the settings of AWS's network plugin.

As a rule the plugin holds whole network interfaces: the one that pods use, and WARM_ENI_TARGET spare ones (one
if nothing is said). With IP targets it holds so many addresses, with prefixes blocks of sixteen. Where pods
have subnets of their own, or another plugin gives them addresses, a node takes the one of its machine.
The next machine is taken to be like the largest that the class has now, or like an m5.large where it has none.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from nodewright.catalog.table import bundled_table

ASSUMED: Final = "m5.large"
_PREFIX: Final = 16
_CUSTOM: Final = "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG"
_TARGETS: Final = ("WARM_IP_TARGET", "MINIMUM_IP_TARGET")


class Need(msgspec.Struct, frozen=True):
    """So many addresses, and how they come about."""

    count: int
    why: str


def need_of_next(types: Iterable[str], plugin: Mapping[str, str] | None) -> Need:
    """Tell what the next node takes; without a plugin of AWS it is one address."""
    if plugin is None:
        return Need(1, "the machine's own: pods get theirs elsewhere")
    if plugin.get(_CUSTOM) == "true":
        return Need(1, f"the machine's own: {_CUSTOM} gives pods other subnets")
    targets = [_number(plugin, name, 0) for name in _TARGETS]
    if plugin.get("ENABLE_PREFIX_DELEGATION") == "true":
        spare = _number(plugin, "WARM_PREFIX_TARGET", 1)
        blocks = -(-max(targets) // _PREFIX) if any(targets) else 1 + spare
        return Need(1 + blocks * _PREFIX, f"the machine's own and {blocks} prefixes of {_PREFIX}")
    if any(targets):
        return Need(1 + max(targets), f"the machine's own and {' or '.join(_TARGETS)}")
    shapes = bundled_table().shapes_by_name
    largest = max(
        (one for one in sorted(set(types)) if one in shapes),
        key=lambda one: shapes[one].ipv4_per_interface,
        default=ASSUMED,
    )
    interfaces = 1 + _number(plugin, "WARM_ENI_TARGET", 1)
    each = shapes[largest].ipv4_per_interface
    return Need(interfaces * each, f"{interfaces} interfaces of {largest} with {each} addresses")


def _number(plugin: Mapping[str, str], name: str, otherwise: int) -> int:
    text = plugin.get(name, "")
    return int(text) if text.isdecimal() else otherwise
