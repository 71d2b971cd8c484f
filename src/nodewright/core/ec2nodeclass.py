"""EC2NodeClasses: what their selectors found becomes their status, and whether machines can be made.

Every selector has a condition of its own, and Ready follows from all of them. A question that could not
be answered for a moment changes nothing: what was known is still the best that is known. The last
condition is about the class itself: it holds when nothing in it would keep a machine from starting. A
class that an older object was converted into has its status on that object.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from nodewright.core.ec2nodeclass_hash import stamp_ec2_class
from nodewright.core.lifecycle_conditions import FALSE, UNKNOWN, Finding, conditions_after, find
from nodewright.model.classfacts import ClassFacts, Trouble
from nodewright.model.decision import Change, Decision, Release, Tell, rest_on
from nodewright.model.ec2nodeclass import (
    SEEN_MEMORY,
    TERMINATION_FINALIZER,
    EC2NodeClass,
    EC2NodeClassStatus,
)
from nodewright.model.metadata import Condition
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import class_key, key_of_reference
from nodewright.model.older import origin_of
from nodewright.model.resource import AWS_NODE_TEMPLATES, NODE_CLASSES, refer
from nodewright.model.validation import ERROR
from nodewright.model.validation_ec2nodeclass import (
    UNSUPPORTED_ALIAS,
    check_alias,
    validate_ec2nodeclass,
)
from nodewright.model.world import World

SUBNETS: Final = "SubnetsReady"
SECURITY_GROUPS: Final = "SecurityGroupsReady"
AMIS: Final = "AMIsReady"
INSTANCE_PROFILE: Final = "InstanceProfileReady"
CAPACITY_RESERVATIONS: Final = "CapacityReservationsReady"
PLACEMENT_GROUP: Final = "PlacementGroupReady"
VALIDATION: Final = "ValidationSucceeded"
WAITING_QUIET_MS: Final = 600_000
PARTS: Final = (
    AMIS,
    SUBNETS,
    SECURITY_GROUPS,
    INSTANCE_PROFILE,
    CAPACITY_RESERVATIONS,
    PLACEMENT_GROUP,
    VALIDATION,
)
_NOT_FOUND: Final = {
    AMIS: ("AMINotFound", "no image was found by amiSelectorTerms"),
    SUBNETS: ("SubnetsNotFound", "no subnet was found by subnetSelectorTerms"),
    SECURITY_GROUPS: (
        "SecurityGroupsNotFound",
        "no security group was found by securityGroupSelectorTerms",
    ),
    INSTANCE_PROFILE: ("InstanceProfileNotFound", "the class names no role and no profile"),
}


def decide_ec2_classes(world: World) -> Iterator[Decision]:
    """Give the next step of every class: it is held, told about, or let go."""
    facts = {one.name: one for one in world.beside.class_facts}
    yield from _hold(world)
    yield from _stamp(world, facts)
    yield from judge_ec2_classes(world, facts)
    yield from _let_go(world)


def _classes(world: World) -> Iterator[EC2NodeClass]:
    # What an older object was converted into has no object of its own.
    for one in world.node_classes:
        if isinstance(one, EC2NodeClass) and origin_of(one) is None:
            yield one


def _hold(world: World) -> Iterator[Change]:
    for one in _classes(world):
        meta = one.metadata
        if meta.deletion_timestamp is None and TERMINATION_FINALIZER not in meta.finalizers:
            yield Change(
                subject=refer(NODE_CLASSES, one),
                reason="Finalizer",
                basis=rest_on((NODE_CLASSES, one)),
                change={"metadata": {"finalizers": [*meta.finalizers, TERMINATION_FINALIZER]}},
                if_version=meta.resource_version,
            )


def _stamp(world: World, facts: Mapping[str, ClassFacts]) -> Iterator[Change]:
    for one in _classes(world):
        known = facts.get(one.metadata.name)
        if known is not None and _is_about(known, one):
            yield from stamp_ec2_class(one, known, _claims_of(world, one))
            yield from _note_memory(one, known)


def _note_memory(node_class: EC2NodeClass, facts: ClassFacts) -> Iterator[Change]:
    """Note on a class what its nodes have shown, so that the next process need not guess."""
    noted = facts.seen_memory
    if noted and noted != node_class.metadata.annotations.get(SEEN_MEMORY, ""):
        yield Change(
            subject=refer(NODE_CLASSES, node_class),
            reason="SeenMemory",
            basis=rest_on((NODE_CLASSES, node_class)),
            change={"metadata": {"annotations": {SEEN_MEMORY: noted}}},
        )


def _claims_of(world: World, node_class: EC2NodeClass) -> list[NodeClaim]:
    key = class_key(node_class)
    return [one for one in world.node_claims if key_of_reference(one.spec.node_class_ref) == key]


def _is_about(facts: ClassFacts, node_class: EC2NodeClass) -> bool:
    """Tell whether answers are about a class as it is: what it was before no longer counts."""
    meta = node_class.metadata
    return meta.deletion_timestamp is None and facts.generation == meta.generation


def _let_go(world: World) -> Iterator[Decision]:
    for one in _classes(world):
        meta = one.metadata
        if meta.deletion_timestamp is None or TERMINATION_FINALIZER not in meta.finalizers:
            continue
        left = len(_claims_of(world, one))
        ref = refer(NODE_CLASSES, one)
        if left:
            note = f"the class goes when its {left} NodeClaims are gone"
            yield Tell(
                subject=ref,
                reason="WaitingOnNodeClaimTermination",
                note=note,
                quiet_ms=WAITING_QUIET_MS,
            )
        else:
            yield Release(
                subject=ref, reason="Finalized", basis=rest_on((NODE_CLASSES, one)), thing=one
            )


def judge_ec2_classes(world: World, facts: Mapping[str, ClassFacts]) -> Iterator[Change]:
    """Give the status of every class that was asked about, where it is not written already."""
    for one in world.node_classes:
        if not isinstance(one, EC2NodeClass) or is_nowhere(one):
            continue
        known = facts.get(one.metadata.name)
        if known is None or not _is_about(known, one):
            continue
        change = judge_ec2_class(one, known, world.now_ms)
        if change is not None:
            yield change


def judge_ec2_class(node_class: EC2NodeClass, facts: ClassFacts, now_ms: int) -> Change | None:
    """Give the status of a class; nothing where it is written already."""
    findings = [*_selector_findings(node_class, facts)]
    findings.append(_validation(node_class, facts, findings))
    conditions = conditions_after(node_class, findings, PARTS, now_ms)
    values = _values(facts)
    if _is_written(node_class, conditions, values):
        return None
    ready = conditions[-1]
    kind = NODE_CLASSES if origin_of(node_class) is None else AWS_NODE_TEMPLATES
    return Change(
        subject=refer(kind, node_class),
        reason=str(ready["reason"]),
        note=str(ready["message"]),
        basis=rest_on((kind, node_class)),
        change={"status": {**values, "conditions": conditions}},
        on_status=True,
        if_version=node_class.metadata.resource_version,
    )


def status_after(node_class: EC2NodeClass, facts: ClassFacts, now_ms: int) -> EC2NodeClassStatus:
    """Give the status that a class has after answers, for one that it cannot be written on."""
    change = judge_ec2_class(node_class, facts, now_ms)
    if change is None:
        return node_class.status
    return msgspec.convert(change.change["status"], EC2NodeClassStatus)


def is_nowhere(node_class: EC2NodeClass) -> bool:
    """Tell whether a class has no object of its own.

    It was written inside a Provisioner, or is one of several that a template had to become.
    """
    origin = origin_of(node_class)
    is_template = origin is AWS_NODE_TEMPLATES and bool(node_class.metadata.uid)
    return origin is not None and not is_template


def _selector_findings(node_class: EC2NodeClass, facts: ClassFacts) -> Iterator[Finding]:
    alias = next(check_alias(node_class.spec, facts.kubernetes_minor), None)
    if alias is not None:
        yield Finding(AMIS, FALSE, UNSUPPORTED_ALIAS, alias.message)
    else:
        yield _found(node_class, AMIS, facts.amis)
    yield _found(node_class, SUBNETS, facts.subnets)
    yield _found(node_class, SECURITY_GROUPS, facts.security_groups)
    yield _found(node_class, INSTANCE_PROFILE, facts.instance_profile)
    # A class without reservations, or with none left, is as good as any.
    reserved = facts.capacity_reservations
    yield _found(node_class, CAPACITY_RESERVATIONS, reserved or (True,))
    yield _found(node_class, PLACEMENT_GROUP, facts.placement_group or (True,))


def _found(node_class: EC2NodeClass, kind: str, answer: object) -> Finding:
    if isinstance(answer, Trouble):
        if not answer.is_passing:
            return Finding(kind, FALSE, answer.reason, answer.message)
        known = find(node_class.status.conditions, kind)
        if known is not None:
            return Finding(kind, known.status, known.reason, known.message)
        return Finding(kind, UNKNOWN, answer.reason, answer.message)
    if not answer:
        return Finding(kind, FALSE, *_NOT_FOUND[kind])
    return Finding(kind)


def _validation(node_class: EC2NodeClass, facts: ClassFacts, findings: list[Finding]) -> Finding:
    problems = validate_ec2nodeclass(
        node_class,
        kubernetes_minor=facts.kubernetes_minor,
        expressions=facts.allows_expressions,
    )
    for problem in problems:
        if problem.severity == ERROR and problem.reason != UNSUPPORTED_ALIAS:
            return Finding(VALIDATION, FALSE, problem.reason, problem.message)
    if facts.user_data is not None:
        return Finding(VALIDATION, FALSE, facts.user_data.reason, facts.user_data.message)
    waiting = [one.type for one in findings if one.status != "True"]
    if waiting:
        words = f"waiting for {', '.join(waiting)}"
        return Finding(VALIDATION, UNKNOWN, "DependenciesNotReady", words)
    return _found(node_class, VALIDATION, facts.rehearsal or (True,))


def _values(facts: ClassFacts) -> dict[str, Any]:
    found = {
        "subnets": facts.subnets,
        "securityGroups": facts.security_groups,
        "amis": facts.amis,
        "instanceProfile": facts.instance_profile,
        "capacityReservations": facts.capacity_reservations,
    }
    return {
        name: msgspec.json.decode(msgspec.json.encode(value))
        for name, value in found.items()
        if not isinstance(value, Trouble)
    }


def _is_written(
    node_class: EC2NodeClass, conditions: list[dict[str, object]], values: dict[str, Any]
) -> bool:
    status = msgspec.json.decode(msgspec.json.encode(node_class.status))
    if any((status.get(name) or None) != (value or None) for name, value in values.items()):
        return False
    return msgspec.convert(conditions, tuple[Condition, ...]) == node_class.status.conditions
