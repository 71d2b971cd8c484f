"""Places: where pods lie, as sets of concrete labels.

An existing node has one set of labels. A node yet to be made has many: one for each way to launch
it (listed type, offering on sale) and, where its requirements leave a label open, for each value
worth looking at. Whatever is launched must be right, so a rule holds on a planned node only if it
holds on every one of its label sets.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import product

import msgspec

from nodewright.model.instance import InstanceType, Offering
from nodewright.model.labels import HOSTNAME, INITIALIZED, NODEPOOL, REGISTERED
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import PlannedNode
from nodewright.model.pod import Pod
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirement, Requirements, read_requirement
from nodewright.model.world import World
from referee.labels import (
    Labels,
    accepts_missing,
    can_meet,
    forbids_label,
    normalized,
    values_named,
    values_of,
)

_MISSING: list[str | None] = [None]


class Launch(msgspec.Struct, frozen=True, eq=False):
    """One way to make a planned node."""

    instance_type: InstanceType
    offering: Offering


def _look(launch: Launch, keys: Iterable[str]) -> tuple[Requirement | None, ...]:
    """What a launch says about these keys: two that say the same need not both be looked at."""
    sources = (launch.instance_type.requirements, launch.offering.requirements)
    return tuple(source.get(key) for source in sources for key in keys)


class NewPlace:
    """A node that the plan wants to make."""

    is_new = True
    is_leaving = False

    def __init__(
        self, name: str, node: PlannedNode, pods: list[Pod], world: World, slots: Mapping[str, int]
    ) -> None:
        self.name = name
        self.slots = slots
        self.node = node
        self.pods = pods
        self.world = world
        self.pool = next(
            (pool for pool in world.node_pools if pool.metadata.name == node.node_pool), None
        )
        catalog = world.instance_types.get(node.node_pool, ())
        self.types = {one.name: one for one in catalog}
        self.probes = values_named(pods)
        self._sets: dict[tuple[frozenset[str], Launch | None], list[dict[str, str]]] = {}

    @property
    def taints(self) -> tuple[Taint, ...]:
        """What keeps pods off the node for good."""
        return self.pool.spec.template.spec.taints if self.pool else ()

    @cached_property
    def given(self) -> dict[str, str]:
        """Labels that the node gets whatever is launched."""
        labels = {HOSTNAME: self.name, NODEPOOL: self.node.node_pool}
        if self.pool is not None:
            labels |= normalized(self.pool.spec.template.metadata.labels)
            reference = self.pool.spec.template.spec.node_class_ref
            labels[f"{reference.group}/{reference.kind.lower()}"] = reference.name
        return labels

    @cached_property
    def defined(self) -> set[str]:
        """Keys that the pool or a listed type defines, or that everybody may ask for."""
        keys = set(self.world.options.well_known_labels) | set(self.given)
        if self.pool is not None:
            keys |= set(pool_requirements(self.pool))
        for launch in self.launches:
            keys |= set(launch.instance_type.requirements)
        return keys

    @cached_property
    def launches(self) -> list[Launch]:
        """Every way to make this node that its requirements allow and that is on sale."""
        return [
            Launch(kind, offering)
            for name in dict.fromkeys(self.node.instance_types)
            if (kind := self.types.get(name)) is not None
            and meets(kind.requirements, self.node.requirements)
            for offering in kind.offerings
            if self._is_on_sale(offering)
            and meets(offering.requirements, self.node.requirements)
            and meets(offering.requirements, kind.requirements)
        ]

    def _is_on_sale(self, offering: Offering) -> bool:
        if not offering.available:
            return False
        if not self.slots or not offering.is_reserved:
            return not offering.is_reserved
        return self.slots.get(reservation_id(offering, self.world), 0) > 0

    def label_sets(self, keys: Iterable[str], launch: Launch | None = None) -> list[dict[str, str]]:
        """Every combination of values that these labels may turn out to have."""
        asked = frozenset(keys)
        known = self._sets.get((asked, launch))
        if known is not None:
            return known
        found: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        ordered = sorted(asked)
        launches = [launch] if launch else self.launches
        for one in {_look(one, ordered): one for one in launches}.values():
            for values in product(*(self._choices(key, one) for key in ordered)):
                pairs = zip(ordered, values, strict=True)
                labels = {key: value for key, value in pairs if value is not None}
                found[tuple(labels.items())] = labels
        self._sets[asked, launch] = list(found.values())
        return self._sets[asked, launch]

    def _choices(self, key: str, launch: Launch) -> list[str | None]:
        if key in self.given:
            return [self.given[key]]
        if key in (REGISTERED, INITIALIZED):
            return ["true"]
        made = [
            source[key]
            for source in (launch.instance_type.requirements, launch.offering.requirements)
            if key in source
        ]
        sides = list(made)
        if key in self.node.requirements:
            sides.append(self.node.requirements[key])
        if not sides or any(forbids_label(side) for side in sides):
            return _MISSING
        values: list[str | None] = list(values_of(sides, self.probes.get(key, ())))
        unfilled = not made and key in self.world.options.well_known_labels
        if unfilled and all(accepts_missing(side) for side in sides):
            values.append(None)
        return values

    def domains(self, key: str) -> set[str | None]:
        """The topology domains that the node may land in; nothing stands for no label."""
        return {labels.get(key) for labels in self.label_sets({key})}


class OldPlace:
    """A node, or a claim that is on its way to be one."""

    is_new = False

    def __init__(self, node: Node | None, claim: NodeClaim | None, world: World) -> None:
        assert node is not None or claim is not None
        self.node = node
        self.claim = claim
        self.world = world
        self.pods: list[Pod] = []
        self.bound: list[Pod] = []
        marks = node.metadata.labels if node else {}
        self.is_registered = claim is None or marks.get(REGISTERED) == "true"
        self.is_initialized = claim is None or marks.get(INITIALIZED) == "true"
        self.is_leaving = any(
            one is not None and one.metadata.deletion_timestamp is not None for one in (node, claim)
        )
        owner = node if node and self.is_registered else claim or node
        assert owner is not None
        self.name = owner.metadata.name
        self.names = {one.metadata.name for one in (node, claim) if one is not None}
        self.labels = normalized(owner.metadata.labels)

    @property
    def taints(self) -> tuple[Taint, ...]:
        """What keeps pods away now, less what goes away by itself before the node is ready."""
        if self.node is not None and (self.claim is None or self.is_registered):
            taints = self.node.spec.taints
        else:
            taints = self.claim.spec.taints if self.claim else ()
        if self.claim is None or self.is_initialized:
            return taints
        passing = {(taint.key, taint.effect) for taint in self.claim.spec.startup_taints}
        return tuple(
            taint
            for taint in taints
            if (taint.key, taint.effect) not in passing and not _is_ephemeral(taint)
        )

    @property
    def allocatable(self) -> dict[str, int]:
        """What all pods of the node may take together."""
        return self._reported("allocatable")

    @property
    def capacity(self) -> dict[str, int]:
        """What the machine has."""
        return self._reported("capacity")

    def _reported(self, field: str) -> dict[str, int]:
        told = parse_resources(getattr(self.node.status, field)) if self.node else {}
        if self.claim is not None and not self.is_initialized:
            for name, amount in parse_resources(getattr(self.claim.status, field)).items():
                told[name] = told.get(name) or amount
        return told

    def label_sets(self, _keys: Iterable[str]) -> list[Labels]:
        """The node's labels: there is one set of them."""
        return [self.labels]

    def domains(self, key: str) -> set[str | None]:
        """The topology domain of the node; a host without its label is known by name."""
        if key == HOSTNAME:
            return {self.labels.get(HOSTNAME) or self.name}
        return {self.labels.get(key)}


