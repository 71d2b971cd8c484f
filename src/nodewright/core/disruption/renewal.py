"""Renewal: drifted nodes are replaced, as many at a time as budgets and waves allow.

Pools take turns, so that one whose replacements keep failing does not hold up the others; it is left
alone for a while instead. Within a pool, empty nodes come first, then those that drifted first. Waves
grow as long as what went before stays healthy, and stop for good when too much has failed.
"""

from collections.abc import Iterator, Mapping, Sequence

from nodewright.core.disruption.candidates import Candidate
from nodewright.core.disruption.drift import Drift
from nodewright.core.disruption.gates import judge_backoff, judge_budget, judge_gates
from nodewright.core.disruption.stage import Attempt, Gone, Stage, no_room
from nodewright.core.disruption.waves import present_wave
from nodewright.model.disruption import DRIFTED, Kept, Method
from nodewright.model.keeping import Keeping
from nodewright.model.quantity import MILLI, BadQuantity, parse_resources

type Drifts = Mapping[str, Drift]


def renew(stage: Stage, candidates: Sequence[Candidate], drifts: Drifts) -> None:
    """Replace drifted nodes of ordinary pools; those that must wait are told why."""
    waves = {name: Waves(stage, name) for name in {one.pool_name for one in candidates}}
    for one in take_turns(candidates, drifts):
        drift = drifts[one.name]
        refusal = (
            _may_start(stage, one)
            or waves[one.pool_name].judge(one, drift)
            or _holds_last(stage, one)
        )
        if refusal is not None:
            stage.keep(refusal)
            continue
        attempt = stage.attempt((one,), may_build=True)
        if isinstance(attempt, Attempt):
            stage.accept(attempt, DRIFTED, Method.DRIFT, drift.reason)
            waves[one.pool_name].take()
        else:
            stage.keep(no_room(one, attempt, DRIFTED))


def renew_static(stage: Stage, candidates: Sequence[Candidate], drifts: Drifts) -> None:
    """Replace drifted nodes of static pools one for one, never beyond their limit."""
    rooms: dict[str, int | None] = {}
    waves = {name: Waves(stage, name) for name in {one.pool_name for one in candidates}}
    for one in take_turns(candidates, drifts):
        pool = one.pool_name
        if pool not in rooms:
            rooms[pool] = _spare(stage, one)
        refusal = _may_start(stage, one)
        room = rooms[pool]
        if refusal is None and room is not None and room <= 0:
            refusal = Kept(one.name, Keeping.NO_SPARE_NODE, {"pool": pool})
        refusal = refusal or waves[pool].judge(one, drifts[one.name]) or _holds_last(stage, one)
        if refusal is not None:
            stage.keep(refusal)
            continue
        waves[pool].take()
        stage.replicas.take((one,))
        if room is not None:
            rooms[pool] = room - 1
        stage.purse.take(pool)
        stage.gone[one.name] = Gone(one, DRIFTED, Method.STATIC_DRIFT, drifts[one.name].reason)
        row = stage.floor.row_of.get(one.name)
        if row is not None:
            stage.floor.close(row)


def take_turns(candidates: Sequence[Candidate], drifts: Drifts) -> Iterator[Candidate]:
    """Give drifted nodes pool by pool in turns, each pool's most urgent first."""
    queues: dict[str, list[Candidate]] = {}
    for one in sorted(candidates, key=lambda one: _urgency(one, drifts)):
        if one.name in drifts:
            queues.setdefault(one.pool_name, []).append(one)
    turn = 0
    while any(len(queue) > turn for queue in queues.values()):
        for name in sorted(queues):
            if len(queues[name]) > turn:
                yield queues[name][turn]
        turn += 1


def _urgency(one: Candidate, drifts: Drifts) -> tuple[bool, int, str]:
    drift = drifts.get(one.name)
    return (bool(one.pods), drift.since_ms if drift is not None else 0, one.name)


def _may_start(stage: Stage, one: Candidate) -> Kept | None:
    if one.name not in stage.floor.row_of:
        return Kept(one.name, Keeping.POOL_UNKNOWN, {"pool": one.pool_name})
    if one.blocked is not None and not one.has_grace:
        return one.blocked
    refusal = judge_gates(one, DRIFTED, stage.now_ms, stage.settings)
    if refusal is not None:
        return refusal
    if not stage.settings.to_end:
        refusal = judge_backoff(one, stage.memory, stage.now_ms)
    return refusal or judge_budget(one, DRIFTED, stage.purse)


def _holds_last(stage: Stage, one: Candidate) -> Kept | None:
    """Tell whether the last healthy replicas of a workload, or company, go with others that go."""
    if stage.settings.to_end:
        return None
    return stage.replicas.judge((one,)) or stage.company.judge((one,))


def _spare(stage: Stage, one: Candidate) -> int | None:
    """Tell how many replacements a static pool may start; nothing while it is larger than it is to be."""
    own = [
        each.metadata
        for each in stage.census.world.node_claims
        if each.metadata.labels.get("karpenter.sh/nodepool") == one.pool_name
    ]
    live = sum(each.deletion_timestamp is None for each in own)
    if live > (one.pool.spec.replicas or 0):
        return 0
    try:
        most = parse_resources(one.pool.spec.limits or {}).get("nodes")
    except BadQuantity:
        return 0
    return None if most is None else most // MILLI - len(own)


class Waves:
    """How many nodes of one pool may still go in its present wave."""

    def __init__(self, stage: Stage, pool: str) -> None:
        self._stage = stage
        self._pool = pool
        self._taken = 0

    def judge(self, one: Candidate, drift: Drift) -> Kept | None:
        """Tell whether a node has to wait for the wave before it."""
        rule = one.policy.waves
        if rule is None or self._stage.settings.to_end:
            return None
        stage = self._stage
        wave = present_wave(stage.memory, self._pool, drift.target, rule, stage.now_ms)
        values: dict[str, str | int] = {"pool": self._pool, "size": wave.size}
        if wave.failed > rule.failures_max:
            return Kept(one.name, Keeping.WAVE_HALTED, {**values, "failed": wave.failed})
        if len(wave.gone) + self._taken < wave.size:
            return None
        settled = wave.settled_ms
        until_ms = None if settled is None else settled + rule.soak_ms
        return Kept(one.name, Keeping.WAVE_SOAKS, values, until_ms=until_ms)

    def take(self) -> None:
        """Take note of one more node in this wave."""
        self._taken += 1
