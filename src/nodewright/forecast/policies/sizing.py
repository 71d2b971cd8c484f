"""How large a fleet that never changes must be: enough for the busiest moment of a workload."""

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from nodewright.core.scheduling.solve import Effort, solve
from nodewright.forecast.demand import Demand, walk
from nodewright.forecast.player import template_of
from nodewright.forecast.policies.node_groups import Group, pool_of
from nodewright.model.instance import InstanceType
from nodewright.model.metadata import ObjectMeta
from nodewright.model.pod import DaemonSet, Pod, PodTemplate, WorkloadSpec
from nodewright.model.quantity import print_resources
from nodewright.model.world import World
from nodewright.sim.ground import START_MS
from nodewright.trace.entry import Size, Trace


def size_fleet(
    trace: Trace, groups: Sequence[Group], types: Mapping[str, InstanceType]
) -> tuple[Group, ...]:
    """Give the groups with as many machines as the busiest moment needs, whichever they are cheapest in."""
    pods, daemons = _busiest(trace, types[groups[0].instance_type])
    plan = solve(
        World(
            now_ms=START_MS,
            pods=pods,
            daemon_sets=daemons,
            node_pools=tuple(map(pool_of, groups)),
            instance_types={one.name: (types[one.instance_type],) for one in groups},
        ),
        Effort.FAST,
    )
    counts = Counter(node.node_pool for node in plan.new_nodes)
    return tuple(replace(one, min=counts[one.name]) for one in groups if counts[one.name])


def _busiest(trace: Trace, kind: InstanceType) -> tuple[tuple[Pod, ...], tuple[DaemonSet, ...]]:
    """Give the pods of the moment at which the most machines of a kind would be needed."""
    most, counts, sizes, overhead = 0.0, dict[bytes, int](), dict[bytes, Size](), dict[str, int]()
    for at_ms, demand in walk(trace):
        if trace.length_ms is not None and at_ms >= trace.length_ms:
            break
        need = _need(demand, kind)
        if need > most:
            most, counts, sizes = need, dict(demand.counts), dict(demand.sizes)
            overhead = demand.overhead()
    pods = tuple(
        Pod(
            ObjectMeta(name=f"pod-{number}-{index}", namespace="default", uid=f"{number}-{index}"),
            template.spec,
        )
        for number, key in enumerate(sorted(counts))
        for template in (template_of(sizes[key], "peak", {}),)
        for index in range(counts[key])
    )
    daemon: PodTemplate = template_of(Size(print_resources(overhead)), "daemons", {})
    meta = ObjectMeta(name="daemons", namespace="kube-system")
    return pods, (DaemonSet(meta, WorkloadSpec(template=daemon)),) if overhead else ()


def _need(demand: Demand, kind: InstanceType) -> float:
    room = kind.allocatable
    others = sum(amount for name, amount in demand.totals.items() if not room.get(name)) / 1000
    shares = (demand.totals.get(name, 0) / room[name] for name in ("cpu", "memory"))
    return max(shares) + others
