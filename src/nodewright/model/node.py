"""Nodes as the kubelet reports them."""

from functools import cached_property

import msgspec

from nodewright.model.metadata import Condition, ObjectMeta, Struct, Taint
from nodewright.model.pod import Amounts
from nodewright.model.quantity import Resources, parse_resources


class NodeSpec(Struct, frozen=True):
    """Who the machine is and what keeps pods off it."""

    provider_id: str = msgspec.field(default="", name="providerID")
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeStatus(Struct, frozen=True, dict=True):
    """What the machine has; amounts are read once."""

    capacity: Amounts = {}
    allocatable: Amounts = {}
    conditions: tuple[Condition, ...] = ()

    @cached_property
    def capacity_read(self) -> Resources:
        """All that the machine has."""
        return parse_resources(self.capacity)

    @cached_property
    def allocatable_read(self) -> Resources:
        """What pods can use of it."""
        return parse_resources(self.allocatable)


class Node(Struct, frozen=True):
    """A node."""

    metadata: ObjectMeta
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
