"""What keeps a machine from being a good node, and how much it keeps it from.

`absent` means that no Node ever appears: the kubelet does not start, or nobody lets it in. `unready`
means that the Node is there and stays NotReady. `limited` means a node that works for its pods, while
something around it does not. Words are those of the console or of the Node's Ready condition.
"""

from enum import IntEnum

import msgspec


class Weight(IntEnum):
    """How much of a node is lost."""

    LIMITED = 1
    UNREADY = 2
    ABSENT = 3


class Fault(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    weight: Weight
    text: str


def absent(text: str) -> Fault:
    """Give a fault that keeps the node from appearing."""
    return Fault(Weight.ABSENT, text)


def unready(text: str) -> Fault:
    """Give a fault that keeps the node from becoming ready."""
    return Fault(
        Weight.UNREADY,
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        f"message:Network plugin returns error: cni plugin not initialized ({text})",
    )


def limited(text: str) -> Fault:
    """Give a fault that the node can live with."""
    return Fault(Weight.LIMITED, text)
