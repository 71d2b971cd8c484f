"""Compares two plans of one problem: who places more, who pays less, and whose plan is right."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from nodewright.core.scheduling.solve import solve
from nodewright.model.instance import NANO
from nodewright.model.plan import Plan
from nodewright.state.snapshot import read_snapshot
from parity.differences import why_missed
from parity.peer import ask
from problems import generate
from referee import judge, read_plan
from referee.verdict import Violation

_CENT = NANO // 100_000
"""Prices are compared up to a thousandth of a cent: the peer sums floating-point numbers."""


class Comparison(msgspec.Struct, frozen=True):
    """One problem, answered by both; each pod that only the peer places has the name of a reason."""

    seed: int
    our_faults: tuple[str, ...]
    their_faults: tuple[Violation, ...]
    missed: Mapping[str, str]
    extra: int
    our_price: int
    their_price: int

    @property
    def is_dearer(self) -> bool:
        """Whether we pay more for the same pods."""
        return self.is_level and self.our_price > self.their_price + _CENT

    @property
    def is_level(self) -> bool:
        """Whether both place the same pods and the peer's plan is right, so that prices compare."""
        return not self.missed and not self.extra and not self.their_faults


def placed(plan: Plan) -> set[str]:
    """The pods that a plan has a place for."""
    return {key for node in (*plan.new_nodes, *plan.existing_nodes) for key in node.pods}


def compare(seeds: Iterable[int], folder: Path, size: str = "small") -> list[Comparison]:
    """Have both answer the problems of these seeds."""
    paths = {folder / f"{size}-{seed}.json": seed for seed in seeds}
    for path, seed in paths.items():
        path.write_text(json.dumps(generate(seed, size)))
    answers = ask(paths)
    return [_compare(seed, path, answers[path]) for path, seed in paths.items()]


def _compare(seed: int, path: Path, answer: str) -> Comparison:
    world = read_snapshot(path.read_bytes(), path.name).world
    ours, theirs = solve(world), read_plan(answer)
    # The peer words its refusals in its own way, without codes: how they read is no fault here.
    faults = tuple(one for one in judge(world, theirs) if one.rule not in ("reason", "deferred"))
    return Comparison(
        seed=seed,
        our_faults=tuple(str(one) for one in judge(world, ours)),
        their_faults=faults,
        missed={
            pod.key: why_missed(ours, theirs, pod, faults)
            for pod in world.pods
            if pod.key in placed(theirs) - placed(ours)
        },
        extra=len(placed(ours) - placed(theirs)),
        our_price=ours.price,
        their_price=theirs.price,
    )
