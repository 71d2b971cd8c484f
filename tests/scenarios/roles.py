"""A small world for the controllers: one class, pools as told, a workload, and nothing that goes wrong."""

from nodewright.app.run import autoscale
from nodewright.model.labels import NODEPOOL
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.furnish import Furnisher
from nodewright.sim.objects import EVENTS
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import parse_scenario
from nodewright.sim.simulation import Simulation

MINUTE_MS = 60_000
CLASS = {
    "kind": "EC2NodeClass",
    "metadata": {"name": "default"},
    "spec": {
        "amiSelectorTerms": [{"alias": "al2023@latest"}],
        "role": "KarpenterNodeRole",
        "subnetSelectorTerms": [{"tags": {"discovery": "test"}}],
        "securityGroupSelectorTerms": [{"tags": {"discovery": "test"}}],
    },
}
REFERENCE = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}


def a_pool_manifest(name="default", requirements=(), **spec):
    """A NodePool of the class default."""
    template = {"spec": {"nodeClassRef": REFERENCE, "requirements": list(requirements)}}
    return {"kind": "NodePool", "metadata": {"name": name}, "spec": {"template": template, **spec}}


def begin(*objects, workloads=(), autoscaler=autoscale, seed=0):
    """Start a world of these objects and workloads."""
    scenario = parse_scenario(
        {
            "name": "roles",
            "catalog": {"types": ["m6i.large", "m6i.xlarge", "m6i.2xlarge", "c6i.xlarge"]},
            "objects": list(objects),
            "workloads": list(workloads),
        }
    )
    sim = Simulation(settings_of(scenario, seed), autoscaler)
    furnisher = Furnisher(sim, scenario)
    furnisher.furnish()
    return sim, furnisher


def running(sim):
    """Count the pods that run."""
    return sum(pod.status.phase == "Running" for pod in sim.api.each(PODS))


def claims_of(sim, pool):
    """Give the claims of a pool that are not going away."""
    return [
        claim
        for claim in sim.api.each(NODE_CLAIMS)
        if claim.metadata.labels.get(NODEPOOL) == pool and not claim.metadata.deletion_timestamp
    ]


def ready_nodes(sim, pool):
    """Count the nodes of a pool that work."""
    return sum(
        node.metadata.labels.get(NODEPOOL) == pool
        and node.metadata.labels.get("karpenter.sh/initialized") == "true"
        for node in sim.api.each(NODES)
    )


def told(sim, name):
    """Give what was told about an object, by reason."""
    return {one.reason: one.note for one in sim.api.each(EVENTS) if one.regarding.name == name}
