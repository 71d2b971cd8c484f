"""Explanations as the documents that `explain -o json` prints, in the wanted language."""

from collections.abc import Iterable, Mapping

import msgspec

from nodewright.app.planning import money, planned_node
from nodewright.core.explain.bench import Placement
from nodewright.core.explain.existing import Existing
from nodewright.core.explain.mend import Change
from nodewright.core.explain.node import NodeStory
from nodewright.core.explain.pod import PodStory, PoolStory, explain_pod
from nodewright.core.explain.pool import NodePoolStory
from nodewright.core.scheduling.funnel import Miss, Step, show_taint
from nodewright.model.cause import Cause
from nodewright.model.plan import Plan, group_causes
from nodewright.model.quantity import Resources, print_quantity, print_resources
from nodewright.model.wording import Language, change, page, sentence, word
from nodewright.model.wording.amounts import show_amount
from nodewright.model.wording.verdict import refusal_sentence, unplaced_summary
from nodewright.model.world import World

type Document = dict[str, object]


def explain_pod_document(world: World, key: str, language: Language = "en") -> Document | None:
    """Explain one pod of a World, as `explain pod/… -o json` prints it; nothing when it has none."""
    story = explain_pod(world, key)
    return None if story is None else pod_document(story, language)


def pending_document(plan: Plan, language: Language = "en") -> list[Document]:
    """Write one entry for each cause that keeps pods behind: what a page of waiting pods shows."""
    return [
        {
            "code": first.code,
            "title": reason_title(first.code, "", language),
            "summary": unplaced_summary(first, language),
            "deferred": first.deferred,
            "pods": list(keys),
            "nodePools": [
                {"name": one.name, "code": one.code, "reason": refusal_sentence(one, language)}
                for one in first.node_pools
            ],
        }
        for keys in group_causes(plan.unschedulable)
        for first in (plan.unschedulable[keys[0]],)
    ]


def pod_document(story: PodStory, language: Language = "en") -> Document:
    """Write what is to be said of a pod."""
    unplaced = story.unplaced
    return {
        "pod": story.pod,
        "placeable": story.placeable,
        "deferred": unplaced.deferred if unplaced is not None else False,
        "code": unplaced.code if unplaced is not None else None,
        "summary": pod_summary(story, language),
        "requests": print_resources(story.requests),
        "placement": _placement(story.placement),
        "nodePools": [_pool(one, language) for one in story.pools],
        "existing": _existing(story.existing, language),
        "smallestChange": _change(story, language),
    }


def pod_summary(story: PodStory, language: Language = "en") -> str:
    """Say in one sentence what becomes of a pod."""
    if story.unplaced is not None:
        return unplaced_summary(story.unplaced, language)
    assert story.placement is not None
    return placement_sentence(story.placement, language)


def placement_sentence(placement: Placement, language: Language = "en") -> str:
    """Say where a pod goes."""
    if placement.node:
        return word("on.existing", language, node=placement.node)
    return word("on.new", language, **placement_words(placement))


def placement_words(placement: Placement) -> dict[str, str]:
    """Give the words of a new node: type, capacity type, zone, pool and price."""
    mark = "~" if placement.price_is_estimate else ""
    return {
        "type": placement.instance_type,
        "capacity": placement.capacity_type,
        "zone": placement.zone,
        "pool": placement.node_pool,
        "price": f"{mark}${money(placement.price):.4f}",
    }


def change_text(found: Change, language: Language = "en") -> str:
    """Say a change in one clause."""
    said = [change(edit.kind, edit.values, language) for edit in found.edits]
    return word("and", language).join(dict.fromkeys(said))


def node_document(story: NodeStory, language: Language = "en") -> Document:
    """Write what is to be said of a node."""
    return {
        "node": story.name,
        "state": story.state,
        "nodePool": story.node_pool or None,
        "instanceType": story.instance_type or None,
        "zone": story.zone or None,
        "capacityType": story.capacity_type or None,
        "pricePerHour": None if story.price is None else money(story.price),
        "taints": [show_taint(one) for one in story.taints],
        "allocatable": print_resources(story.allocatable),
        "free": print_resources(story.free),
        "daemonsExpected": print_resources(story.daemons_expected),
        "pods": list(story.pods),
        "takes": list(story.takes),
        "refuses": [
            {
                "code": one.reason.code,
                "reason": reason_title(one.reason.code, one.subject, language),
                "pods": list(one.pods),
            }
            for one in story.refuses
        ],
    }


