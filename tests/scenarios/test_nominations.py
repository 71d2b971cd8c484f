"""Pods are promised their planned nodes through their status, and nobody waits for a broken promise."""

from nodewright.app.run import run_controllers
from nodewright.controllers.ports import Settings
from nodewright.model.resource import NODES, PODS
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, running

WEB = {"name": "web", "replicas": 8, "cpu": "500m", "memory": "1Gi"}


def promises(sim):
    """Listen for nominations; gives the list of (pod, node, who wrote it) that grows as they come."""
    found = []

    def hear(change):
        name = change.new.status.nominated_node_name if change.new is not None else ""
        before = change.old.status.nominated_node_name if change.old is not None else ""
        if name != before:
            found.append((change.key, name, change.actor))

    sim.api.listen(PODS, hear)
    return found


def test_pods_of_a_plan_are_nominated_and_come_to_their_nodes():
    sim, _ = begin(CLASS, a_pool_manifest(), workloads=[WEB])
    found = promises(sim)

    assert sim.run_until(lambda: running(sim) >= 8, 5 * MINUTE_MS)
    ours = {pod: node for pod, node, actor in found if actor.startswith("controller") and node}
    bound = {
        f"{pod.metadata.namespace}/{pod.metadata.name}": pod.spec.node_name
        for pod in sim.api.each(PODS)
    }
    # Who found room elsewhere before its node came needed no promise.
    assert len(ours) >= 6
    assert ours.items() <= bound.items()
    assert sim.conclude().violations == ()


def test_pods_whose_nominated_node_goes_get_another():
    sim, _ = begin(CLASS, a_pool_manifest(), workloads=[WEB])
    found = promises(sim)
    sim.run_until(lambda: bool(found), 5 * MINUTE_MS, 100)
    for node in list(sim.api.each(NODES)):
        sim.ec2.terminate(node.spec.provider_id, "test")

    assert sim.run_until(lambda: running(sim) >= 8, 12 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_without_nominations_the_scheduler_decides_alone():
    async def silent(ports):
        await run_controllers(ports, Settings(nominates=False), is_strict=True)

    sim, _ = begin(CLASS, a_pool_manifest(), workloads=[WEB], autoscaler=silent)
    found = promises(sim)

    assert sim.run_until(lambda: running(sim) >= 8, 5 * MINUTE_MS)
    assert [one for one in found if one[2].startswith("controller")] == []
    sim.close()
