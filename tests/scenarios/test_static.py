"""A static pool on the simulated cluster: it grows, shrinks and heals, and pods do not move it."""

import msgspec
import pytest

from nodewright.model.resource import NODE_POOLS
from scenarios.roles import (
    CLASS,
    MINUTE_MS,
    a_pool_manifest,
    begin,
    claims_of,
    ready_nodes,
    running,
)

SPARE = a_pool_manifest("spare", replicas=3, limits={"nodes": "5"})


def scale(sim, replicas):
    def sized(pool):
        return msgspec.structs.replace(
            pool, spec=msgspec.structs.replace(pool.spec, replicas=replicas)
        )

    sim.api.change(NODE_POOLS, "spare", sized, "user")


def test_a_static_pool_is_kept_at_its_number_within_its_limit():
    sim, _ = begin(CLASS, SPARE)

    assert sim.run_until(lambda: ready_nodes(sim, "spare") == 3, 5 * MINUTE_MS)
    scale(sim, 7)
    assert sim.run_until(lambda: ready_nodes(sim, "spare") == 5, 5 * MINUTE_MS)
    sim.run_for(3 * MINUTE_MS)
    assert len(claims_of(sim, "spare")) == 5
    scale(sim, 1)
    assert sim.run_until(lambda: len(claims_of(sim, "spare")) == 1, 5 * MINUTE_MS)
    sim.run_for(5 * MINUTE_MS)
    assert ready_nodes(sim, "spare") == 1
    assert sim.conclude().violations == ()


def test_a_lost_machine_is_replaced():
    sim, _ = begin(CLASS, SPARE)
    sim.run_until(lambda: ready_nodes(sim, "spare") == 3, 5 * MINUTE_MS)
    lost = claims_of(sim, "spare")[0]
    sim.ec2.terminate(lost.status.provider_id, "test")

    def is_healed():
        names = {one.metadata.name for one in claims_of(sim, "spare")}
        return lost.metadata.name not in names and ready_nodes(sim, "spare") == 3

    assert sim.run_until(is_healed, 15 * MINUTE_MS)
    sim.run_for(5 * MINUTE_MS)
    assert ready_nodes(sim, "spare") == 3
    assert sim.conclude().violations == ()


def test_pods_use_a_static_pool_and_do_not_make_it_grow():
    web = {"name": "web", "replicas": 40, "cpu": "500m", "memory": "1Gi"}
    sim, _ = begin(CLASS, SPARE, workloads=[web])

    assert sim.run_until(lambda: ready_nodes(sim, "spare") == 3, 5 * MINUTE_MS)
    assert sim.run_until(lambda: running(sim) > 0, 5 * MINUTE_MS)
    sim.run_for(3 * MINUTE_MS)
    assert len(claims_of(sim, "spare")) == 3
    assert running(sim) < 40
    sim.close()


def test_a_static_pool_that_was_edited_is_renewed_and_never_larger_than_its_limit():
    sim, furnisher = begin(CLASS, SPARE)
    sim.run_until(lambda: ready_nodes(sim, "spare") == 3, 5 * MINUTE_MS)
    before = {one.metadata.name for one in claims_of(sim, "spare")}
    labels = {"template": {"metadata": {"labels": {"team": "blue"}}}}
    furnisher.edit({"kind": "NodePool", "metadata": {"name": "spare"}, "spec": labels})
    most = fewest = 3
    while before & {one.metadata.name for one in claims_of(sim, "spare")}:
        sim.run_for(1_000)
        most = max(most, len(claims_of(sim, "spare")))
        fewest = min(fewest, ready_nodes(sim, "spare"))

    sim.run_for(5 * MINUTE_MS)
    assert (most, fewest) == (4, 3)
    assert ready_nodes(sim, "spare") == 3
    assert {one.metadata.labels.get("team") for one in claims_of(sim, "spare")} == {"blue"}
    assert sim.conclude().violations == ()


@pytest.mark.parametrize("call", range(12, 60, 12))
def test_a_death_at_any_moment_does_not_make_the_pool_larger(call):
    sim, _ = begin(CLASS, SPARE, seed=call)
    sim.process.die_at_call = call

    assert sim.run_until(lambda: ready_nodes(sim, "spare") == 3, 10 * MINUTE_MS)
    assert len(claims_of(sim, "spare")) == 3
    assert sim.close().violations == ()