def pool_document(story: NodePoolStory, language: Language = "en") -> Document:
    """Write what is to be said of a NodePool."""
    made = story.made
    return {
        "nodePool": story.name,
        "usable": made is not None,
        "code": story.cause.code if story.cause is not None else None,
        "summary": pool_summary(story, language),
        "funnel": _funnel(story.funnel),
        "makes": None
        if made is None
        else {
            "cheapest": made.cheapest,
            "pricePerHour": money(made.price),
            "largest": made.largest,
            "free": print_resources(made.free),
            "daemons": print_resources(made.daemons),
        },
        "limits": {
            one.resource: {
                "limit": print_quantity(one.limit, one.resource),
                "used": print_quantity(one.used, one.resource),
                "left": print_quantity(one.limit - one.used, one.resource),
            }
            for one in story.limits
        },
        "taints": [show_taint(one) for one in story.taints],
        "nodes": list(story.nodes),
        "plans": [planned_node(node) for node in story.plans],
        "onlyHere": list(story.only),
    }


def pool_summary(story: NodePoolStory, language: Language = "en") -> str:
    """Say in one sentence what a pool is good for."""
    if story.cause is not None:
        return sentence(story.cause, language)
    types = {"types": story.funnel[-1].left, "all": story.funnel[0].left}
    return word("pool.usable", language, **types)


def reason_title(code: str, subject: str, language: Language = "en") -> str:
    """Name a reason, with the label or resource that it is about."""
    known = page(code, language)
    title = known.title if known is not None else code
    return f"{title} ({subject})" if subject else title


def _pool(story: PoolStory, language: Language) -> Document:
    cause: Cause | None = story.cause
    return {
        "name": story.name,
        "funnel": _funnel(story.funnel),
        "code": cause.code if cause is not None else None,
        "reason": sentence(cause, language) if cause is not None else None,
        "nearestMiss": _miss(story.miss),
        "makes": _placement(story.makes),
    }


def _funnel(steps: Iterable[Step]) -> list[Document]:
    return [{"rule": one.rule, "subject": one.subject, "left": one.left} for one in steps]


def _miss(miss: Miss | None) -> Document:
    if miss is None:
        return {}
    return {
        "instanceType": miss.instance_type,
        "resource": miss.resource,
        "needs": print_quantity(miss.needs, miss.resource),
        "has": print_quantity(max(0, miss.has), miss.resource),
        "short": print_quantity(miss.needs - max(0, miss.has), miss.resource),
    }


def _placement(placement: Placement | None) -> Document | None:
    if placement is None:
        return None
    if placement.node:
        return {"node": placement.node, "pricePerHour": 0.0}
    return {
        "nodePool": placement.node_pool,
        "instanceType": placement.instance_type,
        "zone": placement.zone,
        "capacityType": placement.capacity_type,
        "pricePerHour": money(placement.price),
        "alsoFits": list(placement.also),
        "sharedWith": placement.shared_with,
    }


def _existing(existing: Existing, language: Language) -> Document:
    stopped = []
    for one in existing.stopped:
        entry: Document = {
            "code": one.reason.code,
            "reason": reason_title(one.reason.code, one.subject, language),
            "nodes": one.count,
            "example": one.node,
        }
        if one.most is not None:
            entry["mostFree"] = print_quantity(one.most, one.subject)
        stopped.append(entry)
    return {"nodes": existing.count, "takes": list(existing.takes), "stopped": stopped}


def _change(story: PodStory, language: Language) -> Document | None:
    found = story.change
    if found is None:
        return None
    return {
        "text": change_text(found, language),
        "patch": [
            {
                "target": target,
                **({"owner": story.owner} if story.owner and target.startswith("pod/") else {}),
                "operations": [msgspec.to_builtins(op) for op in ops],
            }
            for target, ops in found.patches().items()
        ],
        "placement": _placement(found.placement),
        "pricePerHour": money(found.extra),
        "verified": True,
    }


def asks(requests: Resources, wants: Mapping[str, object]) -> str:
    """Say what a pod asks for in one line."""
    amounts = [
        f"{name} {show_amount(requests[name], name, up=True)}"
        for name in requests
        if name != "pods"
    ]
    return " · ".join([*amounts, *(str(one) for one in wants.values())])
