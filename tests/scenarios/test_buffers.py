"""A CapacityBuffer on the simulated cluster: room is there before the pods, and theirs at once."""

from nodewright.model.resource import CAPACITY_BUFFERS, NODE_CLAIMS, PODS
from nodewright.sim.furnish import workload_manifest
from nodewright.sim.scenario import WorkloadWords
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, claims_of, running

SHAPE = {
    "kind": "PodTemplate",
    "metadata": {"name": "shape", "namespace": "default"},
    "template": {
        "spec": {"containers": [{"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]}
    },
}
WEB = {"name": "web", "replicas": 4, "cpu": "1", "memory": "1Gi"}


def a_buffer_manifest(name="spare", **spec):
    return {
        "kind": "CapacityBuffer",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def standing(sim, name="spare"):
    """Give the reason of each condition of a buffer."""
    buffer = sim.api.get(CAPACITY_BUFFERS, f"default/{name}")
    return {one.type: one.reason for one in buffer.status.conditions}


def has_room(sim, name="spare"):
    return standing(sim, name).get("Provisioning") == "FitsExistingCapacity"


def test_room_is_made_before_anybody_needs_it_and_pods_start_on_it_at_once():
    buffer = a_buffer_manifest(podTemplateRef={"name": "shape"}, replicas=4)
    sim, furnisher = begin(CLASS, a_pool_manifest(), SHAPE, buffer)

    assert sim.run_until(lambda: has_room(sim), 5 * MINUTE_MS)
    before = {one.metadata.name for one in claims_of(sim, "default")}
    furnisher.create(workload_manifest(WorkloadWords(**WEB)))
    assert sim.run_until(lambda: running(sim) == 4, 20_000)
    hosts = {pod.spec.node_name for pod in sim.api.each(PODS)}
    assert hosts <= {one.status.node_name for one in sim.api.each(NODE_CLAIMS)}
    assert before <= {one.metadata.name for one in claims_of(sim, "default")}
    # The room was taken, so it is made again.
    assert sim.run_until(lambda: not has_room(sim), 2 * MINUTE_MS)
    assert sim.run_until(lambda: has_room(sim), 5 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_buffer_follows_its_workload():
    reference = {"kind": "Deployment", "name": "web"}
    buffer = a_buffer_manifest(scalableRef=reference, percentage=50)
    sim, furnisher = begin(CLASS, a_pool_manifest(), buffer, workloads=[WEB])

    def count():
        return sim.api.get(CAPACITY_BUFFERS, "default/spare").status.replicas

    assert sim.run_until(lambda: running(sim) == 4 and has_room(sim), 8 * MINUTE_MS)
    assert count() == 2
    furnisher.scale("Deployment/default/web", 12)
    assert sim.run_until(lambda: count() == 6 and running(sim) == 12, 8 * MINUTE_MS)
    assert sim.run_until(lambda: has_room(sim), 8 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_buffer_that_finds_no_shape_waits_for_it():
    buffer = a_buffer_manifest(podTemplateRef={"name": "shape"}, replicas=1)
    sim, furnisher = begin(CLASS, a_pool_manifest(), buffer)
    reason = "PodTemplateNotFound"

    def is_told():
        return standing(sim).get("ReadyForProvisioning") == reason

    assert sim.run_until(is_told, MINUTE_MS)
    furnisher.create(SHAPE)
    assert sim.run_until(lambda: has_room(sim), 5 * MINUTE_MS)
    sim.close()


def test_a_buffer_keeps_to_the_limits_of_its_pool_beside_pods():
    buffer = a_buffer_manifest(podTemplateRef={"name": "shape"}, replicas=30)
    pool = a_pool_manifest(limits={"cpu": "16"})
    sim, _ = begin(CLASS, pool, SHAPE, buffer, workloads=[WEB])

    assert sim.run_until(lambda: running(sim) == 4, 5 * MINUTE_MS)
    sim.run_for(5 * MINUTE_MS)
    assert standing(sim)["Provisioning"] == "RequiresNewCapacity"
    assert sim.conclude().violations == ()
