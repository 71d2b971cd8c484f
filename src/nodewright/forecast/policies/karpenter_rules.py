"""Which nodes Karpenter would let go: its methods in its order, and the first that finds something acts.

Empty nodes; one drifted node; the longest run of the dearest nodes whose pods need one cheaper node or none,
found by halving; the first single node of which that is true. It never makes two nodes of one. Its limits of
time are not modelled: a minute is enough at the sizes of a forecast.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Final

from nodewright.core.disruption.budgets import Purse
from nodewright.core.disruption.candidates import Candidate, Census, find_candidates
from nodewright.core.disruption.commands import write_commands
from nodewright.core.disruption.consolidation import SPOT_GATE, SPOT_TYPES_MIN
from nodewright.core.disruption.decide import find_allowances
from nodewright.core.disruption.drafting import Drafting, is_spot, type_count
from nodewright.core.disruption.drift import Drift, DriftJudge
from nodewright.core.disruption.emptiness import take_empty
from nodewright.core.disruption.forceful import find_forceful
from nodewright.core.disruption.gates import is_settling, judge_gates
from nodewright.core.disruption.renewal import renew, renew_static
from nodewright.core.disruption.stage import Attempt, Stage
from nodewright.core.scheduling.drafts import Draft
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.disruption import UNDERUTILIZED, Decided, Memory, Method, Settings
from nodewright.model.instance import NanoUSD
from nodewright.model.labels import INSTANCE_TYPE, SPOT
from nodewright.model.world import World

TOGETHER_MAX: Final = 100
"""How many nodes are looked at together at most."""


class FirstFit(Drafting):
    """Fills new nodes as Karpenter does."""

    def fill(self, shapes: list[Shape], filling: Filling) -> None:
        """Put pods onto the emptiest new node that takes them, in its order, and improve nothing."""
        fill_first_fit(self.board, in_order([(s, pod) for s in shapes for pod in s.pods]), filling)


def decide_as_karpenter(world: World, now_ms: int, settings: Settings, memory: Memory) -> Decided:
    """Give the commands of the first method that finds any."""
    census = Census(world)
    allowances = find_allowances(census, memory)
    forceful = find_forceful(census, settings.repair_rules)
    forced = {one.node for one in forceful}
    every, kept = find_candidates(census, memory)
    candidates = [one for one in every if one.name not in forced]
    judge = DriftJudge(census, memory)
    drifts = {one.name: drift for one in candidates if (drift := judge.judge(one)) is not None}
    movable = [one for one in candidates if one.blocked is None or one.name in drifts]
    stage = Stage(census, movable, memory, settings)
    stage.drafting = FirstFit(stage.floor)
    stage.purse = Purse(allowances, is_unlimited=settings.to_end)
    for one in forceful:
        stage.purse.take(one.node_pool)
    _ask(stage, candidates, drifts)
    commands = write_commands(stage)
    before = sum(census.price_of(one) for one in census.joined if not one.is_deleting)
    return Decided(
        commands=tuple(commands),
        forceful=tuple(forceful),
        kept={name: one for name, one in (stage.kept | kept).items() if name not in stage.gone},
        allowances=allowances,
        price_before=NanoUSD(before),
        price_after=NanoUSD(before - sum(one.savings for one in commands)),
        look_again_ms=min(
            (
                one.until_ms
                for one in stage.kept.values()
                if one.until_ms is not None and one.until_ms > now_ms
            ),
            default=None,
        ),
    )


def _ask(stage: Stage, candidates: Sequence[Candidate], drifts: Mapping[str, Drift]) -> None:
    take_empty(stage, [one for one in candidates if one.is_empty and not one.is_static])
    if stage.gone:
        return
    drifted = [one for one in candidates if one.name in drifts]
    renew_static(stage, [one for one in drifted if one.is_static], drifts)
    if not stage.gone:
        renew(stage, [one for one in drifted if not one.is_static], drifts)
    if stage.gone:
        return
    ready = _ready(stage, candidates)
    Methods(stage).run(ready)


def _ready(stage: Stage, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Give those that may be consolidated, the dearest for what moving them costs first."""
    found = []
    for one in candidates:
        row = stage.floor.row_of.get(one.name)
        refusal = one.blocked or judge_gates(one, UNDERUTILIZED, stage.now_ms, stage.settings)
        if refusal is not None:
            stage.keep(refusal)
        elif row is not None and not one.is_empty and not one.is_static:
            found.append(one)
        if row is not None and not stage.settings.to_end and is_settling(one, stage.now_ms):
            stage.floor.close(row)
    return sorted(found, key=lambda one: (-(one.price or 0) / one.cost, one.name))


