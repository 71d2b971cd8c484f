"""A bench: a problem with the other pods in their places, on which one pod is tried in many forms.

Nothing is put onto the board once it is filled, so trying a changed pod, or a changed pool beside the
same nodes and neighbours, costs a few questions instead of a whole decision.
"""

from copy import copy
from typing import Final

import msgspec

from nodewright.core.scheduling.board import Board, Fitting
from nodewright.core.scheduling.defaults import DefaultSpread
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.funnel import Walk
from nodewright.core.scheduling.limits import read_limits
from nodewright.core.scheduling.pools import read_pools
from nodewright.core.scheduling.problem import Problem, supplies_taints
from nodewright.core.scheduling.reservations import Reservations
from nodewright.core.scheduling.selection import select_pods
from nodewright.core.scheduling.supply import Supply
from nodewright.core.scheduling.wishes import Ladder, Shape, WishMaker, WishSource
from nodewright.model.instance import NanoUSD
from nodewright.model.nodepool import NodePool
from nodewright.model.plan import Plan, Unplaced
from nodewright.model.pod import Pod
from nodewright.model.world import World

_TRIAL_WISHES: Final = 1_000_000
"""Where wishes of trials are numbered from, well beyond those of the problem itself."""


class Placement(msgspec.Struct, frozen=True):
    """Where a pod goes: an existing node, or a new one with its price."""

    node: str = ""
    node_pool: str = ""
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    price: NanoUSD = NanoUSD(0)
    price_is_estimate: bool = False
    also: tuple[str, ...] = ()
    shared_with: int = 0


class Bench:
    """A board without one pod: filled with all others, or as it was before any was placed."""

    def __init__(
        self, world: World, without: str, *, filled: bool = True, problem: Problem | None = None
    ) -> None:
        self.world = world
        self.problem = problem or Problem(world)
        self.board, shapes = self.problem.new_board()
        everybody = [
            (shape, pod) for shape in shapes for pod in shape.pods if filled and pod.key != without
        ]
        filling = Filling(self.board)
        fill_first_fit(self.board, in_order(everybody), filling)
        self.waiting = len(filling.left)
        for draft in self.board.drafts:
            if draft.stale:
                self.board.freshen(draft)
        self._defaults = DefaultSpread(world)
        taints = [*supplies_taints(self.problem.pools)]
        taints += [taint for host in self.board.hosts for taint in host.taints]
        self._maker = WishMaker(
            self.board.groups,
            respect=world.options.preference_policy == "Respect",
            soft_taints=any(one.effect == "PreferNoSchedule" for one in taints),
            first_number=_TRIAL_WISHES,
        )

    def shape_of(self, pod: Pod) -> Shape | Unplaced | None:
        """Give a pod as a shape to try, why it can be planned for by nobody, or nothing to do."""
        alone = msgspec.structs.replace(self.world, pods=(pod,), bad_pods=())
        selection = select_pods(alone, self.problem.joined, self.problem.storage)
        if pod.key in selection.invalid:
            return selection.invalid[pod.key]
        if not selection.candidates:
            return None
        (one,) = selection.candidates
        source = WishSource(
            pod.metadata.namespace or "default",
            pod.metadata.labels,
            self._defaults.spec_of(pod),
            one.needs,
        )
        shape = Shape(0, Ladder(source, self._maker), one.requests)
        shape.amounts = tuple(one.requests.get(name, 0) for name in self.board.resources)
        return shape

    def place(self, shape: Shape) -> Placement | None:
        """Tell where a shape would go now: an existing node first, then the first pool."""
        if shape.ladder[0].needs.exclusive & self.board.exclusive:
            return None
        for wish in shape.ladder.rungs():
            for host in self.board.hosts:
                if self.board.on_host(shape, wish, host) is None:
                    return Placement(node=host.name)
            for supply in self.board.supplies:
                found = self.make(self.board, supply, shape, wish.level)
                if found is not None:
                    return found
        return None

    def make(self, board: Board, supply: Supply, shape: Shape, level: int) -> Placement | None:
        """Tell which node a pool would make for a shape, at one level of its wishes."""
        wish = shape.ladder[level]
        fitting = board.on_draft(shape, wish, board.new_draft(supply))
        if not isinstance(fitting, Fitting):
            return None
        if any(name not in board.resources for name in shape.requests):
            # The board does not count a resource that no pod of the problem asks for.
            walk = Walk(board, supply, self.problem.catalog(supply.name))
            if walk.go(shape, wish) is not None:
                return None
        return placement_of(board, supply, fitting)

    def with_pool(self, pool: NodePool) -> tuple[Board, Supply] | None:
        """Give a board beside this one on which a pool is changed; nothing when it makes nothing."""
        supply = self._supply(pool)
        if supply is None:
            return None
        reservations = Reservations([supply], strict=self.board.reservations.strict)
        for name, left in self.board.reservations.left.items():
            if name in reservations.left:
                reservations.left[name] = min(left, reservations.left[name])
        board = Board([supply], [], self.board.groups, self.board.resources, reservations)
        board.relax_min_values = self.board.relax_min_values
        board.exclusive = self.board.exclusive
        limits = read_limits(supply, self.problem.joined)
        if limits is not None:
            for name, amount in self._charged(supply.name).items():
                if name in limits.room:
                    limits.room[name] -= amount
            board.limits[supply] = limits
        return board, supply

    def _supply(self, pool: NodePool) -> Supply | None:
        for known in self.board.supplies:
            if known.name == pool.metadata.name and known.pool.spec.template == pool.spec.template:
                # Only limits differ: what the pool can make is the same.
                same = copy(known)
                same.pool = pool
                return same
        world = msgspec.structs.replace(self.world, node_pools=(pool,))
        return next(iter(read_pools(world, self.problem.daemons).supplies), None)

    def _charged(self, name: str) -> dict[str, int]:
        """Give what the drafts of this pass take of a pool's limits."""
        total: dict[str, int] = {}
        for draft in self.board.drafts:
            if draft.supply.name == name and draft.pod_count:
                for resource, amount in draft.anchor.items():
                    total[resource] = total.get(resource, 0) + amount
        return total


def placement_of(board: Board, supply: Supply, fitting: Fitting) -> Placement:
    """Tell what a fitting on a new node buys: the cheapest way that limits allow."""
    bits = fitting.bits
    if fitting.held:
        bits &= board.reservations.of(supply, fitting.held)
    limits = board.limits.get(supply)
    if limits is not None:
        bits &= limits.allowed(None)
    way = supply.ways[(bits & -bits).bit_length() - 1]
    return Placement(
        node_pool=supply.name,
        instance_type=supply.types[way.type_index].name,
        zone=way.offering.zone,
        capacity_type=way.offering.capacity_type,
        price=way.offering.price,
        price_is_estimate=way.offering.price_is_estimate,
        also=supply.alive_names(bits)[1:],
    )


def find_placement(plan: Plan, key: str) -> Placement | None:
    """Tell where a plan puts a pod; nothing when it stays behind."""
    for node in plan.existing_nodes:
        if key in node.pods:
            return Placement(node=node.name, shared_with=len(node.pods) - 1)
    for made in plan.new_nodes:
        if key in made.pods:
            offering = made.offering
            return Placement(
                node_pool=made.node_pool,
                instance_type=offering.instance_type,
                zone=offering.zone,
                capacity_type=offering.capacity_type,
                price=offering.price,
                price_is_estimate=offering.price_is_estimate,
                also=made.instance_types[1:],
                shared_with=len(made.pods) - 1,
            )
    return None
