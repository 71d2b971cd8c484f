"""What the dashboard costs on a large cluster: 5,000 nodes, 50,000 pods, 50 clients.

    python benchmarks/dashboard.py [NODES] [UPDATES]

An update is what the server does when something has changed: the event for all clients, the new rows of the
table, the first page and the bill, from the finished view to bytes. Measured in processor time, the middle of all updates, so that other
work on the machine counts less; the memory is that of the whole process, before and after.
"""

import asyncio
import gc
import resource
import statistics
import sys
import time

from msgspec.structs import replace

from nodewright.app.viewing import Studio
from nodewright.catalog.resolve import instance_types_for
from nodewright.kube.machine import this_machine
from nodewright.model.labels import (
    CAPACITY_TYPE,
    INITIALIZED,
    INSTANCE_TYPE,
    NODEPOOL,
    REGISTERED,
    ZONE,
)
from nodewright.model.metadata import Condition, ObjectMeta, OwnerReference
from nodewright.model.node import Node, NodeSpec, NodeStatus
from nodewright.model.nodeclaim import NodeClaim, NodeClaimStatus
from nodewright.model.nodepool import NodePool
from nodewright.model.pod import Container, Pod, PodSpec, PodStatus, ResourceRequirements
from nodewright.model.world import World
from nodewright.view.values import Origin
from nodewright.view.viewer import Known
from nodewright.web.answers.health import Health
from nodewright.web.clerk import Given
from nodewright.web.opening import open_dashboard
from nodewright.web.writing.nodes import Asked

LIMIT_MS = 200
CLIENTS = 50
PODS_EACH = 10
CHANGED = 50
NOW_MS = 1_794_700_000_000
TYPE = "m6i.2xlarge"
ROOM = {"cpu": 8, "memory": "30Gi", "pods": 58}


def make_node(number: int) -> tuple[Node, NodeClaim]:
    """Give a node and its claim."""
    name, machine = f"node-{number:05}", f"aws:///us-east-1a/i-{number:05}"
    labels = {
        NODEPOOL: f"pool-{number % 5}", INSTANCE_TYPE: TYPE, ZONE: "us-east-1a",
        CAPACITY_TYPE: "spot" if number % 2 else "on-demand", INITIALIZED: "true", REGISTERED: "true",
    }  # fmt: skip
    ready = (Condition(type="Ready", status="True"),)
    meta = ObjectMeta(name=name, labels=labels, creation_timestamp="2026-11-01T00:00:00Z")
    node = Node(meta, NodeSpec(provider_id=machine), NodeStatus(ROOM, ROOM, ready))
    status = NodeClaimStatus(name, machine, capacity=ROOM, allocatable=ROOM)
    return node, NodeClaim(replace(meta, name=f"claim-{number:05}"), status=status)


def make_pod(number: int, node: str, cpu: str = "600m") -> Pod:
    """Give a pod of one of a few hundred workloads."""
    owner = OwnerReference("ReplicaSet", f"app-{number % 300}", controller=True)
    asked = ResourceRequirements(requests={"cpu": cpu, "memory": "2Gi"})
    return Pod(
        ObjectMeta(name=f"pod-{number:06}", namespace=f"team-{number % 20}", uid=str(number), owner_references=(owner,)),
        PodSpec(containers=(Container(resources=asked),), node_name=node),
        PodStatus(phase="Running"),
    )  # fmt: skip


def make_world(count: int) -> World:
    """Give a cluster of so many nodes, all of them ours."""
    pairs = [make_node(number) for number in range(count)]
    pools = tuple(NodePool(ObjectMeta(name=f"pool-{number}")) for number in range(5))
    types = tuple(one for one in instance_types_for("us-east-1") if one.name == TYPE)
    return World(
        now_ms=NOW_MS,
        nodes=tuple(node for node, _ in pairs),
        node_claims=tuple(claim for _, claim in pairs),
        node_pools=pools,
        pods=tuple(make_pod(n, f"node-{n % count:05}") for n in range(count * PODS_EACH)),
        instance_types={pool.metadata.name: types for pool in pools},
    )


def change(world: World, round_number: int) -> World:
    """Give the cluster a moment later: some pods ask for something else."""
    pods = list(world.pods)
    for index in range(CHANGED):
        place = (round_number * CHANGED + index) * 7 % len(pods)
        pods[place] = make_pod(place, pods[place].spec.node_name, f"{500 + round_number % 100}m")
    return replace(world, pods=tuple(pods), now_ms=world.now_ms + 1000 * round_number)


def memory_mb() -> float:
    """Give the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measure(count: int, updates: int) -> bool:
    """Measure, print, and tell whether the promise was kept."""
    studio = Studio(Origin("live", "benchmark", "us-east-1"), NOW_MS)
    world = make_world(count)

    async def nothing(*_: object) -> bytes:
        return b""

    async def no_health(*_: object) -> Health:
        raise NotImplementedError

    given = Given(studio, nothing, no_health, nothing)  # type: ignore[arg-type]
    async with open_dashboard(given, this_machine().clock) as shown:
        clerk, hub = shown.office.clerk, shown.office.hub
        known = Known(world, studio.origin)
        begun = time.process_time()
        await studio.look(known)
        print(f"first view of {count} nodes: {(time.process_time() - begun) * 1000:.0f} ms")
        begun = time.process_time()
        whole = await clerk.nodes(Asked())
        print(f"whole table: {(time.process_time() - begun) * 1000:.0f} ms, "
              f"{len(whole.plain) / 1e6:.2f} MB, packed {len(whole.packed or b'') / 1e3:.0f} kB")  # fmt: skip
        listeners = [hub.join() for _ in range(CLIENTS)]
        before, looks, taken = memory_mb(), [], []
        for number in range(1, updates + 1):
            seen, changed = clerk.revision, change(world, number)
            begun = time.process_time()
            await studio.look(replace(known, world=changed))
            looks.append(time.process_time() - begun)
            begun = time.process_time()
            hub.tell(shown.office.herald.greeting())
            for _ in range(CLIENTS):
                await clerk.nodes(Asked(seen))
                await clerk.overview()
                await clerk.money()
            taken.append(time.process_time() - begun)
            for one in listeners[1:]:
                assert one is not None
                await one.next()
        gc.collect()
        middle = statistics.median(taken) * 1000
        print(f"view of an update: {statistics.median(looks) * 1000:.0f} ms")
        print(f"answers to {CLIENTS} clients of an update: {middle:.0f} ms, limit {LIMIT_MS}")
        print(f"memory: {before:.0f} MB before, {memory_mb():.0f} MB after {updates} updates; "
              f"{hub.dropped_count} client that took nothing was let go")  # fmt: skip
        return middle <= LIMIT_MS


if __name__ == "__main__":
    nodes = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    sys.exit(0 if asyncio.run(measure(nodes, rounds)) else 1)
