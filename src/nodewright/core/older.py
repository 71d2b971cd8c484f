"""Karpenter's older objects: what is written on them, and what their owners are told.

They are acted on as what they are called today, and say so: whether they could be read, whether they
are ready, what their nodes have, and once, that their kind is of the past. An object that could not
be read says why; one whose name an object of today has too stands back.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from nodewright.core.lifecycle_conditions import (
    FALSE,
    Finding,
    conditions_after,
    find,
    says,
)
from nodewright.core.nodepool import CLASS_READY, VALID, judge_pool, print_usage
from nodewright.model.decision import Change, Decision, Tell
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import class_key, key_of_reference
from nodewright.model.nodepool import NodePool
from nodewright.model.older import OlderObject, origin_of
from nodewright.model.resource import MACHINES, PROVISIONERS, refer
from nodewright.model.world import World

CONVERTED: Final = "Converted"
DEPRECATED: Final = "Deprecated"
LEFT_ALONE: Final = "LeftAlone"
_NOT_OURS: Final = (
    "it is planned with, and ended only by the version of Karpenter that made it: let that one run "
    "until its Machines are gone, or drain the node with kubectl and end the instance"
)
POOL_PARTS: Final = (CONVERTED, VALID, CLASS_READY)
_TODAY: Final = {"Provisioner": "NodePool", "AWSNodeTemplate": "EC2NodeClass"}


def judge_older(world: World) -> Iterator[Decision]:
    """Give what is to be written on older objects, and what is told about them."""
    pools = {pool.metadata.name: pool for pool in world.node_pools if origin_of(pool) is not None}
    for one in world.beside.older:
        is_going = one.metadata.deletion_timestamp is not None
        if one.resource is MACHINES and is_going:
            yield Tell(
                subject=refer(MACHINES, one), reason=LEFT_ALONE, note=_NOT_OURS, is_warning=True
            )
        if one.resource is MACHINES or is_going:
            continue
        findings = [_deprecation(one), _conversion(one)]
        yield from _tell(one, findings)
        pool = pools.get(one.metadata.name) if one.resource is PROVISIONERS else None
        if pool is None:
            yield from _write(one, findings, {}, world.now_ms)
        else:
            findings += _judge(pool, world)
            own = _claims_of(pool, world.node_claims)
            yield from _write(one, findings, _usage(pool, own, world), world.now_ms)


def _deprecation(one: OlderObject) -> Finding:
    today = _TODAY.get(one.kind, one.kind)
    note = f"{one.api_version} {one.kind} is read as {today} of today; nodewright convert writes it"
    return Finding(DEPRECATED, reason=f"Use{today}", message=note)


def _conversion(one: OlderObject) -> Finding:
    if one.refused:
        return Finding(CONVERTED, FALSE, "ConversionRefused", one.refused)
    if not one.became:
        return Finding(CONVERTED, FALSE, "ConversionRefused", "it could not be read")
    return Finding(CONVERTED, message="; ".join((f"acts as {', '.join(one.became)}", *one.lost)))


def _tell(one: OlderObject, findings: Sequence[Finding]) -> Iterator[Tell]:
    """Tell what has not been written down yet: once it is, it was told."""
    ref = refer(one.resource, one)
    deprecation, conversion = findings
    if find(one.status.conditions, DEPRECATED) is None:
        yield Tell(subject=ref, reason=DEPRECATED, note=deprecation.message, is_warning=True)
    if says(one, conversion):
        return
    if conversion.status == FALSE:
        note = f"it is left out: {conversion.message}"
        yield Tell(subject=ref, reason="ConversionRefused", note=note, is_warning=True)
    elif one.lost:
        note = "; ".join(one.lost)
        yield Tell(subject=ref, reason="ReadDifferently", note=note, is_warning=True)


def _judge(pool: NodePool, world: World) -> list[Finding]:
    classes = {class_key(one): one for one in world.node_classes}
    node_class = classes.get(key_of_reference(pool.spec.template.spec.node_class_ref))
    if node_class is not None and origin_of(node_class) is PROVISIONERS:
        # A class that was written inside its pool has no status to look at.
        return [judge_pool(pool, node_class)[0], Finding(CLASS_READY)]
    return judge_pool(pool, node_class)


def _claims_of(pool: NodePool, claims: Sequence[NodeClaim]) -> list[NodeClaim]:
    return [one for one in claims if one.metadata.labels.get(NODEPOOL) == pool.metadata.name]


def _usage(pool: NodePool, own: Sequence[NodeClaim], world: World) -> dict[str, object]:
    nodes = {node.spec.provider_id: node for node in world.nodes if node.spec.provider_id}
    used = print_usage(own, nodes)
    if used == pool.status.resources:
        return {}
    return {"resources": {**dict.fromkeys(pool.status.resources), **used}}


def _write(
    one: OlderObject, findings: Sequence[Finding], more: dict[str, object], now_ms: int
) -> Iterator[Change]:
    if not more and all(says(one, finding) for finding in findings):
        return
    parts = POOL_PARTS if one.resource is PROVISIONERS else ()
    conditions = conditions_after(one, findings, parts, now_ms)
    yield Change(
        subject=refer(one.resource, one),
        reason="Status",
        note=findings[1].message,
        basis=((str(refer(one.resource, one)), one.metadata.resource_version),),
        change={"status": {**more, "conditions": conditions}},
        on_status=True,
        if_version=one.metadata.resource_version,
    )
