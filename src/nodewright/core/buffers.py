"""CapacityBuffers: room that is kept ready for pods to come.

A buffer stands for so many pieces of one shape. Each piece is planned for as a pod that nobody made:
where it fits on what is there, the room is there; where it does not, a node is made for it. Pieces
are planned after everything else and hold nothing: a real pod that comes takes the room at once, and
the buffer is filled again later. Nothing is said about pieces to anybody but the buffer's owner.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from nodewright.core.buffers_size import BadBuffer, Resolved, resolve
from nodewright.core.lifecycle_conditions import FALSE, Finding, conditions_after, says
from nodewright.core.provisioning import draft_claim
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.capacitybuffer import ACTIVE_CAPACITY, CapacityBuffer
from nodewright.model.decision import Change, Decision, Launch, digest, rest_on
from nodewright.model.labels import INITIALIZED
from nodewright.model.metadata import Condition, ObjectMeta
from nodewright.model.plan import Plan
from nodewright.model.pod import Pod, PodSpec, PodStatus
from nodewright.model.resource import (
    CAPACITY_BUFFERS,
    NODE_CLAIMS,
    NODE_POOLS,
    Ref,
    key_of,
    refer,
)
from nodewright.model.world import World

GATE: Final = "CapacityBuffer"
RESOLVED: Final = "ReadyForProvisioning"
PROVISIONING: Final = "Provisioning"
_WAITING: Final = PodStatus(
    phase="Pending",
    conditions=(Condition(type="PodScheduled", status="False", reason="Unschedulable"),),
)


def keep_room(world: World) -> Iterator[Decision]:
    """Give the claims that buffers need, and what is to be written on the buffers."""
    buffers = buffers_of(world)
    read = {key_of(one.metadata): resolve(one, world) for one in buffers}
    pieces = {key: make_pieces(found) for key, found in read.items() if isinstance(found, Resolved)}
    plan = Plan()
    if any(pieces.values()):
        plan = solve(_without_waiting(world, pieces), Effort.FAST)
        yield from _launch(world, plan, pieces)
    places = _Places(world, plan)
    for one in buffers:
        key = key_of(one.metadata)
        yield from _write(one, read[key], places.judge(read[key], pieces.get(key, ())), world)


def buffers_of(world: World) -> list[CapacityBuffer]:
    """Give the buffers that are ours to fill: those of other strategies are left alone."""
    if not world.options.feature_gates.get(GATE, True):
        return []
    return [
        one
        for one in world.capacity_buffers
        if one.metadata.deletion_timestamp is None
        and (one.spec.provisioning_strategy or ACTIVE_CAPACITY) == ACTIVE_CAPACITY
    ]


def with_pieces(world: World) -> World:
    """Give the World with every buffer's pieces among the pods that wait, for simulations."""
    found = [resolve(one, world) for one in buffers_of(world)]
    pieces = [pod for one in found if isinstance(one, Resolved) for pod in make_pieces(one)]
    return msgspec.structs.replace(world, pods=(*world.pods, *pieces)) if pieces else world


def make_pieces(found: Resolved) -> tuple[Pod, ...]:
    """Give the pods that a buffer stands for; no real pod can have their names."""
    meta = found.buffer.metadata
    # Volumes belong to pods that exist; a piece has none.
    spec = msgspec.structs.replace(
        found.template.spec,
        node_name="",
        scheduling_gates=(),
        volumes=tuple(
            one
            for one in found.template.spec.volumes
            if one.persistent_volume_claim is None and one.ephemeral is None
        ),
    )
    labels = found.template.metadata.labels
    return tuple(_piece(meta, number, labels, spec) for number in range(found.count))


def _piece(meta: ObjectMeta, number: int, labels: dict[str, str], spec: PodSpec) -> Pod:
    return Pod(
        metadata=ObjectMeta(
            name=f"{meta.name}#{number}",
            namespace=meta.namespace,
            uid=f"{meta.uid}#{number}",
            labels=labels,
        ),
        spec=spec,
        status=_WAITING,
    )


def _without_waiting(world: World, pieces: Mapping[str, tuple[Pod, ...]]) -> World:
    """Give the World in which only pieces wait: whoever else does is planned for elsewhere."""
    going = {
        node.metadata.name for node in world.nodes if node.metadata.deletion_timestamp is not None
    }
    bound = [pod for pod in world.pods if pod.spec.node_name and pod.spec.node_name not in going]
    every = [pod for key in sorted(pieces) for pod in pieces[key]]
    return msgspec.structs.replace(world, pods=(*bound, *every), bad_pods=())


