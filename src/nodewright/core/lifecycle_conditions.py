"""Conditions: how what we find out is written into an object's status.

A condition keeps its time as long as its status stays the same. The root, Ready, follows from those
that it depends on: one that is missing is Unknown since the object was made. Ready stands last, the
others in the order in which they came about.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from nodewright.model.instant import print_instant
from nodewright.model.metadata import Condition

TRUE: Final = "True"
FALSE: Final = "False"
UNKNOWN: Final = "Unknown"
READY: Final = "Ready"
LAUNCHED: Final = "Launched"
REGISTERED: Final = "Registered"
INITIALIZED: Final = "Initialized"
CLAIM_PARTS: Final = (LAUNCHED, REGISTERED, INITIALIZED)
MESSAGE_MAX: Final = 300


class Finding(msgspec.Struct, frozen=True):
    """What was found out about one condition."""

    type: str
    status: str = TRUE
    reason: str = ""
    message: str = ""


def find(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """Give a condition by its type."""
    for one in conditions:
        if one.type == kind:
            return one
    return None


def is_true(thing: Any, kind: str) -> bool:
    """Tell whether a condition of an object holds."""
    found = find(thing.status.conditions, kind)
    return found is not None and found.status == TRUE


def says(thing: Any, finding: Finding) -> bool:
    """Tell whether an object's conditions say a finding already."""
    found = find(thing.status.conditions, finding.type)
    return (
        found is not None
        and found.status == finding.status
        and found.reason == (finding.reason or finding.type)
        and found.message == shorten(finding.message)
    )


def shorten(message: str) -> str:
    """Cut a message to what a condition should hold."""
    return message if len(message) <= MESSAGE_MAX else f"{message[:MESSAGE_MAX]}..."


def conditions_after(
    thing: Any, findings: Sequence[Finding], parts: Sequence[str], now_ms: int
) -> list[dict[str, object]]:
    """Give all conditions of an object after some findings, as they are written.

    Ready follows from the parts; without parts it stays as it is.
    """
    meta = thing.metadata
    known = {one.type: one for one in thing.status.conditions if one.type != READY or not parts}
    for part in parts:
        if part not in known:
            known[part] = Condition(
                type=part,
                status=UNKNOWN,
                reason="AwaitingReconciliation",
                message="nothing is known yet",
                last_transition_time=meta.creation_timestamp or print_instant(now_ms),
            )
    for finding in findings:
        known[finding.type] = _merge(known.get(finding.type), finding, now_ms)
    ordered = sorted(known.values(), key=lambda one: (one.last_transition_time or "", one.type))
    if parts:
        root = _root([known[part] for part in parts])
        ordered.append(_merge(find(thing.status.conditions, READY), root, now_ms))
    stamped = [msgspec.structs.replace(one, observed_generation=meta.generation) for one in ordered]
    return [write_condition(one) for one in stamped]


def _root(parts: Sequence[Condition]) -> Finding:
    if all(one.status == TRUE for one in parts):
        return Finding(READY)
    bad = [one.type for one in parts if one.status == FALSE]
    if bad:
        return Finding(READY, FALSE, "UnhealthyDependents", f"{', '.join(bad)} is False")
    waiting = [one.type for one in parts if one.status != TRUE]
    return Finding(READY, UNKNOWN, "ReconcilingDependents", f"waiting for {', '.join(waiting)}")


def _merge(old: Condition | None, finding: Finding, now_ms: int) -> Condition:
    since = print_instant(now_ms)
    if old is not None and old.status == finding.status and old.last_transition_time:
        since = old.last_transition_time
    return Condition(
        type=finding.type,
        status=finding.status,
        reason=finding.reason or finding.type,
        message=shorten(finding.message),
        last_transition_time=since,
    )


def write_condition(one: Condition) -> dict[str, object]:
    """Give a condition as it stands in an object."""
    # The definition demands every field, also those that are empty.
    return {
        "type": one.type,
        "status": one.status,
        "reason": one.reason,
        "message": one.message,
        "lastTransitionTime": one.last_transition_time,
        "observedGeneration": one.observed_generation or 0,
    }
