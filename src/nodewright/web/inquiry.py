"""Questions about one World: each answer takes as long as an explanation on the command line does."""

import msgspec

from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.decide import decide
from nodewright.core.explain.calendar import explain_budgets
from nodewright.core.explain.drifting import explain_drift
from nodewright.core.explain.node import NodeStory, explain_node
from nodewright.core.explain.pod import explain_pod
from nodewright.core.explain.pool import explain_pool
from nodewright.core.explain.staying import Staying, explain_staying
from nodewright.core.scheduling.solve import solve
from nodewright.model.disruption import AWS_RULES, Decided, Kept, Settings
from nodewright.model.errors import UserError
from nodewright.model.keeping import Keeping
from nodewright.model.plan import Plan
from nodewright.model.world import World
from nodewright.view.values import NodeRow, PodRow, View
from nodewright.web.answers.budgets import Budgets
from nodewright.web.answers.nodes import NodePage
from nodewright.web.answers.pending import Pending
from nodewright.web.answers.pools import Pools
from nodewright.web.answers.shared import DecisionRow
from nodewright.web.writing import node as nodes_in_full
from nodewright.web.writing import pools as pools_in_full
from nodewright.web.writing.budgets import write_budgets
from nodewright.web.writing.pending import Waiting, write_pending

DECIDED_PODS_MAX = 5_000
"""Up to how many pods it is decided anew which nodes go, to explain one; else the latest word counts."""

NO_NODE = "NW-9606"
_BY_CODE = {one.code: one for one in Keeping}


class Inquiry:
    """One World, its view, and what is asked about them."""

    def __init__(self, world: World, view: View, revision: int) -> None:
        self.world = world
        self.view = view
        self.revision = revision
        self._decided: Decided | None = None

    def renew(self, view: View, revision: int) -> None:
        """Go on with a newer view of the same World."""
        self.view, self.revision = view, revision

    @property
    def is_large(self) -> bool:
        """Whether a whole answer takes longer than anybody waits for a page."""
        return len(self.world.pods) > DECIDED_PODS_MAX

    def find(self, name: str) -> NodeRow:
        """Give the row of a node or claim."""
        for row in self.view.nodes:
            if name in (row.name, row.claim):
                return row
        raise UserError(f"there is no node {name[:100]}", code=NO_NODE)

    def node(
        self, row: NodeRow, pods: tuple[PodRow, ...], decisions: tuple[DecisionRow, ...]
    ) -> NodePage:
        """Explain a node."""
        story: NodeStory | None
        if self.is_large:
            # Which waiting pods it takes is left out: that would be a plan of the whole cluster.
            bare = msgspec.structs.replace(
                self.world,
                pods=tuple(pod for pod in self.world.pods if pod.spec.node_name == row.name),
            )
            story = explain_node(bare, row.name)
        else:
            story = explain_node(self.world, row.name)
        look = nodes_in_full.Look(
            self.revision, self.world, row, pods, story, self._stays(row), decisions
        )
        return nodes_in_full.write_node(look)

    def _stays(self, row: NodeRow) -> Staying:
        if not self.is_large:
            return explain_staying(self.world, row.name, self._decide())
        said, known = row.next, _BY_CODE.get(row.next.code)
        kept = {}
        if known is not None:
            why = {"why": said.text}
            kept[row.name] = Kept(row.name, known, why, said.blockers, said.until_ms)
        return explain_staying(self.world, row.name, Decided(kept=kept))

    def _decide(self) -> Decided:
        if self._decided is None:
            world = self.world
            settings = Settings(repair_rules=AWS_RULES)
            self._decided = decide(world, world.now_ms, settings, recall_world(world))
        return self._decided

    def pending(self) -> Pending:
        """Explain the pods that wait."""
        world = self.world
        plan = solve(world) if any(not pod.spec.node_name for pod in world.pods) else Plan()
        return write_pending(
            Waiting(self.revision, world, plan), lambda key: explain_pod(world, key)
        )

    def pools(self) -> Pools:
        """Explain the pools; pods that wait change nothing about what they can make."""
        bare = msgspec.structs.replace(self.world, pods=())
        stories = {
            name: story
            for pool in self.world.node_pools
            if (story := explain_pool(bare, name := pool.metadata.name)) is not None
        }
        look = pools_in_full.Look(
            pools={pool.metadata.name: pool for pool in self.world.node_pools},
            stories=stories,
            calendars={one.node_pool: one for one in explain_budgets(self.world)},
            drifted=explain_drift(self.world),
        )
        return pools_in_full.write_pools(self.view, self.revision, look)

    def budgets(self) -> Budgets:
        """Give the week of budgets."""
        return write_budgets(self.revision, self.world.now_ms, explain_budgets(self.world))
