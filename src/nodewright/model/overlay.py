"""NodeOverlay (`karpenter.sh/v1alpha1`): corrections to prices and capacities of instance types."""

from nodewright.model.metadata import Condition, NodeSelectorRequirement, ObjectMeta, Struct
from nodewright.model.pod import Amounts


class NodeOverlaySpec(Struct, frozen=True):
    """Which types, and what is different about them."""

    requirements: tuple[NodeSelectorRequirement, ...] = ()
    price: str | None = None
    price_adjustment: str | None = None
    capacity: Amounts = {}
    weight: int | None = None


class NodeOverlayStatus(Struct, frozen=True):
    """Whether the overlay is used."""

    conditions: tuple[Condition, ...] = ()


class NodeOverlay(Struct, frozen=True):
    """A correction to what the cloud says of its machines."""

    metadata: ObjectMeta
    spec: NodeOverlaySpec = NodeOverlaySpec()
    status: NodeOverlayStatus = NodeOverlayStatus()
