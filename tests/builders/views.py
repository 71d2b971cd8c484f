"""Sources of views that stand still, for tests of faces."""

from msgspec.structs import replace

from builders import a_node, a_node_claim, a_pod, a_world, pods
from builders.fleet import BOTH_SIZES, HOUR_MS, a_fleet_node, a_fleet_pool, a_guard, on
from builders.lives import ago, with_meta
from nodewright.app.viewing import Studio
from nodewright.core.chronicle import recall_world
from nodewright.core.disruption.decide import decide
from nodewright.core.scheduling.solve import solve
from nodewright.model.disruption import Settings
from nodewright.model.nodepool import Budget
from nodewright.model.world import World
from nodewright.view.notebook import Told
from nodewright.view.values import Origin
from nodewright.view.viewer import Known

BIG = a_fleet_node("ip-10-0-0-1.ec2.internal", 16)
SPOT = a_fleet_node("ip-10-0-0-2.ec2.internal", 4, capacity_type="spot")
EMPTY = a_fleet_node("ip-10-0-0-3.ec2.internal", 2)
_NODE, _CLAIM = a_fleet_node("ip-10-0-0-4.ec2.internal", 8)
STUCK = (_NODE, with_meta(_CLAIM, deletion_timestamp=ago(HOUR_MS)))


def small_world() -> World:
    """Five nodes, of which one is stuck, one empty and one nobody's; a claim; pods that wait."""
    return a_world(
        a_fleet_pool("general", budgets=(Budget(nodes="2"),)),
        [_in("general", one) for one in (BIG, SPOT, EMPTY, STUCK)],
        a_node("stranger"),
        a_node_claim(
            "general-new", pool="general", labels={"node.kubernetes.io/instance-type": "m.2"}
        ),
        on(BIG, "4", "4", "2", app="web", memory="4Gi"),
        on(SPOT, "3", app="api", memory="8Gi"),
        on(STUCK, "1", app="web"),
        a_guard("web", allowed=0),
        pods(3, "huge", cpu="64", created=ago(90_000)),
        a_pod("small", cpu="1"),
        *BOTH_SIZES,
    )


def _in(pool: str, pair: tuple) -> tuple:
    return tuple(
        with_meta(one, labels={**one.metadata.labels, "karpenter.sh/nodepool": pool})
        for one in pair
    )


class StillSource(Studio):
    """Shows one World, judged, and nothing else ever."""

    def __init__(self, world: World, told: Told | None = None) -> None:
        super().__init__(Origin("snapshot", "still", "eu-west-1"), world.now_ms)
        self._facts = Known(world, self.origin, told)
        self.paces: list[float] = []

    async def run(self) -> None:
        """Show it."""
        self.show(self._facts)

    def show(self, facts: Known) -> None:
        """Lay a view of this on the desk."""
        world = facts.world
        decided = decide(world, world.now_ms, Settings(), recall_world(world))
        facts = replace(facts, decided=decided, plan=solve(world))
        self.known = replace(facts, nexts=self.viewer.judge(facts))
        self.desk.lay(self.viewer.look(self.known))

    def set_pace(self, speed: float) -> bool:
        """Take note of the pace."""
        self.paces.append(speed)
        return True
