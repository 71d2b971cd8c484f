"""NodeOverlay (`karpenter.sh/v1alpha1`): corrections to prices and capacities of instance types."""

from typing import Annotated, Final

from nodewright.model.metadata import ObjectMeta, Struct
from nodewright.model.pod import Amounts
from nodewright.model.schema import Rule, about
from nodewright.model.schema_requirements import (
    REQUIREMENTS_MAX,
    OverlayRequirement,
    StatusCondition,
)

PRICE_PATTERN: Final = r"^[0-9]+(\.[0-9]+)?$"
PRICE_ADJUSTMENT_PATTERN: Final = (
    r"^([+-][0-9]+(\.[0-9]+)?|\+[0-9]+(\.[0-9]+)?%|-(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)%)$"
)
BASE_RESOURCES: Final = ("cpu", "memory", "ephemeral-storage", "pods")


def _no_overlay_of(name: str) -> Rule:
    return Rule(
        f"!('{name}' in self)",
        f"{name} of an instance type cannot be overlaid: only extended resources can",
        lambda capacity: name not in capacity,
    )


_CAPACITY_RULES: Final = tuple(_no_overlay_of(name) for name in BASE_RESOURCES)


class NodeOverlaySpec(Struct, frozen=True):
    """Which types, and what is different about them."""

    requirements: Annotated[
        tuple[OverlayRequirement, ...],
        about(
            "Which instance types and offerings; all must hold.",
            required=True,
            maxItems=REQUIREMENTS_MAX,
        ),
    ] = ()
    price: Annotated[
        str | None,
        about("The price per hour, instead of the real one.", pattern=PRICE_PATTERN),
    ] = None
    price_adjustment: Annotated[
        str | None,
        about(
            "What to add to the price (+0.5, -0.2) or by how much to change it (+10%, -100%).",
            pattern=PRICE_ADJUSTMENT_PATTERN,
        ),
    ] = None
    capacity: Annotated[
        Amounts,
        about("Extended resources that the machines have in addition.", *_CAPACITY_RULES),
    ] = {}
    weight: Annotated[
        int | None,
        about(
            "Of overlays that touch the same thing, the one of greatest weight counts.",
            minimum=1,
            maximum=10_000,
            format="int32",
        ),
    ] = None


_PRICE_RULE: Final = Rule(
    "!has(self.price) || !has(self.priceAdjustment)",
    "price and priceAdjustment exclude each other: set one of them",
    lambda spec: spec.get("price") is None or spec.get("priceAdjustment") is None,
)


class NodeOverlayStatus(Struct, frozen=True):
    """Whether the overlay is used."""

    conditions: Annotated[tuple[StatusCondition, ...], about("What the controllers found.")] = ()


class NodeOverlay(Struct, frozen=True):
    """A correction to what the cloud says of its machines."""

    metadata: ObjectMeta
    spec: Annotated[
        NodeOverlaySpec,
        about("Which types, and what is different about them.", _PRICE_RULE, required=True),
    ] = NodeOverlaySpec()
    status: Annotated[NodeOverlayStatus, about("Whether the overlay is used.")] = (
        NodeOverlayStatus()
    )
