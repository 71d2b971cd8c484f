"""Worlds solved: the plan of some objects, judged, and what to ask of it."""

from builders.world import a_world
from nodewright.core.scheduling.board import Board
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.labels import ZONE
from nodewright.model.plan import Plan, PlannedNode
from nodewright.model.pod import Pod
from referee import judge


def plan_of(*things: object, effort: Effort = Effort.NORMAL, **settings: object) -> Plan:
    """Solve a World of these objects; a plan that the referee faults fails the test."""
    world = a_world(*things, **settings)
    plan = solve(world, effort)
    assert [str(one) for one in judge(world, plan)] == []
    return plan


def a_board(*things: object, **settings: object) -> tuple[Board, list[Shape]]:
    """An empty board for a World of these objects, and the shapes of its pending pods."""
    return Problem(a_world(*things, **settings)).new_board()


def home_of(plan: Plan, pod: Pod) -> PlannedNode | str | None:
    """The planned node that a pod goes to, the name of its existing node, or nothing."""
    for node in plan.new_nodes:
        if pod.key in node.pods:
            return node
    return next((one.name for one in plan.existing_nodes if pod.key in one.pods), None)


def zone_of(node: PlannedNode) -> str:
    """The zone that a planned node is held to; nothing where it is free."""
    return node.requirements.labels().get(ZONE, "")


def zones_of(plan: Plan) -> list[str]:
    """The zone of every pod on a planned node, sorted."""
    return sorted(zone_of(node) for node in plan.new_nodes for _ in node.pods)


def sizes_of(plan: Plan) -> list[int]:
    """How many pods each planned node has, sorted."""
    return sorted(len(node.pods) for node in plan.new_nodes)


def codes_of(plan: Plan) -> dict[str, str]:
    """The code of every pod that is left behind, by the pod's name."""
    return {key.partition("/")[2]: one.code for key, one in plan.unschedulable.items()}