def _launch(world: World, plan: Plan, pieces: Mapping[str, tuple[Pod, ...]]) -> Iterator[Decision]:
    owner = {pod.key: key for key, pods in pieces.items() for pod in pods}
    pools = {pool.metadata.name: pool for pool in world.node_pools}
    new = sorted(key for node in plan.new_nodes for key in node.pods if key in owner)
    decision = f"D-{digest('Buffer', str(world.now_ms), *new)}"
    for index, node in enumerate(plan.new_nodes):
        served = sorted({owner[key] for key in node.pods if key in owner})
        if not served:
            continue
        pool = pools[node.node_pool]
        claim = draft_claim(node, pool, f"{decision}/{index}", world.instance_types)
        yield Launch(
            subject=Ref(NODE_CLAIMS, claim.metadata.name),
            reason="Provisioned",
            note=f"room for {len(node.pods)} pods is kept by CapacityBuffer {', '.join(served)}",
            basis=rest_on((NODE_POOLS, pool)),
            claim=claim,
        )


class _Places:
    """Where a plan has put the pieces: on nodes that work, on ones that start, or nowhere yet."""

    def __init__(self, world: World, plan: Plan) -> None:
        claimed = {claim.status.provider_id for claim in world.node_claims}
        working = {
            node.metadata.name
            for node in world.nodes
            if node.metadata.labels.get(INITIALIZED) == "true"
            or node.spec.provider_id not in claimed
        }
        self._there = {
            key for one in plan.existing_nodes if one.name in working for key in one.pods
        }
        self._starting = {key for one in plan.existing_nodes for key in one.pods} - self._there
        self._refused = plan.unschedulable

    def judge(self, found: Resolved | BadBuffer, pieces: tuple[Pod, ...]) -> Finding:
        """Say whether a buffer's room is there."""
        if isinstance(found, BadBuffer):
            return Finding(PROVISIONING, FALSE, "NotReadyForProvisioning", found.message)
        if not pieces:
            return Finding(PROVISIONING, FALSE, "BufferEmpty", "the buffer has no pieces")
        missing = [pod.key for pod in pieces if pod.key not in self._there]
        if not missing:
            return Finding(PROVISIONING, reason="FitsExistingCapacity")
        message = f"{len(missing)} of {len(pieces)} pieces need new nodes"
        starting = sum(key in self._starting for key in missing)
        if starting:
            message += f"; {starting} have one that is starting"
        refused = [self._refused[key] for key in missing if key in self._refused]
        if refused:
            message += f"; {len(refused)} cannot get one: {refused[0].summary} ({refused[0].code})"
        return Finding(PROVISIONING, FALSE, "RequiresNewCapacity", message)


def _write(
    buffer: CapacityBuffer, found: Resolved | BadBuffer, provisioning: Finding, world: World
) -> Iterator[Decision]:
    if isinstance(found, BadBuffer):
        findings = [Finding(RESOLVED, FALSE, found.reason, found.message), provisioning]
        wanted: dict[str, object] = {"replicas": None, "podTemplateRef": None}
    else:
        findings = [Finding(RESOLVED, reason="Resolved"), provisioning]
        reference = {"name": found.template_name} if found.template_name else None
        wanted = {"replicas": found.count, "podTemplateRef": reference}
    generation = found.template_generation if isinstance(found, Resolved) else None
    wanted |= {
        "podTemplateGeneration": generation,
        "provisioningStrategy": buffer.spec.provisioning_strategy or ACTIVE_CAPACITY,
    }
    written = msgspec.to_builtins(buffer.status)
    is_written = all(written.get(name) == value for name, value in wanted.items())
    if is_written and all(says(buffer, one) for one in findings):
        return
    conditions = conditions_after(buffer, findings, (), world.now_ms)
    yield Change(
        subject=refer(CAPACITY_BUFFERS, buffer),
        reason=provisioning.reason,
        note=provisioning.message,
        basis=rest_on((CAPACITY_BUFFERS, buffer)),
        change={"status": {**wanted, "conditions": conditions}},
        on_status=True,
        if_version=buffer.metadata.resource_version,
    )
