"""What a line of the log says of the objects that a decision is about: names, sizes and places.

Only what is listed here gets into a line. Objects hold what users wrote, and some of it is nobody
else's business.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nodewright.core.lifecycle_conditions import INITIALIZED
from nodewright.model.decision import Change, Decision, Delete, Disrupt, Launch, Release, Start
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.resource import NODE_CLAIMS, Ref
from nodewright.model.world import World

NAMES_MAX: Final = 5
NARROW: Final = frozenset(
    (
        "checkup", "disruptable", "interruption", "nodepolicy", "nominations", "podevents", "tagging",
        "transitions",
    )
)  # fmt: skip
"""Controllers whose World holds only what they ask for: what it lacks may well be there."""

WHOLE: Final = frozenset(("provisioning", "disruption"))
"""Controllers whose World holds the whole cluster: what it lacks is not there."""

_PLACE: Final = {
    INSTANCE_TYPE: "instance-type",
    ZONE: "zone",
    CAPACITY_TYPE: "capacity-type",
}

type Facts = dict[str, object]


class Claims:
    """The claims of the last World that had any, by name."""

    def __init__(self) -> None:
        self._seen: Sequence[NodeClaim] = ()
        self._by_name: dict[str, NodeClaim] | None = {}

    def see(self, world: World) -> None:
        """Take note of what is there; some controllers look at no claims, which says nothing."""
        if world.node_claims:
            self._seen, self._by_name = world.node_claims, None

    def find(self, name: str) -> NodeClaim | None:
        """Give a claim as it was last seen."""
        if self._by_name is None:
            self._by_name = {one.metadata.name: one for one in self._seen}
        return self._by_name.get(name)


def name_it(subject: Ref) -> Facts:
    """Name an object under its kind."""
    named = {"name": subject.name}
    whole = {"namespace": subject.namespace, **named} if subject.namespace else named
    return {subject.resource.kind: whole}


def shorten(names: Iterable[str], most: int = NAMES_MAX) -> str:
    """Give the first names of many, and how many there are beside."""
    every = list(names)
    first, others = ", ".join(every[:most]), len(every) - most
    return f"{first} and {others} other(s)" if others > 0 else first


def describe_work(decision: Decision, claims: Claims) -> Facts:
    """Give what a line says of a decision that was carried out, beside its subject's name."""
    match decision:
        case Launch(claim=claim):
            return _asked_for(claim)
        case Disrupt(record=record):
            return {
                "command": decision.note,
                "command-id": record.id,
                "reason": record.reason,
                "nodes": shorten(one.node for one in decision.leaving),
                "nodeclaims": shorten(one.metadata.name for one in decision.claims),
            }
        case Start(claim=claim):
            known = claims.find(claim.metadata.name) or claim
            return {**describe_claim(known), **_size(known)}
        case Release(thing=NodeClaim() as claim):
            return describe_claim(claim)
        case Release(thing=Node() as node):
            return {**_place(node.metadata.labels), **_provider(node.spec.provider_id)}
        case Change() | Delete() if decision.subject.resource is NODE_CLAIMS:
            return _describe_known(decision, claims.find(decision.subject.name))
        case _:
            return {}


def describe_claim(claim: NodeClaim) -> Facts:
    """Give what a claim became: its pool, node, machine, and where that is."""
    found = {**_place(claim.metadata.labels), **_provider(claim.status.provider_id)}
    if claim.status.node_name:
        found["Node"] = {"name": claim.status.node_name}
    return found


def _describe_known(decision: Decision, claim: NodeClaim | None) -> Facts:
    if claim is None:
        return {}
    size = _size(claim) if decision.reason == INITIALIZED else {}
    return {**describe_claim(claim), **_written_node(decision), **size}


def _size(claim: NodeClaim) -> Facts:
    return {"allocatable": dict(claim.status.allocatable)} if claim.status.allocatable else {}


def _asked_for(claim: NodeClaim) -> Facts:
    found: Facts = dict(_pool(claim.metadata.labels))
    found["requests"] = dict(claim.spec.resources.requests)
    for one in claim.spec.requirements:
        if one.key == INSTANCE_TYPE and one.operator == "In":
            found["instance-types"] = shorten(one.values)
    return found


def _place(labels: Mapping[str, str]) -> Facts:
    known = {name: labels[label] for label, name in _PLACE.items() if labels.get(label)}
    return {**_pool(labels), **known}


def _pool(labels: Mapping[str, str]) -> Facts:
    return {"NodePool": {"name": labels[NODEPOOL]}} if labels.get(NODEPOOL) else {}


def _provider(provider_id: str) -> Facts:
    return {"provider-id": provider_id} if provider_id else {}


def _written_node(decision: Decision) -> Facts:
    """Give the node's name where the decision is what writes it down."""
    if not isinstance(decision, Change):
        return {}
    status = decision.change.get("status")
    name = status.get("nodeName") if isinstance(status, dict) else None
    return {"Node": {"name": name}} if name else {}
