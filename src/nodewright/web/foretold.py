"""What edited manifests would do to a snapshot: run as a module, it reads the question and the snapshot.

The same machinery as behind `diff`, `plan`, `consolidate`, `lint` and `simulate`; both sides of every
comparison are worked out on the same World. The forecast plays the pods of now on an empty cluster, once with
the pools as they are and once as they would be.
"""

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from nodewright.app.consolidating import consolidate_world, kept_document
from nodewright.app.differing import Edited, edit_world
from nodewright.app.manifests import Source
from nodewright.app.planning import money, plan_world
from nodewright.core.disruption.change import Change, judge_change
from nodewright.lint.engine import lint
from nodewright.model.errors import UserError
from nodewright.model.instant import print_instant
from nodewright.model.plan import Plan
from nodewright.model.wording.verdict import unplaced_summary
from nodewright.model.world import World
from nodewright.state.manifests import Manifest, read_manifests
from nodewright.state.snapshot import Snapshot, read_snapshot
from nodewright.web.answers.shared import Problem, Verdict
from nodewright.web.answers.whatif import (
    Changed,
    Difference,
    GoingSide,
    PlanSide,
    Played,
    PriceChange,
    WhatIf,
    WhatIfRequest,
)
from nodewright.web.foretelling import FOUND_WRONG
from nodewright.web.played import play_both
from nodewright.web.writing.manifests import HIDDEN

NAMES_MAX: Final = 200
_NICE: Final = 10
_FILE: Final = "the manifests"


def work_out(taken: Snapshot, request: WhatIfRequest) -> WhatIf:
    """Work out what a change would do."""
    manifests = tuple(
        _shown_again(one, taken.world) for one in read_manifests(request.manifests.encode(), _FILE)
    )
    edited = edit_world(taken, [Source(_FILE, request.manifests, manifests)])
    world = taken.world
    played: Played | None = None
    if request.simulate_hours:
        played = play_both(
            (world, edited.world), taken.metadata.region, request.simulate_hours, request.seed
        )
    return WhatIf(
        revision=0,
        at=print_instant(world.now_ms),
        difference=_difference(edited, judge_change(world, edited.world)),
        plan_now=_plan(plan_world(world).plan),
        plan_changed=_plan(plan_world(edited.world).plan),
        going_now=_going(world),
        going_changed=_going(edited.world),
        findings=_lint(manifests),
        played=played,
    )


def _shown_again(manifest: Manifest, world: World) -> Manifest:
    """Put user data back that was not shown, where the mark still stands for it."""
    spec = manifest.raw.get("spec")
    if not isinstance(spec, dict) or spec.get("userData") != HIDDEN:
        return manifest
    known: Mapping[str, Any] = {one.metadata.name: one for one in world.node_classes}
    real = getattr(getattr(known.get(manifest.name), "spec", None), "user_data", None)
    raw = {**manifest.raw, "spec": {**spec, "userData": real or ""}}
    return msgspec.structs.replace(manifest, raw=raw)


def _difference(edited: Edited, change: Change) -> Difference:
    hours = None if change.rounds_ms is None else round(change.rounds_ms / 3_600_000, 2)
    return Difference(
        changes=tuple(
            Changed(kind, name, fields, not fields) for kind, name, fields in edited.changes
        ),
        drifts=dict(change.drifts),
        pools=dict(change.by_pool),
        blocked={
            name: msgspec.convert(kept_document(one), Verdict)
            for name, one in list(change.blocked.items())[:NAMES_MAX]
        },
        selectors_changed=tuple(change.selectors),
        hours=hours,
        price=PriceChange(
            money(change.price_before), money(change.price_rolling), money(change.price_after)
        ),
    )


def _plan(plan: Plan) -> PlanSide:
    made = Counter(
        f"{one.offering.instance_type} {one.offering.capacity_type}" for one in plan.new_nodes
    )
    places = [one.pods for one in plan.new_nodes] + [one.pods for one in plan.existing_nodes]
    return PlanSide(
        new_nodes=dict(sorted(made.items())),
        placed=sum(map(len, places)),
        unschedulable={
            key: unplaced_summary(one) for key, one in list(plan.unschedulable.items())[:NAMES_MAX]
        },
        price_per_hour=money(plan.price),
    )


def _going(world: World) -> GoingSide:
    decided = consolidate_world(world).decided
    leaving = [one.node for command in decided.commands for one in command.nodes]
    leaving += [one.node for one in decided.forceful]
    said = []
    for command in decided.commands:
        kinds = ", ".join(one.offering.instance_type for one in command.replacements)
        what = f"replace with {kinds}" if kinds else "delete"
        names = ", ".join(one.node for one in command.nodes)
        said.append(f"{command.reason}: {what}: {names}, saves {money(command.savings):.4f}/h")
    return GoingSide(
        tuple(said[:NAMES_MAX]),
        tuple(leaving[:NAMES_MAX]),
        money(decided.price_before),
        money(decided.price_after),
    )


def _lint(manifests: Sequence[Manifest]) -> tuple[str, ...]:
    return tuple(f"{one.code} {one.message}" for one in lint(manifests))[:NAMES_MAX]


def main() -> None:
    """Read a question and a snapshot, and write the answer."""
    os.nice(_NICE)
    asked, _, snapshot = sys.stdin.buffer.read().partition(b"\n")
    try:
        request = msgspec.json.decode(asked, type=WhatIfRequest)
        answer = work_out(read_snapshot(snapshot, "the snapshot of now"), request)
    except UserError as error:
        wrong = Problem(error.message, error.code, error.advice)
        sys.stdout.buffer.write(msgspec.json.encode(wrong))
        sys.stdout.buffer.flush()
        sys.exit(FOUND_WRONG)
    sys.stdout.buffer.write(msgspec.json.encode(answer))


if __name__ == "__main__":
    main()
