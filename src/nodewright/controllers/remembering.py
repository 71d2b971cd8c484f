"""Remembering: what disruption must know after this process lives on the NodePools that it is about.

It is written before what it tells of is done, guarded by the pool's version, and read back at the start
and whenever somebody else has changed it. Many commands begin at once: whoever comes to write first
writes for all that were noted until then, and the others find that it is done.
"""

from collections.abc import Iterable
from typing import Final

from nodewright.controllers.ports import Memory, Ports
from nodewright.core.disruption.policies import read_policies
from nodewright.core.disruption.recall import cut_out, put_back
from nodewright.model.decision import rest_on
from nodewright.model.nodepool import NodePool
from nodewright.model.remembered import MEMORY, Remembered, parse_remembered
from nodewright.model.resource import NODE_POLICIES, NODE_POOLS, refer
from nodewright.ports.kube import Answer, Options, Outcome

_TRIES: Final = 5
_RETRY_MS: Final = 200
_DONE: Final = Answer(Outcome.DONE)
_AGAIN: Final = (Outcome.CONFLICT, Outcome.BUSY, Outcome.UNREACHABLE)


def recall(ports: Ports, memory: Memory) -> None:
    """Read what stands on pools, where it is not what we know."""
    notes, now_ms = memory.notes, ports.clock.now_ms()
    pools = ports.mirror.all(NODE_POOLS)
    for pool in pools:
        name, text = pool.metadata.name, pool.metadata.annotations.get(MEMORY)
        basis = rest_on((NODE_POOLS, pool))
        if notes.knows(name, text) or memory.expectations.is_stale(basis, now_ms):
            continue
        memory.disruption = put_back(memory.disruption, name, parse_remembered(text))
        notes.read(name, text)
    there = {pool.metadata.name for pool in pools}
    for name in notes.names():
        if name not in there:
            memory.disruption = put_back(memory.disruption, name, Remembered())
            notes.forget(name)


async def save(ports: Ports, memory: Memory, pools: Iterable[str]) -> Answer:
    """Write what is remembered of pools on them; those of older kinds are remembered here alone."""
    for name in sorted(set(pools)):
        async with memory.notes.turn(name):
            answer = await _save(ports, memory, name)
        if not answer.is_done:
            return answer
    return _DONE


async def _save(ports: Ports, memory: Memory, name: str) -> Answer:
    notes, answer = memory.notes, _DONE
    for _ in range(_TRIES):
        pool = ports.mirror.get(NODE_POOLS, name)
        if pool is None:
            return _DONE
        text = _text_of(ports, memory, pool)
        if notes.is_latest(name, text):
            return _DONE
        notes.write(name, text)
        ref = refer(NODE_POOLS, pool)
        change = {"metadata": {"annotations": {MEMORY: text}}}
        options = Options(if_version=notes.version(name, pool.metadata.resource_version))
        answer = await ports.kube.patch(ref, change, options)
        memory.expectations.wrote(ref, answer.version, ports.clock.now_ms())
        if answer.is_done:
            notes.wrote(name, text, answer.version)
        if answer.outcome not in _AGAIN:
            return answer
        notes.miss(name)
        await ports.clock.sleep_ms(answer.retry_after_ms or _RETRY_MS)
    return answer


def _text_of(ports: Ports, memory: Memory, pool: NodePool) -> str | None:
    name = pool.metadata.name
    policy = read_policies((pool,), ports.mirror.all(NODE_POLICIES))[name]
    return cut_out(memory.disruption, name, policy, ports.clock.now_ms()).write()
