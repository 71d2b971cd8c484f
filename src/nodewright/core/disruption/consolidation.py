"""Consolidation: the cheapest end state that is within reach, by as few moves as it takes.

First whatever is free: nodes whose pods fit into room that is paid for are deleted. Then whatever is
dear: nodes that cost more than their load would if it were bought well today are taken a few at a time,
and their pods planned anew, on room that is left and on as many new nodes as are cheapest. A group that
does not pay is taken apart and tried again. Every node is looked at, and each that stays is told why.
"""

from collections.abc import Sequence
from typing import Final

from nodewright.core.disruption.candidates import Candidate
from nodewright.core.disruption.components import components
from nodewright.core.disruption.drafting import is_spot, price_at_best, type_count
from nodewright.core.disruption.gates import judge_backoff, judge_budget
from nodewright.core.disruption.stage import Attempt, Stage, desire, no_room
from nodewright.core.disruption.worth import HOUR_MS, OVERLAP_MS, Move, Scales, money
from nodewright.core.scheduling.drafts import Draft
from nodewright.model.disruption import UNDERUTILIZED, Kept, Method
from nodewright.model.keeping import Keeping
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, SPOT, ZONE
from nodewright.model.pod import Pod

GROUP_MAX: Final = 32
"""How many nodes are taken together at most: a command that fails is undone as a whole."""

GROUP_END_MAX: Final = 400
"""How many in a what-if to the end, where nothing fails."""

SPOT_TYPES_MIN: Final = 15
"""How many cheaper types one spot node needs to be replaced by spot."""

SPOT_GATE: Final = "SpotToSpotConsolidation"
ATTEMPTS_MAX: Final = 4000
"""How many groups are tried in one answer."""

GAIN_MIN: Final = 0.02
"""The least share of its price by which a node's load must be cheaper elsewhere to be worth a try."""


DEAR: Final = 1.03
"""A node that costs so much more than what it could hold is worth replacing even when it is full."""