type Place = NewPlace | OldPlace


def _is_ephemeral(taint: Taint) -> bool:
    return (taint.key, taint.effect) in {
        ("node.kubernetes.io/not-ready", "NoSchedule"),
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoSchedule"),
        ("node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"),
        ("karpenter.sh/unregistered", "NoExecute"),
    } or taint.key.startswith("readiness.k8s.io/")


def pool_requirements(pool: NodePool) -> Mapping[str, Requirement]:
    """What a pool demands of its nodes, by key."""
    return Requirements(map(read_requirement, pool.spec.template.spec.requirements))


@lru_cache(maxsize=100_000)
def meets(left: Requirements, right: Requirements) -> bool:
    """Whether labels can satisfy both sides on every key that both speak of."""
    return all(can_meet(left[key], right[key]) for key in left if key in right)


def reservation_id(offering: Offering, world: World) -> str:
    """The name of the reservation behind an offering."""
    held = offering.requirements.get(world.options.reservation_id_label)
    return min(held.values) if held is not None and held.values else ""


def free_slots(world: World) -> dict[str, int]:
    """Free slots of each reservation; where pools disagree the smallest number counts."""
    slots: dict[str, int] = {}
    catalogs = {id(types): types for types in world.instance_types.values()}
    for types in catalogs.values():
        for kind in types:
            for one in kind.offerings:
                if one.is_reserved and one.available:
                    name = reservation_id(one, world)
                    count = one.reservation_capacity or 0
                    slots[name] = min(count, slots.get(name, count))
    return slots


def old_places(world: World) -> list[OldPlace]:
    """Pair nodes with their claims; a claim without a node is a place of its own."""
    by_provider = {claim.status.provider_id: claim for claim in world.node_claims}
    by_name = {claim.status.node_name: claim for claim in world.node_claims}
    by_provider.pop("", None)
    by_name.pop("", None)
    paired: set[str] = set()
    places = []
    for node in world.nodes:
        claim = by_provider.get(node.spec.provider_id) or by_name.get(node.metadata.name)
        if claim is not None:
            paired.add(claim.metadata.name)
        places.append(OldPlace(node, claim, world))
    places += [
        OldPlace(None, claim, world)
        for claim in world.node_claims
        if claim.metadata.name not in paired
    ]
    return places
