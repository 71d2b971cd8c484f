"""Plan a World and write the answer down in its published form."""

import gc
from time import perf_counter

import msgspec

from nodewright.core.scheduling.solve import Effort, solve
from nodewright.model.instance import NANO, NanoUSD
from nodewright.model.plan import Plan, PlannedNode, Unplaced
from nodewright.model.quantity import print_resources
from nodewright.model.wording import Language
from nodewright.model.wording.verdict import refusal_sentence, unplaced_summary
from nodewright.model.world import World


class Planned(msgspec.Struct, frozen=True):
    """A plan and how long deciding took."""

    plan: Plan
    seconds: float


def plan_world(world: World, effort: Effort = Effort.NORMAL) -> Planned:
    """Plan a World, timing from typed objects in memory to the finished plan."""
    # Deciding makes many small values and no cycles: looking for cycles would only cost time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter()
        plan = solve(world, effort)
        return Planned(plan, perf_counter() - start)
    finally:
        if was_enabled:
            gc.enable()


def with_bound(world: World, planned: Planned) -> Planned:
    """Add the price below which no plan for the same pods can go; not part of the time taken."""
    # The linear programs' library is large: only those who ask for a bound load it.
    from nodewright.core.scheduling.bound import lower_bound

    plan = msgspec.structs.replace(planned.plan, lower_bound=lower_bound(world, planned.plan))
    return msgspec.structs.replace(planned, plan=plan)


def plan_document(planned: Planned, language: Language = "en") -> dict[str, object]:
    """Write a plan as the document that `plan -o json` prints."""
    plan = planned.plan
    document: dict[str, object] = {
        "newNodes": [planned_node(node) for node in plan.new_nodes],
        "existingNodes": [
            {"name": node.name, "pods": list(node.pods)} for node in plan.existing_nodes
        ],
        "unschedulable": {key: _unplaced(one, language) for key, one in plan.unschedulable.items()},
        "pricePerHour": money(plan.price),
        "lowerBoundPerHour": None if plan.lower_bound is None else money(plan.lower_bound),
        "solveSeconds": round(planned.seconds, 6),
    }
    if plan.cut:
        document["cut"] = True
    return document


def planned_node(node: PlannedNode) -> dict[str, object]:
    """Write one node that is to be made."""
    return {
        "nodePool": node.node_pool,
        "pods": list(node.pods),
        "instanceTypes": list(node.instance_types),
        "offering": {
            "instanceType": node.offering.instance_type,
            "zone": node.offering.zone,
            "capacityType": node.offering.capacity_type,
            "price": money(node.offering.price),
        },
        "requirements": msgspec.to_builtins(node.requirements.expressions()),
        "requests": print_resources(node.requests),
    }


def money(amount: NanoUSD) -> float:
    """Write an amount of money per hour as a number of the price list's currency."""
    return amount / NANO


def _unplaced(one: Unplaced, language: Language) -> dict[str, object]:
    return {
        "summary": unplaced_summary(one, language),
        "code": one.code,
        "deferred": one.deferred,
        "nodePools": [
            {
                "name": pool.name,
                "reason": refusal_sentence(pool, language),
                "code": pool.code,
                "detail": pool.detail,
            }
            for pool in one.node_pools
        ],
    }
