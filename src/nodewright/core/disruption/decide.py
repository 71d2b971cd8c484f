"""Decide which nodes go: every method in turn, each on the cluster as the ones before leave it.

Empty nodes, then drifted ones, then money. Nodes that go by force are not asked about, and count. Every
node is in the answer: in a command, among those that go by force, or with the reason why it stays.
"""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from nodewright.core.disruption.budgets import Purse, count_nodes, reckon
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.commands import write_commands
from nodewright.core.disruption.consolidation import Consolidation
from nodewright.core.disruption.drift import Drift, DriftJudge
from nodewright.core.disruption.emptiness import take_empty
from nodewright.core.disruption.forceful import find_forceful
from nodewright.core.disruption.gates import is_settling, judge_gates
from nodewright.core.disruption.renewal import renew, renew_static
from nodewright.core.disruption.stage import Stage
from nodewright.core.disruption.worth import Scales
from nodewright.model.disruption import (
    UNDERUTILIZED,
    Allowance,
    Decided,
    Kept,
    Memory,
    Settings,
)
from nodewright.model.instance import NanoUSD
from nodewright.model.world import World


def decide(world: World, now_ms: int, settings: Settings, memory: Memory) -> Decided:
    """Give every command that can be started now, and why all other nodes stay."""
    if now_ms != world.now_ms:
        world = replace(world, now_ms=now_ms)
    census = Census(world)
    allowances = find_allowances(census, memory)
    forceful = find_forceful(census, settings.repair_rules)
    forced = {one.node for one in forceful}
    every, kept = find_candidates(census, memory)
    candidates = [one for one in every if one.name not in forced]
    judge = DriftJudge(census, memory)
    drifts = {one.name: drift for one in candidates if (drift := judge.judge(one)) is not None}
    stage = Stage(census, [one for one in candidates if _may_move(one, drifts)], memory, settings)
    stage.purse = Purse(allowances, is_unlimited=settings.to_end)
    for one in forceful:
        stage.purse.take(one.node_pool)
        if (row := stage.floor.row_of.get(one.node)) is not None:
            stage.floor.close(row)
    _ask_everybody(stage, candidates, drifts)
    commands = write_commands(stage)
    for name, answer in stage.kept.items():
        kept.setdefault(name, answer)
    for name in (*stage.gone, *forced):
        kept.pop(name, None)
    before = sum(census.price_of(one) for one in census.joined if not one.is_deleting)
    return Decided(
        commands=tuple(commands),
        forceful=tuple(forceful),
        kept=dict(sorted(kept.items())),
        allowances=allowances,
        price_before=NanoUSD(before),
        price_after=NanoUSD(before - sum(one.savings for one in commands)),
        look_again_ms=_earliest(kept, now_ms),
    )


def find_allowances(census: Census, memory: Memory) -> tuple[Allowance, ...]:
    """Reckon the budgets of every pool at the instant of the World."""
    counts = count_nodes(census, memory)
    return tuple(
        allowance
        for name, pool in sorted(census.pools.items())
        for allowance in reckon(
            pool,
            census.policies[name].budgets,
            counts[name],
            census.now_ms,
            memory.gone_ms.get(name, ()),
        )
    )


def _may_move(one: Candidate, drifts: Mapping[str, Drift]) -> bool:
    """Tell whether a node has any chance to go, so that its pods must be worked out."""
    return one.blocked is None or (one.has_grace and one.name in drifts)


def _ask_everybody(
    stage: Stage, candidates: Sequence[Candidate], drifts: Mapping[str, Drift]
) -> None:
    drifted = [one for one in candidates if one.name in drifts]
    take_empty(stage, [one for one in candidates if one.is_empty and not one.is_static])
    renew_static(stage, [one for one in drifted if one.is_static], drifts)
    dynamic = [one for one in drifted if not one.is_static and one.name not in stage.gone]
    renew(stage, dynamic, drifts)
    scales = Scales(stage.census, stage.memory, stage.settings)
    asked: list[Candidate] = []
    for one in candidates:
        if one.name in stage.gone or one.name in stage.kept:
            continue
        refusal = one.blocked or judge_gates(one, UNDERUTILIZED, stage.now_ms, stage.settings)
        if refusal is not None:
            stage.keep(refusal)
        else:
            asked.append(one)
    if not stage.settings.to_end:
        for one in candidates:
            row = stage.floor.row_of.get(one.name)
            if row is not None and is_settling(one, stage.now_ms):
                stage.floor.close(row)
    Consolidation(stage, scales).run(asked)


def _earliest(kept: Mapping[str, Kept], now_ms: int) -> int | None:
    known = [one.until_ms for one in kept.values() if one.until_ms is not None]
    return min((one for one in known if one > now_ms), default=None)
