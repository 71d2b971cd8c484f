"""Small worlds in which a broken autoscaler shows what is wrong with it."""

import msgspec

from builders import ZONES, a_pool, a_type, an_offering
from nodewright.model.resource import NODE_POOLS
from nodewright.sim.furnish import workload_manifest
from nodewright.sim.objects import DEPLOYMENTS, RESOURCES
from nodewright.sim.scenario import WorkloadWords
from nodewright.sim.simulation import Settings, Simulation

MINUTE_MS = 60_000
TYPES = tuple(
    a_type(
        f"m.{cpu}",
        cpu=cpu,
        memory=f"{4 * cpu}Gi",
        offerings=[an_offering(zone, price=cpu * 0.05) for zone in ZONES],
    )
    for cpu in (2, 4, 8)
)


def a_run(autoscaler, *workloads, faults=(), pool=None, seed=1, **settings):
    """A simulation with one pool and these workloads."""
    sim = Simulation(Settings(seed=seed, types=TYPES, faults=faults, **settings), autoscaler)
    sim.api.create(NODE_POOLS, pool or a_pool(), "user")
    for words in workloads:
        put(sim, workload_manifest(words))
    return sim


def put(sim, manifest):
    """Create an object from its manifest."""
    resource = RESOURCES[manifest["kind"]]
    return sim.api.create(resource, msgspec.convert(manifest, resource.struct), "user")


def web(**words):
    """A web server with a few replicas."""
    return WorkloadWords(name="web", cpu="500m", memory="1Gi", **words)


def broken(sim, minutes):
    """Run for a while, and give the names of the checkers that complained."""
    sim.run_for(minutes * MINUTE_MS)
    return {one.checker for one in sim.conclude().violations}


def resize(sim, replicas):
    """Set the size of the web server."""

    def sized(one):
        spec = msgspec.structs.replace(one.spec, replicas=replicas)
        return msgspec.structs.replace(one, spec=spec)

    sim.api.change(DEPLOYMENTS, "default/web", sized, "user")
