"""The checks that cost nothing, made by the controller itself and written on pools and classes as a condition.

They are those of `doctor` that need no more than what the controllers see anyway, under the same codes.
The condition's reason is the code without its dash (a reason takes none), its message the whole of it. A
checkup that finds something keeps nobody from being ready: it is a word to the owner.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from nodewright.catalog.table import bundled_table
from nodewright.core.lifecycle_conditions import FALSE, Finding, conditions_after, find, says
from nodewright.core.scheduling.rules.taints import first_untolerated
from nodewright.model.decision import Change, Decision, rest_on
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.labels import INSTANCE_TYPE
from nodewright.model.nodepool import NodePool
from nodewright.model.older import origin_of
from nodewright.model.pod import DaemonSet
from nodewright.model.resource import NODE_CLASSES, NODE_POOLS, Resource, refer
from nodewright.model.world import World

CHECKUP: Final = "CheckupSucceeded"
_SYSTEM: Final = "kube-system"
_REFUSED: Final = ("c1.medium", "m1.small")
_PLACEHOLDER: Final = "${"

type Remark = tuple[str, str]
"""A code, and what is wrong."""


def check_up(world: World) -> Iterator[Decision]:
    """Give the conditions that are not written down yet."""
    for pool in world.node_pools:
        if origin_of(pool) is None:
            yield from _write(NODE_POOLS, pool, tuple(_pool_remarks(pool, world)), world.now_ms)
    for one in world.node_classes:
        if isinstance(one, EC2NodeClass) and origin_of(one) is None:
            yield from _write(NODE_CLASSES, one, tuple(_class_remarks(one)), world.now_ms)


def _pool_remarks(pool: NodePool, world: World) -> Iterator[Remark]:
    for one in world.daemon_sets:
        yield from _intolerant(one, pool)
    for wish in pool.spec.template.spec.requirements:
        words = wish.key.rpartition("/")[2].lower().replace("-", " ").replace("_", " ").split()
        if "efa" in words:
            yield "NW-3017", f"there is no label {wish.key}: EFA is a resource that pods request"
        if wish.key == INSTANCE_TYPE and wish.operator == "In":
            yield from _strange_types(wish.values)


def _intolerant(daemon: DaemonSet, pool: NodePool) -> Iterator[Remark]:
    if daemon.metadata.namespace != _SYSTEM:
        return
    taints = [
        one
        for one in (*pool.spec.template.spec.taints, *pool.spec.template.spec.startup_taints)
        if one.effect != "PreferNoSchedule"
    ]
    taint = first_untolerated(taints, daemon.spec.template.spec.tolerations)
    if taint is not None:
        yield (
            "NW-3012",
            f"DaemonSet {_SYSTEM}/{daemon.metadata.name} does not tolerate {taint.key}:{taint.effect}",
        )


def _strange_types(values: Sequence[str]) -> Iterator[Remark]:
    known = bundled_table().shapes_by_name
    if values and not any(one in known for one in values):
        yield "NW-3026", f"no instance type is called {', '.join(values)}: no node is ever made"
    for one in values:
        if one in _REFUSED:
            yield "NW-3041", f"{one} comes with swap, and the kubelet does not start on it"


def _class_remarks(one: EC2NodeClass) -> Iterator[Remark]:
    spec = one.spec
    written = [spec.role or "", *spec.tags.values()]
    written += [value for term in spec.subnet_selector_terms for value in term.tags.values()]
    written += [
        value for term in spec.security_group_selector_terms for value in term.tags.values()
    ]
    for value in written:
        if _PLACEHOLDER in value:
            yield "NW-3003", f"the variable {value} stands there as it is"


def _write(
    kind: Resource[Any], thing: Any, remarks: Sequence[Remark], now_ms: int
) -> Iterator[Decision]:
    finding = Finding(CHECKUP)
    if remarks:
        said = "; ".join(f"{code}: {text}" for code, text in sorted(set(remarks)))
        finding = Finding(CHECKUP, FALSE, min(remarks)[0].replace("-", ""), said)
    # Nothing is written on who has never had anything wrong.
    is_known = find(thing.status.conditions, CHECKUP) is not None
    if says(thing, finding) or (not remarks and not is_known):
        return
    yield Change(
        subject=refer(kind, thing),
        reason="Checkup",
        basis=rest_on((kind, thing)),
        change={"status": {"conditions": conditions_after(thing, [finding], (), now_ms)}},
        on_status=True,
        if_version=thing.metadata.resource_version,
    )
