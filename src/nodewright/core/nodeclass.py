"""NodeClasses: one is ready when the cloud has machines on sale for it."""

from collections.abc import Iterator, Mapping
from typing import Final

from nodewright.core.lifecycle_conditions import FALSE, Finding, conditions_after, says
from nodewright.model.beside import Beside
from nodewright.model.decision import Change, rest_on
from nodewright.model.nodeclass import ClassKey, class_key, kind_of
from nodewright.model.older import origin_of
from nodewright.model.resource import AWS_NODE_TEMPLATES, refer
from nodewright.model.world import World

ON_SALE: Final = "InstanceTypesReady"


def count_types(beside: Beside) -> dict[ClassKey, int]:
    """Give how many types are on sale for each class that the cloud was asked about."""
    return {(one.group, one.kind, one.name): one.count for one in beside.type_counts}


def judge_classes(world: World, type_counts: Mapping[ClassKey, int]) -> Iterator[Change]:
    """Give the conditions of the classes that the cloud was asked about."""
    for one in world.node_classes:
        key = class_key(one)
        if key not in type_counts or one.metadata.deletion_timestamp is not None:
            continue
        # A class that was converted has its status on what it was, if that is an object at all.
        kind = kind_of(one) if origin_of(one) is None else AWS_NODE_TEMPLATES
        if kind is AWS_NODE_TEMPLATES and (origin_of(one) is not kind or not one.metadata.uid):
            continue
        finding = Finding(ON_SALE)
        if not type_counts[key]:
            note = "the cloud has no machine on sale for the class"
            finding = Finding(ON_SALE, FALSE, "InstanceTypesNotFound", note)
        if not says(one, finding):
            yield Change(
                subject=refer(kind, one),
                reason=finding.reason or finding.type,
                note=finding.message,
                basis=rest_on((kind, one)),
                change={
                    "status": {
                        "conditions": conditions_after(one, [finding], (ON_SALE,), world.now_ms)
                    }
                },
                on_status=True,
                if_version=one.metadata.resource_version,
            )