class Consolidation:
    """Finds nodes that can go for money."""

    def __init__(self, stage: Stage, scales: Scales) -> None:
        self.stage = stage
        self.scales = scales
        self.attempts = ATTEMPTS_MAX
        self._spot_to_spot = stage.census.world.options.feature_gates.get(SPOT_GATE, False)

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Let nodes go as long as it pays; every other candidate is told why not."""
        ready = [one for one in candidates if self._is_ready(one)]
        if self.stage.settings.anew:
            self._try(list(ready))
            ready = self._left(ready)
        # Whoever is sent to a node that is to be replaced would move twice.
        dear = [one for one in ready if self._is_dear(one)]
        rows = [self.stage.floor.row_of[one.name] for one in dear]
        for row in rows:
            self.stage.floor.close(row)
        gone = len(self.stage.gone)
        misfits = self._delete(ready)
        self._replace(self._left(ready))
        self.stage.floor.open_all(
            self.stage.floor.row_of[one.name] for one in dear if one.name not in self.stage.gone
        )
        if dear or len(self.stage.gone) > gone:
            misfits |= self._delete(self._left(ready))
        for one in ready:
            if one.name in self.stage.gone:
                continue
            if one.name in self.stage.received:
                self.stage.keep(Kept(one.name, Keeping.NOMINATED))
            if one.name in misfits and "Replace" not in one.policy.moves:
                self.stage.keep(no_room(one, misfits[one.name]))
            self.stage.keep(_nothing(one))

    def _left(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Give those that neither go nor have been told why they stay."""
        gone, kept = self.stage.gone, self.stage.kept
        return [one for one in candidates if one.name not in gone and one.name not in kept]

    def _is_dear(self, one: Candidate) -> bool:
        """Tell whether a node costs clearly more than it could hold, and may be replaced."""
        if one.price is None or "Replace" not in one.policy.moves:
            return False
        if one.capacity_type == SPOT and not self._spot_to_spot:
            return False
        floor = self.stage.floor
        worth = floor.value_in(floor.sizes[floor.row_of[one.name]], one.pool_name)
        return one.price > worth * DEAR and self._could_pay(one, one.price - worth, worth)

    def _is_ready(self, one: Candidate) -> bool:
        if one.name not in self.stage.floor.row_of:
            self.stage.keep(Kept(one.name, Keeping.LABELS_MISSING, {"label": "allocatable"}))
            return False
        keys = (INSTANCE_TYPE, CAPACITY_TYPE, ZONE)
        missing = [key for key in keys if not one.labels.get(key)]
        known = self.stage.census.prices.type_of(one.pool_name, one.labels.get(INSTANCE_TYPE, ""))
        if missing or known is None:
            label = missing[0] if missing else INSTANCE_TYPE
            self.stage.keep(Kept(one.name, Keeping.LABELS_MISSING, {"label": label}))
            return False
        return True

    def _delete(self, candidates: Sequence[Candidate]) -> dict[str, list[Pod]]:
        """Delete nodes whose pods have room elsewhere, the most wanted first; give who has none."""
        stage = self.stage
        misfits: dict[str, list[Pod]] = {}
        for one in sorted(candidates, key=self._wanted):
            refusal = self._may_go((one,)) or self.scales.judge(Move((one,), self._own_pods(one)))
            if refusal is not None:
                stage.keep(refusal)
            elif "Delete" in one.policy.moves:
                attempt = stage.attempt((one,), may_build=False)
                if isinstance(attempt, Attempt):
                    stage.accept(attempt, UNDERUTILIZED, Method.SINGLE)
                else:
                    misfits[one.name] = attempt
        return misfits

    def _wanted(self, one: Candidate) -> tuple[float, float, str]:
        floor = self.stage.floor
        worth = floor.value(floor.sizes[floor.row_of[one.name]])
        return (-desire(one, worth), self._load_value(one), one.name)

    def _own_pods(self, one: Candidate) -> list[Pod]:
        """Give the pods of a node that were there from the beginning and would move for it."""
        stage = self.stage
        return [
            pod
            for pods in stage.floor.loads[stage.floor.row_of[one.name]].values()
            for pod in pods
            if stage.origin.get(id(pod)) == one.name
        ]

    def _may_go(self, ones: Sequence[Candidate]) -> Kept | None:
        """Tell what budgets and replicas say to some nodes going together."""
        stage = self.stage
        counts: dict[str, int] = {}
        for one in ones:
            if one.name in stage.received:
                # Or else a command would hang on another, and pods would move twice.
                return Kept(one.name, Keeping.NOMINATED)
            counts[one.pool_name] = counts.get(one.pool_name, 0) + 1
            if not stage.purse.has(one.pool_name, UNDERUTILIZED, counts[one.pool_name]):
                refusal = judge_budget(one, UNDERUTILIZED, stage.purse)
                return refusal or Kept(one.name, Keeping.BUDGET_SPENT, _spent(one, stage))
        if stage.settings.to_end:
            return None
        return stage.replicas.judge(ones) or stage.company.judge(ones)

    def _replace(self, candidates: Sequence[Candidate]) -> None:
        """Take nodes that are dear for their load, a few of one kind at a time."""
        buckets: dict[tuple[str, bool], list[tuple[float, str, Candidate]]] = {}
        for one in candidates:
            if one.price is None:
                continue
            if one.name in self.stage.received:
                continue
            value = self._load_value(one)
            waste = one.price - value
            if waste < one.price * GAIN_MIN or not self._could_pay(one, waste, value):
                continue
            spot = one.capacity_type == SPOT
            if spot and not self._spot_to_spot:
                self.stage.keep(Kept(one.name, Keeping.SPOT_TO_SPOT_OFF))
                continue
            if (waiting := self._backs_off(one)) is not None:
                self.stage.keep(waiting)
                continue
            bucket = buckets.setdefault((one.pool_name, spot), [])
            bucket.append((-waste / one.cost, one.name, one))
        most = GROUP_END_MAX if self.stage.settings.to_end else GROUP_MAX
        for key in sorted(buckets):
            ordered = [one for _, _, one in sorted(buckets[key], key=lambda entry: entry[:2])]
            for begin in range(0, len(ordered), most):
                self._try(ordered[begin : begin + most])

    def _backs_off(self, one: Candidate) -> Kept | None:
        stage = self.stage
        return None if stage.settings.to_end else judge_backoff(one, stage.memory, stage.now_ms)

    def _load_value(self, one: Candidate) -> float:
        floor = self.stage.floor
        return floor.load_value(floor.row_of[one.name], one.pool_name)

    def _could_pay(self, one: Candidate, gain: float, value: float) -> bool:
        """Tell whether a node would pay for its own move if its load were bought as well as can be."""
        payback_ms = self.scales.payback_ms((one,))
        cost = self.scales.price_of_moving(one) + value * OVERLAP_MS / HOUR_MS
        return not payback_ms or gain * payback_ms >= cost * HOUR_MS

    def _try(self, ones: list[Candidate]) -> None:
        """Try some nodes together; what does not pay is taken apart and tried again."""
        while ones:
            refusal = self._may_go(ones) or self._forbids(ones)
            if refusal is None:
                break
            self.stage.keep(refusal)
            ones = [one for one in ones if one.name != refusal.node]
        if self.attempts <= 0:
            for one in ones:
                self.stage.keep(Kept(one.name, Keeping.NOT_REACHED, {"tries": ATTEMPTS_MAX}))
        if not ones or self.attempts <= 0:
            return
        self.attempts -= 1
        attempt = self.stage.attempt(ones, may_build=True)
        if not isinstance(attempt, Attempt):
            self._take_apart(ones, no_room(ones[0], attempt))
            return
        good, verdict = self._judge(attempt)
        if len(good) == len(ones):
            fewer = _without_twins(ones, attempt.drafts)
            if fewer and len(fewer) < len(ones):
                self.stage.take_back(attempt)
                self._try(fewer)
                return
            method = Method.MULTI if len(ones) > 1 else Method.SINGLE
            self.stage.accept(attempt, UNDERUTILIZED, method)
            return
        self.stage.take_back(attempt)
        bad = [one for one in ones if one.name not in good]
        if good:
            self._try([one for one in ones if one.name in good])
            self._take_apart(bad, verdict, is_smaller=True)
        else:
            self._take_apart(ones, verdict)

    def _take_apart(
        self, ones: list[Candidate], verdict: Kept | None, *, is_smaller: bool = False
    ) -> None:
        if len(ones) == 1 and not is_smaller:
            if verdict is not None:
                self.stage.keep(Kept(ones[0].name, verdict.reason, verdict.values))
            return
        if is_smaller:
            self._try(ones)
            return
        middle = len(ones) // 2
        self._try(ones[:middle])
        self._try(ones[middle:])

    def _forbids(self, ones: Sequence[Candidate]) -> Kept | None:
        kind = "Replace" if len(ones) == 1 else "Merge"
        for one in ones:
            if kind not in one.policy.moves:
                return Kept(one.name, Keeping.MOVE_NOT_ALLOWED, {"move": kind})
        return None

    def _judge(self, attempt: Attempt) -> tuple[set[str], Kept | None]:
        """Give the nodes of an attempt that pay, part by part, and what the others lack."""
        pods_of = self.stage.drafting.filling.pods_of
        by_number = {draft.number: draft for draft in attempt.drafts}
        by_name = {one.name: one for one in attempt.candidates}
        parts = components(
            by_name,
            self.stage.origin,
            {number: pods_of[number] for number in by_number},
        )
        good: set[str] = set()
        verdict: Kept | None = None
        for part in parts:
            ones = [by_name[name] for name in part.nodes]
            drafts = [by_number[number] for number in part.drafts]
            refusal = self._judge_part(ones, drafts) if ones else None
            if refusal is None:
                good.update(part.nodes)
            else:
                verdict = verdict or refusal
        return good, verdict

    def _judge_part(self, ones: Sequence[Candidate], drafts: Sequence[Draft]) -> Kept | None:
        stage, name = self.stage, ones[0].name
        all_spot = all(one.capacity_type == SPOT for one in ones)
        for draft in drafts:
            stage.drafting.pin_to_spot(draft)
        old = sum(one.price or 0 for one in ones)
        new = sum(map(price_at_best, drafts))
        if drafts and new >= old:
            return Kept(name, Keeping.NOTHING_CHEAPER, {"price": money(old)})
        for draft in drafts:
            # Together the new nodes must cost less even if each is launched as its dearest type.
            least = price_at_best(draft)
            if not stage.drafting.cap(draft, max(least + 1, least * old // max(1, new))):
                return Kept(name, Keeping.NOTHING_CHEAPER, {"price": money(old)})
        if all_spot and any(map(is_spot, drafts)):
            refusal = self._spot_for_spot(ones, drafts)
            if refusal is not None:
                return refusal
        kinds = tuple((draft.supply.name, _cheapest_type(draft)) for draft in drafts)
        pods = [pod for one in ones for pod in one.pods]
        return self.scales.judge(Move(ones, pods, sum(map(price_at_best, drafts)), kinds))

    def _spot_for_spot(self, ones: Sequence[Candidate], drafts: Sequence[Draft]) -> Kept | None:
        name = ones[0].name
        if not self._spot_to_spot:
            return Kept(name, Keeping.SPOT_TO_SPOT_OFF)
        if len(ones) > 1:
            return None
        for draft in drafts:
            have = type_count(draft)
            if have < SPOT_TYPES_MIN:
                values: dict[str, str | int] = {"have": have, "need": SPOT_TYPES_MIN}
                return Kept(name, Keeping.TOO_FEW_SPOT_TYPES, values)
            self.stage.drafting.keep_cheapest_types(draft, SPOT_TYPES_MIN)
        return None


def _without_twins(ones: Sequence[Candidate], drafts: Sequence[Draft]) -> list[Candidate]:
    """Leave out nodes that would only be bought again: they can stay, and so can their pods."""
    bought: dict[tuple[str, str], list[int]] = {}
    for draft in drafts:
        key = (draft.supply.name, _cheapest_type(draft))
        bought.setdefault(key, []).append(price_at_best(draft))
    left: list[Candidate] = []
    for one in sorted(ones, key=lambda one: (one.cost, one.name), reverse=True):
        prices = bought.get((one.pool_name, one.labels.get(INSTANCE_TYPE, "")), [])
        if prices and one.price is not None and one.price <= max(prices):
            prices.remove(max(prices))
        else:
            left.append(one)
    return sorted(left, key=lambda one: list(ones).index(one))


def _cheapest_type(draft: Draft) -> str:
    return draft.supply.types[draft.supply.alive_types(draft.bits)[0]].name


def _nothing(one: Candidate) -> Kept:
    return Kept(one.name, Keeping.NOTHING_CHEAPER, {"price": money(one.price or 0)})


def _spent(one: Candidate, stage: Stage) -> dict[str, str | int]:
    known = stage.purse.allowances[(one.pool_name, UNDERUTILIZED)]
    return {
        "pool": one.pool_name,
        "reason": UNDERUTILIZED,
        "used": known.used,
        "allowed": known.allowed or 0,
        "total": known.total,
    }
