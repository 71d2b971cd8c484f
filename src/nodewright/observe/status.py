"""The status at a glance: what is done now, what waits and why, money, and the latest decisions.

One document that anybody reads with one `kubectl get`. It is made from the same values as metrics, lines
and screens, and says no more of an object than its name.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from nodewright.core.money import Bill
from nodewright.model.decision import Decision, Refuse
from nodewright.model.instance import NANO
from nodewright.model.instant import print_instant, read_instant
from nodewright.model.labels import NODEPOOL
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.world import World
from nodewright.observe.cluster import TERMINAL
from nodewright.observe.facts import NARROW, shorten
from nodewright.observe.fresh import WORDS
from nodewright.ports.kube import Answer, Outcome

DECISIONS_MAX: Final = 10
_LISTED_MAX: Final = 20
_HOURS_A_MONTH: Final = 730
_STEPS: Final = (("Initialized", "Ready"), ("Registered", "Registered"), ("Launched", "Launched"))


class Condition(msgspec.Struct, frozen=True):
    """Something that is as it should be, or not, and why."""

    type: str
    status: bool
    message: str = ""


class Replica(msgspec.Struct, frozen=True):
    """Who writes the status, and what it says of itself."""

    name: str
    version: str
    conditions: Sequence[Condition] = ()


class Latest:
    """A witness that remembers what was last refused and done."""

    def __init__(self) -> None:
        self._now_ms = 0
        self._refused: tuple[Refuse, ...] = ()
        self._done: deque[dict[str, str]] = deque(maxlen=DECISIONS_MAX)

    def decided(
        self, controller: str, world: World, decisions: Sequence[Decision], duration_ms: int
    ) -> None:
        """Take note of who is refused now."""
        del duration_ms
        if controller not in NARROW:
            self._now_ms = world.now_ms
        if controller == "provisioning":
            self._refused = tuple(one for one in decisions if isinstance(one, Refuse))

    def came_of(
        self, controller: str, decision: Decision, answer: Answer, duration_ms: int
    ) -> None:
        """Take note of what was really done to claims and nodes; pods would crowd them out."""
        del controller, duration_ms
        is_news = not isinstance(decision, WORDS) and decision.kind in _TOLD
        if answer.outcome is Outcome.DONE and is_news:
            said = {
                "at": print_instant(self._now_ms),
                "id": decision.id,
                "what": f"{decision.kind} {decision.subject}",
                "reason": decision.reason,
                "note": decision.note,
            }
            self._done.appendleft({key: value for key, value in said.items() if value})

    def waits(self, world: World) -> list[dict[str, object]]:
        """Give why pods that still wait cannot be placed, the most common cause first."""
        waiting = {pod.metadata.uid for pod in world.pods if not pod.spec.node_name}
        groups: dict[str, list[Refuse]] = {}
        for one in self._refused:
            if one.subject.uid in waiting:
                groups.setdefault(one.code, []).append(one)
        ordered = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        return [
            {
                "code": code,
                "pods": len(many),
                "suchAs": shorten(f"{one.subject.namespace}/{one.subject.name}" for one in many),
                "because": many[0].note,
            }
            for code, many in ordered[:_LISTED_MAX]
        ]

    def done(self) -> list[dict[str, str]]:
        """Give what was last done, the latest first."""
        return list(self._done)


_TOLD: Final = frozenset(("Launch", "Disrupt", "Delete", "End", "Release", "Start"))


def status_document(
    world: World, bill: Bill | None, latest: Latest, replica: Replica
) -> dict[str, object]:
    """Give the status as plain values, in the order in which a person reads them."""
    waiting = [
        pod for pod in world.pods if not pod.spec.node_name and pod.status.phase not in TERMINAL
    ]
    document: dict[str, object] = {
        "leader": replica.name,
        "version": replica.version,
        "nodes": len(world.nodes),
        "pods": len(world.pods),
        "podsWaiting": len(waiting),
        "making": list(_making(world))[:_LISTED_MAX],
        "going": list(_going(world))[:_LISTED_MAX],
        "waiting": latest.waits(world),
    }
    if bill is not None:
        document["money"] = _money(bill)
        document["nodePools"] = {
            name: {
                "nodes": one.nodes,
                "perHour": _amount(one.price),
                "idlePerHour": _amount(one.idle),
            }
            for name, one in list(bill.pools.items())[:_LISTED_MAX]
        }
    document["conditions"] = [
        {"type": one.type, "status": str(one.status), "message": one.message}
        for one in replica.conditions
    ]
    document["latestDecisions"] = latest.done()
    return document


def _making(world: World) -> Iterator[Mapping[str, object]]:
    for claim in world.node_claims:
        if claim.metadata.deletion_timestamp is None and not _is(claim, "Initialized"):
            yield {
                "nodeClaim": claim.metadata.name,
                "nodePool": claim.metadata.labels.get(NODEPOOL, ""),
                "state": _state(claim),
                "since": claim.metadata.creation_timestamp or "",
                "waitsFor": _first_reason(claim),
            }


def _going(world: World) -> Iterator[Mapping[str, object]]:
    for claim in world.node_claims:
        since_ms = read_instant(claim.metadata.deletion_timestamp)
        if since_ms is not None:
            yield {
                "nodeClaim": claim.metadata.name,
                "node": claim.status.node_name,
                "since": claim.metadata.deletion_timestamp or "",
                "state": "Terminating" if _is(claim, "Drained") else "Draining",
            }


def _money(bill: Bill) -> dict[str, object]:
    return {
        "perHour": _amount(bill.total),
        "perMonth": round(bill.total * _HOURS_A_MONTH / NANO, 2),
        "idlePerHour": _amount(bill.idle),
        "nodesWithoutPrice": bill.unpriced,
    }


def _amount(price: int) -> float:
    return round(price / NANO, 4)


def _is(claim: NodeClaim, condition: str) -> bool:
    return any(one.type == condition and one.status == "True" for one in claim.status.conditions)


def _state(claim: NodeClaim) -> str:
    return next((word for condition, word in _STEPS if _is(claim, condition)), "Created")


def _first_reason(claim: NodeClaim) -> str:
    """Give what the first step that is not done waits for."""
    for name in ("Launched", "Registered", "Initialized"):
        for one in claim.status.conditions:
            if one.type == name and one.status != "True":
                return one.message or one.reason
    return ""
