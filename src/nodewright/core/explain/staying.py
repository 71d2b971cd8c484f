"""Why a node stays or goes: every reason that it could go for, and what each rule says to it."""

from typing import Final

import msgspec

from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.decide import decide, find_allowances
from nodewright.core.disruption.drift import DriftJudge
from nodewright.core.disruption.gates import judge_budget, judge_gates
from nodewright.model.disruption import (
    AWS_RULES,
    DRIFTED,
    EMPTY,
    UNDERUTILIZED,
    Command,
    Forceful,
    Kept,
    Settings,
)
from nodewright.model.instance import NanoUSD
from nodewright.model.keeping import Keeping
from nodewright.model.world import World

HOURS_PER_DAY: Final = 24


class Rule(msgspec.Struct, frozen=True):
    """What is said to a node about one reason; it applies where the node is such a one at all."""

    reason: str
    applies: bool
    verdict: Kept | None = None


class Staying(msgspec.Struct, frozen=True):
    """Whether a node goes, in which command, or why it stays, and what it costs a day."""

    price_per_day: NanoUSD | None
    kept: Kept | None = None
    command: Command | None = None
    forceful: Forceful | None = None
    rules: tuple[Rule, ...] = ()
    drift: str = ""

    @property
    def goes(self) -> bool:
        """Whether it goes now."""
        return self.command is not None or self.forceful is not None


def explain_staying(world: World, name: str) -> Staying:
    """Tell of one node whether it goes, and what every rule says."""
    memory = world.beside.disruption
    decided = decide(world, world.now_ms, Settings(repair_rules=AWS_RULES), memory)
    command = next(
        (one for one in decided.commands if any(node.node == name for node in one.nodes)), None
    )
    census = Census(world)
    candidates, _ = find_candidates(census, memory)
    one = next((each for each in candidates if each.name == name), None)
    rules: tuple[Rule, ...] = ()
    drift = ""
    if one is not None:
        found = DriftJudge(census, memory).judge(one)
        drift = found.reason if found is not None else ""
        purse = Purse(find_allowances(census, memory))
        rules = tuple(_rules(one, drift, purse, world.now_ms))
    price = None if one is None or one.price is None else NanoUSD(one.price * HOURS_PER_DAY)
    return Staying(
        price_per_day=price,
        kept=decided.kept.get(name),
        command=command,
        forceful=next((each for each in decided.forceful if each.node == name), None),
        rules=rules,
        drift=drift,
    )


def _rules(one: Candidate, drift: str, purse: Purse, now_ms: int) -> list[Rule]:
    """Ask about each reason in the order of methods."""
    found = []
    for reason, applies in (
        (EMPTY, one.is_empty and not one.is_static),
        (DRIFTED, bool(drift)),
        (UNDERUTILIZED, not one.is_static),
    ):
        waived = reason == DRIFTED and one.has_grace
        verdict = (
            (None if waived else one.blocked)
            or judge_gates(one, reason, now_ms, Settings())
            or judge_budget(one, reason, purse)
        )
        found.append(Rule(reason, applies, verdict if applies else None))
    return found


def went_for(staying: Staying) -> Kept | None:
    """Say why a node goes, in the form of why others stay."""
    if staying.forceful is not None:
        reason = Keeping.EXPIRED if staying.forceful.reason == "Expired" else Keeping.UNHEALTHY
        return Kept(staying.forceful.node, reason, {"why": staying.forceful.detail})
    if staying.command is None:
        return None
    name = staying.command.nodes[0].node
    reasons = {EMPTY: Keeping.EMPTY, DRIFTED: Keeping.DRIFTED}
    reason = reasons.get(staying.command.reason, Keeping.UNDERUTILIZED)
    return Kept(name, reason, {"why": staying.command.detail})
