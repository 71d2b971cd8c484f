"""NodeClasses: one is ready when the cloud has machines on sale for it."""

from collections.abc import Iterator, Mapping
from typing import Final

from nodewright.core.lifecycle_conditions import FALSE, Finding, conditions_after, says
from nodewright.model.decision import Change, rest_on
from nodewright.model.resource import NODE_CLASSES, refer
from nodewright.model.world import World

ON_SALE: Final = "InstanceTypesReady"


def judge_classes(world: World, type_counts: Mapping[str, int]) -> Iterator[Change]:
    """Give the conditions of the classes that the cloud was asked about."""
    for one in world.node_classes:
        name = one.metadata.name
        if name not in type_counts or one.metadata.deletion_timestamp is not None:
            continue
        finding = Finding(ON_SALE)
        if not type_counts[name]:
            note = "the cloud has no machine on sale for the class"
            finding = Finding(ON_SALE, FALSE, "InstanceTypesNotFound", note)
        if not says(one, finding):
            yield Change(
                subject=refer(NODE_CLASSES, one),
                reason=finding.reason or finding.type,
                note=finding.message,
                basis=rest_on((NODE_CLASSES, one)),
                change={
                    "status": {
                        "conditions": conditions_after(one, [finding], (ON_SALE,), world.now_ms)
                    }
                },
                on_status=True,
                if_version=one.metadata.resource_version,
            )
