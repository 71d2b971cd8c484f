"""NodePools: readiness, counters and fingerprints; and whether nodes have what was promised."""

from collections.abc import Iterable

from nodewright.controllers.loop import Controller, Pace
from nodewright.controllers.ports import Memory, Ports, Settings
from nodewright.core.lifecycle_conditions import REGISTERED, is_true
from nodewright.core.lifecycle_consistency import check_promises
from nodewright.core.nodepool import decide_pools
from nodewright.core.nodepool_health import outcomes_of
from nodewright.model.beside import Beside, Outcomes
from nodewright.model.decision import Decision
from nodewright.model.node import Node
from nodewright.model.nodeclaim import NodeClaim
from nodewright.model.nodeclass import CLASS_KINDS, class_key, key_of_reference
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES
from nodewright.model.world import World
from nodewright.state.mirror import Change


class NodePools(Controller):
    """Writes down what is known of pools."""

    name = "nodepool"
    wakes_on = (NODE_POOLS, *CLASS_KINDS, NODE_CLAIMS, NODES)
    pace = Pace(1_000, 600_000, objects_per_ms=5, longest_ms=5_000)
    sees_pods = False

    def __init__(self, ports: Ports, memory: Memory, settings: Settings) -> None:
        super().__init__(ports, memory, settings)
        self._outcomes: dict[str, Outcomes] = {}

    def hears(self, change: Change) -> bool:
        """Wake for pools and classes, and for what their counters count."""
        old, new = change.old, change.new
        if isinstance(old, NodeClaim) and isinstance(new, NodeClaim):
            return _counted(old) != _counted(new)
        if isinstance(old, Node) and isinstance(new, Node):
            had, has = old.status.capacity, new.status.capacity
            return old.spec.provider_id != new.spec.provider_id or had != has
        return True

    def beside(self, world: World) -> Beside:
        """Give what became of the latest launches."""
        launches, self.memory.launches = self.memory.launches, []
        known = self._outcomes
        classes = {class_key(one): one for one in world.node_classes}
        self._outcomes = {}
        for pool in world.node_pools:
            uid = pool.metadata.uid
            node_class = classes.get(key_of_reference(pool.spec.template.spec.node_class_ref))
            self._outcomes[uid] = outcomes_of(pool, known.get(uid), node_class)
        for uid, registered in launches:
            if uid in self._outcomes:
                self._outcomes[uid] = self._outcomes[uid].add(registered=registered)
        return Beside(outcomes=self._outcomes)

    def decide(self, world: World) -> Iterable[Decision]:
        """Give the changes of pools whose state is not written down yet."""
        return decide_pools(world, world.beside.outcomes)


def _counted(claim: NodeClaim) -> tuple[object, ...]:
    meta, status = claim.metadata, claim.status
    return (
        meta.deletion_timestamp, meta.labels, meta.annotations,
        status.provider_id, status.capacity, is_true(claim, REGISTERED),
    )  # fmt: skip


class Consistency(Controller):
    """Compares nodes with what their claims were promised."""

    name = "consistency"
    pace = Pace(at_most_every_ms=10_000, at_least_every_ms=600_000)
    sees_pods = False

    def decide(self, world: World) -> Iterable[Decision]:
        """Give a finding for each working node whose state is not written down yet."""
        return check_promises(world)
