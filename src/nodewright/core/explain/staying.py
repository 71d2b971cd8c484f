"""Why a node stays or goes: every reason that it could go for, and what each rule says to it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import (
    Candidate,
    Census,
    find_candidates,
    name_of,
    what_pods_say,
)
from nodewright.core.disruption.decide import decide, find_allowances
from nodewright.core.disruption.drift import DriftJudge
from nodewright.core.disruption.gates import judge_budget, judge_gates
from nodewright.core.disruption.protection import protected_until
from nodewright.core.scheduling.hosts import Joined
from nodewright.model import labels as names
from nodewright.model.disruption import (
    AWS_RULES,
    DRIFTED,
    EMPTY,
    UNDERUTILIZED,
    Command,
    Decided,
    Forceful,
    Kept,
    Memory,
    Settings,
)
from nodewright.model.instance import NanoUSD
from nodewright.model.keeping import Keeping
from nodewright.model.world import World

HOURS_PER_DAY: Final = 24


class Check(msgspec.Struct, frozen=True):
    """A rule that holds for every reason, by the word for it, and why it says no."""

    name: str
    verdict: Kept | None = None


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
    checks: tuple[Check, ...] = ()
    rules: tuple[Rule, ...] = ()
    drift: str = ""

    @property
    def goes(self) -> bool:
        """Whether it goes now."""
        return self.command is not None or self.forceful is not None


def explain_staying(world: World, name: str, answer: Decided | None = None) -> Staying:
    """Tell of one node whether it goes, and what every rule says; an answer that is known is not decided again."""
    memory = recall_world(world)
    decided = answer or decide(world, world.now_ms, Settings(repair_rules=AWS_RULES), memory)
    command = next(
        (one for one in decided.commands if any(node.node == name for node in one.nodes)), None
    )
    census = Census(world)
    member = next((each for each in census.joined if name_of(each) == name), None)
    kept = decided.kept.get(name)
    candidates, _ = find_candidates(census, memory)
    one = next((each for each in candidates if each.name == name), None)
    rules: tuple[Rule, ...] = ()
    drift = ""
    if one is not None:
        found = DriftJudge(census, memory).judge(one)
        drift = found.reason if found is not None else ""
        purse = Purse(find_allowances(census, memory))
        rules = tuple(
            _rules(one, drift, purse, (None if command is not None else kept, world.now_ms))
        )
    price = census.prices.of(member.labels()) if member is not None and member.claim else None
    return Staying(
        price_per_day=None if price is None else NanoUSD(price * HOURS_PER_DAY),
        kept=kept,
        command=command,
        forceful=next((each for each in decided.forceful if each.node == name), None),
        checks=tuple(_checks(census, member, memory)) if member is not None else (),
        rules=rules,
        drift=drift,
    )


def _checks(census: Census, one: Joined, memory: Memory) -> Iterator[Check]:
    """Ask every rule that holds whatever a node would go for, in order."""
    name, claim, node = name_of(one), one.claim, one.node
    yield _check("ours", claim is None, Kept(name, Keeping.NOT_OURS))
    if claim is None:
        return
    yield _check("has-node", node is None, Kept(name, Keeping.NO_NODE))
    if node is None:
        return
    labels = node.metadata.labels
    is_new = labels.get(names.INITIALIZED) != "true"
    yield _check("started", is_new, Kept(name, Keeping.NOT_INITIALIZED))
    command = next((each.id for each in memory.running if name in each.nodes), "")
    yield _check("idle", bool(command), Kept(name, Keeping.IN_COMMAND, {"command": command}))
    yield _check("staying", one.is_deleting, Kept(name, Keeping.GOING))
    until_ms = memory.nominated.get(name)
    is_promised = until_ms is not None and census.now_ms < until_ms
    is_promised = is_promised or bool({name, claim.metadata.name} & census.expected)
    yield _check("unexpected", is_promised, Kept(name, Keeping.NOMINATED, until_ms=until_ms))
    mark = node.metadata.annotations.get(names.DO_NOT_DISRUPT) == "true"
    yield _check("unmarked", mark, Kept(name, Keeping.NODE_PROTECTED))
    pool = labels.get(names.NODEPOOL, "")
    is_lost = pool not in census.pools or not census.prices.types.get(pool)
    yield _check("pool", is_lost, Kept(name, Keeping.POOL_UNKNOWN, {"pool": pool}))
    pods = census.pods_of.get(name, [])
    marked = [pod for pod in pods if protected_until(pod, census.now_ms) is not None]
    yield Check("pods", what_pods_say(census, name, marked))
    yield Check("guards", what_pods_say(census, name, [pod for pod in pods if pod not in marked]))


def _check(name: str, is_broken: bool, verdict: Kept) -> Check:
    return Check(name, verdict if is_broken else None)


def _rules(one: Candidate, drift: str, purse: Purse, answer: tuple[Kept | None, int]) -> list[Rule]:
    """Ask about each reason in the order of methods; what was found in the end counts where all agree."""
    found = []
    kept, now_ms = answer
    for reason, applies in (
        (EMPTY, one.is_empty and not one.is_static),
        (DRIFTED, bool(drift)),
        (UNDERUTILIZED, not one.is_static and not one.is_empty),
    ):
        waived = reason == DRIFTED and one.has_grace
        verdict = (
            (None if waived else one.blocked)
            or judge_gates(one, reason, now_ms, Settings())
            or judge_budget(one, reason, purse)
        )
        if applies and verdict is None and kept is not None:
            verdict, kept = kept, None
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