class Methods:
    """Consolidation of several nodes, and of one."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._spot_to_spot = stage.census.world.options.feature_gates.get(SPOT_GATE, False)

    def run(self, ready: Sequence[Candidate]) -> None:
        """Let several nodes go, else one, else none."""
        several = self._within_budget(ready)
        count = _longest(len(several), lambda size: self._goes(several[:size]))
        if count:
            self._accept(several[:count], Method.MULTI)
            return
        for one in interleave(ready):
            if self._stage.purse.has(one.pool_name, UNDERUTILIZED) and self._goes((one,)):
                self._accept((one,), Method.SINGLE)
                return

    def _within_budget(self, ready: Sequence[Candidate]) -> list[Candidate]:
        counts: dict[str, int] = {}
        found: list[Candidate] = []
        for one in ready:
            wanted = counts.get(one.pool_name, 0) + 1
            if self._stage.purse.has(one.pool_name, UNDERUTILIZED, wanted):
                counts[one.pool_name] = wanted
                found.append(one)
        return found[:TOGETHER_MAX]

    def _goes(self, ones: Sequence[Candidate]) -> bool:
        attempt = self._stage.attempt(ones, may_build=True)
        if not isinstance(attempt, Attempt):
            return False
        pays = self._pays(ones, attempt.drafts)
        self._stage.take_back(attempt)
        return pays

    def _accept(self, ones: Sequence[Candidate], method: Method) -> None:
        attempt = self._stage.attempt(ones, may_build=True)
        assert isinstance(attempt, Attempt), "it was tried a moment ago"
        assert self._pays(ones, attempt.drafts), "likewise"
        self._stage.accept(attempt, UNDERUTILIZED, method)

    def _pays(self, ones: Sequence[Candidate], drafts: Sequence[Draft]) -> bool:
        """Tell whether one node at most is made, and costs less than those that go, however launched."""
        if not drafts:
            return True
        if len(drafts) > 1 or any(one.price is None for one in ones):
            return False
        (draft,) = drafts
        drafting = self._stage.drafting
        if all(one.capacity_type == SPOT for one in ones) and is_spot(draft):
            if not self._spot_to_spot:
                return False
            drafting.pin_to_spot(draft)
            if not drafting.cap(draft, sum(one.price or 0 for one in ones)):
                return False
            if len(ones) == 1 and type_count(draft) < SPOT_TYPES_MIN:
                return False
        else:
            drafting.pin_to_spot(draft)
            if not drafting.cap(draft, sum(one.price or 0 for one in ones)):
                return False
        return len(ones) == 1 or self._is_another_type(ones, draft)

    def _is_another_type(self, ones: Sequence[Candidate], draft: Draft) -> bool:
        """Tell whether something is left that is cheaper than nodes of the same types that go."""
        names = {draft.supply.types[i].name for i in draft.supply.alive_types(draft.bits)}
        same = [one.price or 0 for one in ones if one.labels.get(INSTANCE_TYPE) in names]
        return not same or self._stage.drafting.cap(draft, min(same))


def _longest(most: int, goes: Callable[[int], bool]) -> int:
    """Find by halving how many of the first can go together; fewer than two are none."""
    low, high, best = 2, most, 0
    while low <= high:
        middle = (low + high) // 2
        if goes(middle):
            best, low = middle, middle + 1
        else:
            high = middle - 1
    return best


def interleave(ready: Sequence[Candidate]) -> list[Candidate]:
    """Take one node of each pool in turn."""
    pools: dict[str, list[Candidate]] = {}
    for one in ready:
        pools.setdefault(one.pool_name, []).append(one)
    rounds = zip_longest(*(pools[name] for name in sorted(pools)))
    return [one for one in chain.from_iterable(rounds) if one is not None]
