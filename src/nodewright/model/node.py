"""Nodes as the kubelet reports them."""

import msgspec

from nodewright.model.metadata import Condition, ObjectMeta, Struct, Taint
from nodewright.model.pod import Amounts


class NodeSpec(Struct, frozen=True):
    """Who the machine is and what keeps pods off it."""

    provider_id: str = msgspec.field(default="", name="providerID")
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeStatus(Struct, frozen=True):
    """What the machine has."""

    capacity: Amounts = {}
    allocatable: Amounts = {}
    conditions: tuple[Condition, ...] = ()


class Node(Struct, frozen=True):
    """A node."""

    metadata: ObjectMeta
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
