"""Explanations of the core as parts of answers: verdicts, places, funnels and conditions in words."""

import json
import shlex
from collections.abc import Iterable
from typing import Any

import msgspec

from nodewright.app.explaining import placement_sentence
from nodewright.app.planning import money
from nodewright.core.explain.bench import Placement
from nodewright.core.explain.patch import Op
from nodewright.core.scheduling import funnel
from nodewright.model.disruption import Kept
from nodewright.model.instant import print_instant
from nodewright.model.wording import word
from nodewright.model.wording.keeping import kept_sentence
from nodewright.web.answers.shared import Condition, Place, Step, Verdict


def write_verdict(kept: Kept | None) -> Verdict | None:
    """Write why a node stays or goes."""
    if kept is None:
        return None
    until = None if kept.until_ms is None else print_instant(kept.until_ms)
    return Verdict(kept.code, kept_sentence(kept), kept.blockers, until)


def write_place(placement: Placement) -> Place:
    """Write where a pod goes."""
    return Place(
        text=placement_sentence(placement),
        node=placement.node,
        node_pool=placement.node_pool,
        instance_type=placement.instance_type,
        zone=placement.zone,
        capacity_type=placement.capacity_type,
        price_per_hour=money(placement.price),
    )


def write_funnel(steps: Iterable[funnel.Step]) -> tuple[Step, ...]:
    """Write how many types each rule leaves."""
    return tuple(Step(one.rule, one.subject, one.left, _title(one)) for one in steps)


def _title(step: funnel.Step) -> str:
    """Say what a step asks for, as `explain` does."""
    match step.rule:
        case "labels":
            key, space, rest = step.subject.partition(" ")
            return f"{key.rpartition('/')[2]}{space}{rest}"
        case "resources":
            return step.subject
        case "taints" | "volumes":
            return f"{word(f'rule.{step.rule}')} {step.subject}"
        case "daemons":
            return word("daemons")
        case _:
            return word(f"rule.{step.rule}")


def write_conditions(conditions: Iterable[Any]) -> tuple[Condition, ...]:
    """Write the conditions of an object."""
    return tuple(
        Condition(one.type, one.status, one.reason, one.message, one.last_transition_time or None)
        for one in conditions
    )


def write_command(target: str, ops: Iterable[Op]) -> str:
    """Write a patch so that it can be copied; a pod's is for its template."""
    patch = json.dumps(msgspec.to_builtins(ops), ensure_ascii=False, separators=(",", ":"))
    if target.startswith("pod/"):
        return f"{word('change.where', target=target)} {patch}"
    return f"kubectl patch {target} --type=json -p {shlex.quote(patch)}"
