"""Workloads: how many of their pods are healthy, and how many of those would go.

Budgets count nodes, and a PodDisruptionBudget has to be written. Neither keeps two nodes from being
drained together that hold all healthy replicas between them; this does. A workload whose pods are all on
one node is not helped by waiting, and does not hold it.
"""

from collections.abc import Iterable, Mapping, Sequence

from nodewright.core.disruption.candidates import Candidate, Census
from nodewright.model.disruption import Kept, Memory
from nodewright.model.keeping import Keeping


class Replicas:
    """Healthy pods by workload, and those on nodes that go."""

    def __init__(self, census: Census, memory: Memory) -> None:
        self._healthy: dict[str, int] = {}
        self._going: dict[str, int] = {}
        self._own: dict[str, Mapping[str, int]] = {}
        in_commands = {name for one in memory.running for name in one.nodes}
        # Pods outlive a node that is gone for a while, and whatever they say, they do not run.
        staying = {
            one.node.metadata.name
            for one in census.joined
            if one.node is not None and not one.is_deleting
        } - in_commands
        for name, load in census.loads.items():
            own = self._own[name] = load.healthy
            for workload, count in own.items():
                self._healthy[workload] = self._healthy.get(workload, 0) + count
                if name not in staying:
                    self._going[workload] = self._going.get(workload, 0) + count

    def judge(self, candidates: Sequence[Candidate]) -> Kept | None:
        """Tell whether the last healthy replicas of a workload would go with these nodes."""
        more: dict[str, list[tuple[str, int]]] = {}
        for one in candidates:
            for workload, count in self._own.get(one.name, {}).items():
                more.setdefault(workload, []).append((one.name, count))
        for workload, parts in more.items():
            going = self._going.get(workload, 0)
            left = self._healthy.get(workload, 0) - going - sum(count for _, count in parts)
            if left <= 0 and (going > 0 or len(parts) > 1):
                values: dict[str, str | int] = {"workload": workload}
                return Kept(candidates[-1].name, Keeping.LAST_REPLICAS, values, (workload,))
        return None

    def take(self, candidates: Iterable[Candidate]) -> None:
        """Take note of nodes that go."""
        for one in candidates:
            for workload, count in self._own.get(one.name, {}).items():
                self._going[workload] = self._going.get(workload, 0) + count
