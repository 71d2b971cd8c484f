"""What is remembered of commands that are carried out: how their begin and end change the memory.

What runs is read off the cluster and is no part of it. It is noted before it is done, so that a process
that dies in between has remembered too much and not too little; what was noted and not done shows on the
cluster, and is taken back.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from nodewright.core.disruption.memory import (
    forget_failures,
    remember_failure,
    remember_moves,
    remember_start,
)
from nodewright.core.disruption.policies import PoolPolicy
from nodewright.core.disruption.recall import put_back
from nodewright.core.disruption.waves import enlist, note_failure, present_wave, tend_waves
from nodewright.core.orchestration import running_of
from nodewright.core.scheduling.hosts import join
from nodewright.model.command import Record
from nodewright.model.decision import Disrupt
from nodewright.model.disruption import DRIFTED, Command, Memory
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import NODEPOOL
from nodewright.model.plan import ChosenOffering, PlannedNode
from nodewright.model.remembered import Remembered, read_remembered
from nodewright.model.requirements import Requirements
from nodewright.model.world import World


def recall_world(world: World) -> Memory:
    """Give what disruption knows of a World that nobody prepared: what stands on its pools and claims."""
    known, joined = world.beside.disruption, join(world)
    for pool in world.node_pools:
        remembered = read_remembered(pool)
        if remembered != Remembered():
            known = put_back(known, pool.metadata.name, remembered)
    known = replace(known, running=running_of(joined, known.running))
    return tend_waves(known, joined, world.pods, world.now_ms)


def note_begun(memory: Memory, command: Disrupt, workloads: Iterable[str], now_ms: int) -> Memory:
    """Take note of a command that is begun, and of the workloads whose pods it moves."""
    record = command.record
    made = tuple(
        PlannedNode(
            node_pool=claim.metadata.labels.get(NODEPOOL, ""),
            pods=(),
            instance_types=(kind,),
            offering=ChosenOffering(kind, "", "", NanoUSD(0), price_is_estimate=True),
            requirements=Requirements(),
            requests={},
        )
        for claim, kind in zip(command.claims, command.types, strict=False)
    )
    begun = Command(record.reason, record.method, command.leaving, made)
    pools = sorted({one.node_pool for one in command.leaving})
    known = remember_start(memory, begun, now_ms)
    return remember_moves(known, pools, sorted(set(workloads)), now_ms)


def enter_wave(
    memory: Memory,
    command: Disrupt,
    policies: Mapping[str, PoolPolicy],
    targets: Mapping[str, str],
    now_ms: int,
) -> Memory:
    """Take note of drifted nodes that go in the present wave of their pool; `targets` are templates."""
    if command.record.reason != DRIFTED:
        return memory
    made = command.record.replacements
    for pool in sorted({one.node_pool for one in command.leaving}):
        policy = policies.get(pool)
        if policy is None or policy.waves is None or pool not in targets:
            continue
        wave = present_wave(memory, pool, targets[pool], policy.waves, now_ms)
        nodes = [one.node for one in command.leaving if one.node_pool == pool]
        memory = replace(memory, waves={**memory.waves, pool: enlist(wave, nodes, made)})
    return memory


def note_replaced(memory: Memory, pool: str) -> Memory:
    """Take note of a node that goes because what replaces it works: its pool is trusted again."""
    return forget_failures(memory, pool)


def note_failed(memory: Memory, pool: str, record: Record, now_ms: int) -> Memory:
    """Take note of a node that stays because its replacement failed: its pool is left alone a while."""
    known = remember_failure(memory, pool, record.id, now_ms)
    wave = known.waves.get(pool)
    if wave is None or record.reason != DRIFTED:
        return known
    return replace(known, waves={**known.waves, pool: note_failure(wave, record.id)})
