"""Drift field by field: what a claim has, and what its pool or class wants of a claim that is made today.

A fingerprint tells that a template has changed and not where: so what a claim was made with is laid beside
what the template says now. What stands in user data and in annotations is compared and never shown.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.candidates import Census, name_of
from nodewright.core.disruption.classdrift import GROUP_DRIFT, IMAGE_DRIFT, SUBNET_DRIFT
from nodewright.core.disruption.drift import DriftJudge
from nodewright.core.scheduling.funnel import show_taint
from nodewright.model import labels as names
from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.hashing import EC2NODECLASS_HASH, NODEPOOL_HASH
from nodewright.model.metadata import Taint
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import NodeClass, class_key, key_of_reference
from nodewright.model.nodepool import NodePool
from nodewright.model.requirements import BadRequirement, Requirements
from nodewright.model.world import World

NOTHING: Final = "-"
_VALUES_MAX: Final = 6


class Differs(msgspec.Struct, frozen=True):
    """A field in which a claim differs, what it has there, and what is wanted."""

    field: str
    has: str
    wants: str


class DriftStory(msgspec.Struct, frozen=True):
    """A node that has drifted: why, and in which fields; none where only fingerprints tell."""

    node: str
    claim: str
    node_pool: str
    reason: str
    fields: tuple[Differs, ...]


def explain_drift(world: World) -> tuple[DriftStory, ...]:
    """Give every node that has drifted, in order of their names."""
    census = Census(world)
    judge = DriftJudge(census, recall_world(world))
    classes = {class_key(one): one for one in world.node_classes}
    machines = {one.provider_id: one for one in world.beside.cloud.machines or ()}
    found = []
    for one in census.joined:
        claim, pool = one.claim, census.pools.get(one.pool)
        if claim is None or pool is None or one.is_deleting:
            continue
        reason = judge.reason_of(claim, pool)
        if reason is None:
            continue
        node_class = classes.get(key_of_reference(pool.spec.template.spec.node_class_ref))
        fields = [*_template(claim, pool), *_requirements(claim, pool)]
        if isinstance(node_class, EC2NodeClass):
            machine = machines.get(claim.status.provider_id)
            seen = {
                GROUP_DRIFT: machine.security_groups if machine is not None else (),
                SUBNET_DRIFT: (machine.subnet_id,) if machine is not None else (),
            }
            fields += _class_fields(claim, node_class, reason, seen)
        if not fields:
            fields = list(_fingerprints(claim, pool, node_class))
        found.append(DriftStory(name_of(one), claim.metadata.name, one.pool, reason, tuple(fields)))
    return tuple(sorted(found, key=lambda story: story.node))


def _template(claim: NodeClaim, pool: NodePool) -> Iterator[Differs]:
    template, spec, made = pool.spec.template, pool.spec.template.spec, claim.spec
    for key, value in sorted(template.metadata.labels.items()):
        has = claim.metadata.labels.get(key)
        if has != value:
            yield Differs(f"metadata.labels[{key}]", _shown(has), value)
    for key, value in sorted(template.metadata.annotations.items()):
        has = claim.metadata.annotations.get(key)
        if has != value:
            yield Differs(
                f"metadata.annotations[{key}]", NOTHING if has is None else "another", "this one"
            )
    yield from _compare("spec.taints", _taints(made.taints), _taints(spec.taints))
    startup = (_taints(made.startup_taints), _taints(spec.startup_taints))
    yield from _compare("spec.startupTaints", *startup)
    yield from _compare("spec.expireAfter", made.expire_after, spec.expire_after)
    grace = (made.termination_grace_period, spec.termination_grace_period)
    yield from _compare("spec.terminationGracePeriod", *map(_shown, grace))
    classes = (made.node_class_ref.name, spec.node_class_ref.name)
    yield from _compare("spec.nodeClassRef.name", *classes)


def _requirements(claim: NodeClaim, pool: NodePool) -> Iterator[Differs]:
    try:
        wanted = Requirements.from_expressions(pool.spec.template.spec.requirements)
    except BadRequirement:
        return
    for key, requirement in sorted(wanted.items()):
        value = claim.metadata.labels.get(key)
        if key in (names.HOSTNAME, names.NODEPOOL):
            continue
        is_fine = requirement.is_negative if value is None else requirement.has(value)
        if not is_fine:
            yield Differs(f"spec.requirements[{key}]", _shown(value), str(requirement))


def _class_fields(
    claim: NodeClaim, node_class: EC2NodeClass, reason: str, seen: Mapping[str, Iterable[str]]
) -> Iterator[Differs]:
    status = node_class.status
    if reason == IMAGE_DRIFT:
        wanted = [one.id for one in status.amis]
        yield Differs("status.imageID", _shown(claim.status.image_id), _list(wanted))
    elif reason == GROUP_DRIFT:
        wanted = [one.id for one in status.security_groups]
        yield Differs("securityGroups", _list(seen[GROUP_DRIFT]), _list(wanted))
    elif reason == SUBNET_DRIFT:
        wanted = [one.id for one in status.subnets]
        yield Differs("subnet", _list(seen[SUBNET_DRIFT]), _list(wanted))


def _fingerprints(
    claim: NodeClaim, pool: NodePool, node_class: NodeClass | None
) -> Iterator[Differs]:
    """Give at least which fingerprint differs."""
    for key, thing in ((NODEPOOL_HASH, pool), (EC2NODECLASS_HASH, node_class)):
        if thing is None:
            continue
        has, wants = claim.metadata.annotations.get(key), thing.metadata.annotations.get(key)
        if has != wants:
            yield Differs(f"metadata.annotations[{key}]", _shown(has), _shown(wants))


def _compare(field: str, has: str, wants: str) -> Iterator[Differs]:
    if has != wants:
        yield Differs(field, has, wants)


def _taints(taints: Iterable[Taint]) -> str:
    return _list(sorted(map(show_taint, taints)))


def _list(values: Iterable[str]) -> str:
    known = [one for one in values if one]
    more = len(known) - _VALUES_MAX
    shown = ", ".join(known[:_VALUES_MAX])
    return f"{shown} and {more} more" if more > 0 else shown or NOTHING


def _shown(value: str | None) -> str:
    return value or NOTHING
