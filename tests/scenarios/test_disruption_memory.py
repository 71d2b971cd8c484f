"""What disruption remembers outlives the process: rates, waves, back-off and churn after a death."""

import itertools

import msgspec
import pytest

from nodewright.model.command import COMMAND
from nodewright.model.disruption import Backoff, Wave
from nodewright.model.remembered import MEMORY, Swapped, read_remembered
from nodewright.model.resource import NODE_CLAIMS, NODE_POLICIES, NODE_POOLS
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, claims_of, running, told
from scenarios.test_disruption import WEB, edit, names, places, sell_nothing, tainted
from sim.checkers.worlds import put

SMALL = {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["m6i.large"]}
SOAK_MIN = 10


def a_policy(**spec):
    return {"kind": "NodePolicy", "metadata": {"name": "careful"}, "spec": spec}


def a_cluster(policy, *, replicas=8, seed=0):
    """A cluster of as many nodes as replicas, under a policy."""
    disruption = {"consolidateAfter": "Never", "budgets": [{"nodes": "100%"}]}
    pool = a_pool_manifest(requirements=[SMALL], disruption=disruption)
    web = {**WEB, "replicas": replicas, "cpu": "1500m", "memory": "1Gi"}
    sim, _ = begin(CLASS, pool, policy, workloads=[web], seed=seed)
    assert sim.run_until(lambda: running(sim) >= replicas, 10 * MINUTE_MS)
    assert len(names(sim)) == replicas
    return sim


def known(sim):
    return read_remembered(sim.api.get(NODE_POOLS, "default"))


def follow(sim, minutes, *, deaths=(), step_ms=1_000):
    """Give when each node was first asked to go, in minutes; the controller dies at some instants."""
    began, start_ms, left = {}, sim.loop.now_ms(), sorted(deaths)
    before = names(sim)
    while (passed_ms := sim.loop.now_ms() - start_ms) < minutes * MINUTE_MS:
        if left and passed_ms >= left[0] * MINUTE_MS:
            sim.process.kill()
            left.pop(0)
        sim.run_for(step_ms)
        for claim in sim.api.each(NODE_CLAIMS):
            if claim.metadata.name in before and COMMAND in claim.metadata.annotations:
                began.setdefault(claim.metadata.name, (sim.loop.now_ms() - start_ms) / MINUTE_MS)
    return sorted(began.values())


def sizes(began):
    """Give how many nodes went in each wave: beginnings that are near each other."""
    found = []
    for number, at in enumerate(began):
        if number == 0 or at - began[number - 1] > SOAK_MIN:
            found.append(0)
        found[-1] += 1
    return found


@pytest.mark.parametrize("deaths", [(), (0.2,), (1.5, 5), (0.1, 0.3, 12, 12.5, 13, 20)])
def test_waves_go_on_where_they_were_when_the_controller_dies(deaths):
    sim = a_cluster(a_policy(waves={"first": 1, "factor": 2, "soak": f"{SOAK_MIN}m"}))
    before = names(sim)
    edit(sim, team="blue")
    began = follow(sim, 55, deaths=deaths)

    assert sizes(began) == [1, 2, 4, 1]
    assert not before & names(sim)
    assert sim.conclude().violations == ()


@pytest.mark.parametrize("deaths", [(), (0.5, 2, 5, 8)])
def test_waves_that_were_halted_stay_so_until_somebody_forgets(deaths):
    sim = a_cluster(a_policy(waves={"first": 1, "soak": "1m"}), replicas=4)
    before, at = names(sim), places(sim)
    sell_nothing(sim)
    edit(sim, team="blue")
    assert sim.run_until(lambda: (known(sim).wave or Wave("", 0)).failed == 1, 15 * MINUTE_MS)
    for name in sim.market.types:
        for offering in sim.market.types[name].offerings:
            sim.market.set_depth((name, offering.zone, offering.capacity_type), 100)
    follow(sim, 20, deaths=deaths)

    assert before <= names(sim)
    assert tainted(sim) == []
    assert places(sim) == at
    assert "halted" in told(sim, "default")["DisruptionBlocked"]

    def forget(pool):
        annotations = {k: v for k, v in pool.metadata.annotations.items() if k != MEMORY}
        metadata = msgspec.structs.replace(pool.metadata, annotations=annotations)
        return msgspec.structs.replace(pool, metadata=metadata)

    sim.api.change(NODE_POOLS, "default", forget, "user")
    assert sim.run_until(lambda: not before & names(sim), 40 * MINUTE_MS)
    sim.close()


@pytest.mark.parametrize("deaths", [(), (0.2, 3, 9, 18)])
def test_a_rate_counts_what_went_before_the_controller_died(deaths):
    slow = {"rate": {"nodes": "1", "per": "20m"}}
    sim = a_cluster(a_policy(budgets=[slow]), replicas=4)
    edit(sim, team="blue")
    began = follow(sim, 45, deaths=deaths)

    assert len(began) == 3
    assert all(later - first > 19.9 for first, later in itertools.pairwise(began))
    assert sim.conclude().violations == ()


def test_a_pool_that_is_left_alone_is_left_alone_after_a_death_too():
    sim = a_cluster(a_policy(), replicas=2)
    sell_nothing(sim)
    edit(sim, team="blue")
    assert sim.run_until(
        lambda: (known(sim).backoff or Backoff(0, 0)).failures == 3, 30 * MINUTE_MS
    )
    until_ms = known(sim).backoff.until_ms
    sim.run_until(lambda: not tainted(sim), MINUTE_MS)
    sim.process.kill()
    while sim.loop.now_ms() < until_ms - 2_000:
        sim.run_for(1_000)
        assert tainted(sim) == []
    assert sim.run_until(lambda: bool(tainted(sim)), 2 * MINUTE_MS)
    sim.close()


def test_a_swap_is_known_after_a_death():
    sim = a_cluster(a_policy(), replicas=2)
    swapped = Swapped(("m6i.xlarge",), ("m6i.large",), sim.loop.now_ms())

    def remember(pool):
        text = msgspec.structs.replace(read_remembered(pool), swaps=(swapped,)).write()
        annotations = {**pool.metadata.annotations, MEMORY: text}
        metadata = msgspec.structs.replace(pool.metadata, annotations=annotations)
        return msgspec.structs.replace(pool, metadata=metadata)

    sim.api.change(NODE_POOLS, "default", remember, "user")
    edit(sim, team="blue")
    sim.process.kill()
    sim.run_for(10 * MINUTE_MS)

    assert known(sim).swaps == (swapped,)
    assert {one.metadata.labels["team"] for one in claims_of(sim, "default")} == {"blue"}
    sim.close()


def test_a_policy_that_is_taken_away_lets_waves_be_forgotten():
    sim = a_cluster(a_policy(waves={"first": 1, "soak": "60m"}), replicas=3)
    before = names(sim)
    edit(sim, team="blue")
    assert sim.run_until(lambda: known(sim).wave is not None, 5 * MINUTE_MS)
    policy = sim.api.get(NODE_POLICIES, "careful")
    ready = {one.type: one.status for one in policy.status.conditions}
    assert (policy.status.node_pools, ready["Ready"], ready["Paused"]) == (1, "True", "False")
    put(sim, {"kind": "NodePolicy", "metadata": {"name": "other"}, "spec": {"payback": "1h"}})
    sim.api.delete(NODE_POLICIES, "careful", "user")
    assert sim.run_until(lambda: not before & names(sim), 20 * MINUTE_MS)
    sim.run_for(6 * MINUTE_MS)
    assert known(sim).wave is None
    assert sim.conclude().violations == ()
