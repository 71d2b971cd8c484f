"""A NodePool explained: what it can make now, what limits it, and which pods only it can serve."""

import msgspec

from nodewright.core.scheduling.board import Fitting
from nodewright.core.scheduling.funnel import Step
from nodewright.core.scheduling.limits import NODES
from nodewright.core.scheduling.problem import Problem
from nodewright.core.scheduling.solve import Effort, solve
from nodewright.core.scheduling.supply import Supply
from nodewright.core.scheduling.verdicts import bare_wishes, skipped_cause
from nodewright.core.scheduling.wishes import Shape
from nodewright.model.cause import Cause
from nodewright.model.instance import NanoUSD
from nodewright.model.metadata import Taint
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import PlannedNode
from nodewright.model.quantity import MILLI, BadQuantity, Milli, Resources, parse_resources
from nodewright.model.requirements import BadRequirement, Requirements, read_requirement
from nodewright.model.world import World


class Limit(msgspec.Struct, frozen=True):
    """One limit of a pool: what is allowed, and what nodes that exist use of it."""

    resource: str
    limit: Milli
    used: Milli


class Made(msgspec.Struct, frozen=True):
    """The ends of what a pool can make."""

    cheapest: str
    price: NanoUSD
    largest: str
    free: Resources
    daemons: Resources


class NodePoolStory(msgspec.Struct, frozen=True):
    """What a pool is good for now."""

    name: str
    cause: Cause | None
    funnel: tuple[Step, ...]
    made: Made | None
    limits: tuple[Limit, ...]
    taints: tuple[Taint, ...]
    nodes: tuple[str, ...]
    plans: tuple[PlannedNode, ...]
    only: tuple[str, ...]


def explain_pool(world: World, name: str, effort: Effort = Effort.NORMAL) -> NodePoolStory | None:
    """Explain one NodePool; nothing when there is none of that name."""
    pool = next((one for one in world.node_pools if one.metadata.name == name), None)
    if pool is None:
        return None
    problem = Problem(world)
    supply = next((one for one in problem.pools.supplies if one.name == name), None)
    skipped = next((one for one in problem.pools.skipped if one.name == name), None)
    plan = solve(world, effort)
    return NodePoolStory(
        name=name,
        cause=skipped_cause(world, pool, skipped) if skipped is not None else None,
        funnel=tuple(_funnel(world, pool, supply)),
        made=_made(supply) if supply is not None else None,
        limits=_limits(problem, pool),
        taints=pool.spec.template.spec.taints,
        nodes=tuple(sorted(_nodes(problem, name))),
        plans=tuple(node for node in plan.new_nodes if node.node_pool == name),
        only=_only_here(problem, name),
    )


def _funnel(world: World, pool: NodePool, supply: Supply | None) -> list[Step]:
    left = list(world.instance_types.get(pool.metadata.name, ()))
    steps = [Step("types", "", len(left))]
    for expression in pool.spec.template.spec.requirements:
        try:
            wanted = read_requirement(expression)
        except BadRequirement:
            steps.append(Step("labels", expression.key, 0))
            return steps
        left = [one for one in left if not one.requirements.conflict(Requirements((wanted,)))]
        steps.append(Step("labels", str(wanted), len(left)))
    steps.append(Step("offerings", "", len(supply.types) if supply is not None else 0))
    if supply is not None:
        steps.append(Step("daemons", "", len(supply.alive_types(supply.everything))))
    return steps


def _made(supply: Supply) -> Made | None:
    alive = supply.alive_types(supply.everything)
    if not alive:
        return None
    cheapest = supply.ways[(supply.everything & -supply.everything).bit_length() - 1]
    largest = max(
        alive,
        key=lambda index: (
            supply.free(index).get("cpu", 0),
            supply.free(index).get("memory", 0),
            supply.types[index].name,
        ),
    )
    return Made(
        cheapest=supply.types[cheapest.type_index].name,
        price=cheapest.offering.price,
        largest=supply.types[largest].name,
        free=supply.free(largest),
        daemons=supply.daemons[largest].requests,
    )


def _limits(problem: Problem, pool: NodePool) -> tuple[Limit, ...]:
    try:
        written = parse_resources(pool.spec.limits or {})
    except BadQuantity:
        return ()
    used: dict[str, Milli] = {}
    for one in problem.joined:
        if one.pool == pool.metadata.name and not one.is_deleting:
            used[NODES] = used.get(NODES, 0) + MILLI
            try:
                amounts = one.amounts("capacity")
            except BadQuantity:
                continue
            for name, amount in amounts.items():
                used[name] = used.get(name, 0) + amount
    return tuple(Limit(name, written[name], used.get(name, 0)) for name in sorted(written))


def _nodes(problem: Problem, name: str) -> list[str]:
    return [
        thing.metadata.name
        for one in problem.joined
        if one.pool == name and (thing := one.node or one.claim) is not None
    ]


def _only_here(problem: Problem, name: str) -> tuple[str, ...]:
    """Give the waiting pods that no other pool could make a node for, nor any node take."""
    board, shapes = problem.new_board()

    def served(shape: Shape, supply: Supply) -> bool:
        return any(
            isinstance(board.on_draft(shape, wish, board.new_draft(supply)), Fitting)
            for wish in bare_wishes(shape)
        )

    only: list[str] = []
    for shape in shapes:
        servers = [one.name for one in board.supplies if served(shape, one)]
        if servers == [name] and not any(
            board.on_host(shape, wish, host) is None
            for wish in bare_wishes(shape)
            for host in board.hosts
        ):
            only += [pod.key for pod in shape.pods]
    return tuple(sorted(only))
