"""What is remembered of commands that are carried out: how their begin and end change the memory.

What runs is read off the cluster and is no part of it. A process that is started anew begins with nothing
of the rest: what goes at once is counted on the cluster all the same, while rates and waves start over.
"""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from nodewright.core.disruption.memory import (
    forget_failures,
    remember_end,
    remember_moves,
    remember_start,
    remember_wave,
    settle_wave,
)
from nodewright.core.disruption.policies import PoolPolicy
from nodewright.model.decision import Disrupt
from nodewright.model.disruption import DRIFTED, Command, Memory, Running
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import NODEPOOL
from nodewright.model.plan import ChosenOffering, PlannedNode
from nodewright.model.requirements import Requirements


def note_begun(memory: Memory, command: Disrupt, workloads: Iterable[str], now_ms: int) -> Memory:
    """Take note of a command that was begun, and of the workloads whose pods it moves."""
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
    known = remember_start(
        memory,
        Running(record.id, record.reason, (), (), now_ms),
        Command(record.reason, record.method, command.leaving, made),
    )
    return replace(remember_moves(known, sorted(set(workloads)), now_ms), running=())


def enter_wave(
    memory: Memory, command: Disrupt, policies: Mapping[str, PoolPolicy], target: str, now_ms: int
) -> Memory:
    """Take note of drifted nodes that go in the present wave of their pool."""
    if command.record.reason != DRIFTED:
        return memory
    for one in command.leaving:
        policy = policies.get(one.node_pool)
        if policy is not None and policy.waves is not None:
            names = ([one.node], now_ms)
            memory = remember_wave(memory, one.node_pool, target, policy.waves, names)
    return memory


def note_replaced(memory: Memory, pool: str, reason: str, now_ms: int) -> Memory:
    """Take note of a node that goes because what replaces it works: its pool is trusted again."""
    done = 1 if reason == DRIFTED.lower() else 0
    return settle_wave(forget_failures(memory, pool), pool, now_ms, done=done)


def note_failed(memory: Memory, pool: str, now_ms: int) -> Memory:
    """Take note of a node that stays because its replacement failed: its pool is left alone a while."""
    ended = Running("failed", "", ())
    known = remember_end(replace(memory, running=(ended,)), ended.id, now_ms, failed=(pool,))
    return settle_wave(known, pool, now_ms, failed=1)
