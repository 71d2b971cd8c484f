"""Pods that wait for a node, one entry a cause: refused ones first, then those that only have to wait.

The cause is that of a plan where one was made, else the controller's latest word about the pod.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.model.instant import read_instant
from nodewright.model.plan import Plan, Unplaced
from nodewright.model.pod import Pod
from nodewright.model.wording import page
from nodewright.model.wording.verdict import refusal_sentence, unplaced_summary
from nodewright.view.notebook import Told
from nodewright.view.values import PendingCause, PendingPod, PoolWord

LISTED_MAX: Final = 200
ON_ITS_WAY: Final = "A node is on its way"
WOULD_GET: Final = "A new node would be made"
HAS_ROOM: Final = "There is room for it"
GATED: Final = "Held by a scheduling gate"
UNJUDGED: Final = "Nobody has judged it yet"


class _Cause(msgspec.Struct, frozen=True):
    """What pods are grouped by; `is_refused` first, so that it sorts."""

    title: str
    summary: str
    code: str = ""
    is_refused: bool = False
    node_pools: tuple[PoolWord, ...] = ()
    decision: str = ""


def list_pending(
    waiting: Sequence[Pod], told: Told, plan: Plan | None = None
) -> tuple[PendingCause, ...]:
    """Group the pods that wait by why they do, the most important and largest groups first."""
    planned = _planned(plan) if plan is not None else {}
    groups: dict[tuple[str, str], tuple[_Cause, list[Pod]]] = {}
    for pod in waiting:
        key, cause = _cause(pod, told, plan, planned)
        groups.setdefault(key, (cause, []))[1].append(pod)
    found = [_write(cause, pods) for cause, pods in groups.values()]
    return tuple(sorted(found, key=lambda one: (not one.is_refused, -one.count, one.title)))


def _cause(
    pod: Pod, told: Told, plan: Plan | None, planned: Mapping[str, str]
) -> tuple[tuple[str, str], _Cause]:
    if pod.spec.scheduling_gates:
        names = ", ".join(one.name for one in pod.spec.scheduling_gates)
        return (GATED, names), _Cause(GATED, f"gate {names} is still on")
    if plan is not None:
        unplaced = plan.unschedulable.get(pod.key)
        if unplaced is not None:
            return ("/".join(map(str, unplaced.grouping)), ""), _refused_by(unplaced)
        where = planned.get(pod.key)
        if where is not None:
            title = HAS_ROOM if where else WOULD_GET
            return (title, ""), _Cause(title, "the plan has a place for it")
    return _said(pod, told)


def _said(pod: Pod, told: Told) -> tuple[tuple[str, str], _Cause]:
    """Give the latest that a controller said."""
    host = told.expected.get(pod.metadata.uid) or pod.status.nominated_node_name
    if host:
        return (ON_ITS_WAY, ""), _Cause(ON_ITS_WAY, f"expected on {host} and others")
    word = told.refused.get(pod.metadata.uid)
    if word is None:
        return (UNJUDGED, ""), _Cause(UNJUDGED, "no plan and no controller has answered for it")
    known = page(word.code)
    title = known.title if known is not None else word.code
    # What is said in an Event names its code too; here it has a place of its own.
    said = word.text.replace(f" ({word.code})", "")
    cause = _Cause(title, said, word.code, is_refused=True, decision=word.decision)
    return (word.code, word.text), cause


def _refused_by(one: Unplaced) -> _Cause:
    known = page(one.code)
    return _Cause(
        title=known.title if known is not None else one.code,
        summary=unplaced_summary(one),
        code=one.code,
        is_refused=not one.deferred,
        node_pools=tuple(
            PoolWord(each.name, each.code, refusal_sentence(each)) for each in one.node_pools
        ),
    )


def _planned(plan: Plan) -> dict[str, str]:
    """Give where a plan puts pods: the name of a node, nothing for one that is to be made."""
    found = {key: one.name for one in plan.existing_nodes for key in one.pods}
    return found | {key: "" for one in plan.new_nodes for key in one.pods}


def _write(cause: _Cause, pods: Iterable[Pod]) -> PendingCause:
    rows = sorted(
        (PendingPod(pod.key, read_instant(pod.metadata.creation_timestamp)) for pod in pods),
        key=lambda one: (one.since_ms or 0, one.key),
    )
    return PendingCause(
        code=cause.code,
        title=cause.title,
        summary=cause.summary,
        is_refused=cause.is_refused,
        count=len(rows),
        pods=tuple(rows[:LISTED_MAX]),
        node_pools=cause.node_pools,
        since_ms=rows[0].since_ms if rows else None,
        decision=cause.decision,
    )
