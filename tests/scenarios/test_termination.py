"""How nodes end on the simulated cluster, whatever holds them."""

from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES
from nodewright.sim.objects import BUDGETS, EVENTS
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, begin, ready_nodes, running, told

WEB = {"name": "web", "replicas": 2, "cpu": "500m", "memory": "1Gi"}
SHUT = {
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "shut", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}},
}


def a_pool_with_grace(grace):
    pool = a_pool_manifest()
    pool["spec"]["template"]["spec"]["terminationGracePeriod"] = grace
    return pool


def start(pool, *objects):
    """Begin, wait until everything runs, and give the simulation with the name of a node."""
    sim, _ = begin(CLASS, pool, *objects, workloads=[WEB])
    assert sim.run_until(lambda: running(sim) == 2, 5 * MINUTE_MS)
    return sim, next(iter(sim.api.each(NODES))).metadata.name


def notes_about(sim, name):
    return [one.note for one in sim.api.each(EVENTS) if one.regarding.name == name]


def test_a_budget_that_never_lets_go_holds_the_node_and_is_named():
    sim, name = start(a_pool_manifest(), SHUT)
    sim.api.delete(NODES, name, "user")
    sim.run_for(10 * MINUTE_MS)

    assert sim.api.get(NODES, name) is not None
    assert any("default/shut never lets a pod go" in one for one in notes_about(sim, name))
    sim.api.delete(BUDGETS, "default/shut", "user")
    assert sim.run_until(lambda: sim.api.get(NODES, name) is None, 5 * MINUTE_MS)
    assert sim.run_until(lambda: running(sim) == 2, 5 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_grace_ends_what_a_budget_would_hold_for_ever():
    sim, name = start(a_pool_with_grace("3m"), SHUT)
    sim.api.delete(NODES, name, "user")

    assert not sim.run_until(lambda: sim.api.get(NODES, name) is None, 2 * MINUTE_MS)
    assert sim.run_until(lambda: sim.api.get(NODES, name) is None, 4 * MINUTE_MS)
    assert "TerminationGracePeriodExpiring" in told(sim, name)
    assert sim.run_until(lambda: running(sim) == 2, 8 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_claim_that_is_deleted_before_its_node_came_gives_its_machine_back():
    sim, _ = begin(CLASS, a_pool_manifest(), workloads=[WEB])
    sim.run_until(lambda: bool(sim.ec2.instances), MINUTE_MS, 100)
    claim = next(iter(sim.api.each(NODE_CLAIMS)))
    first = set(sim.ec2.instances)
    sim.api.delete(NODE_CLAIMS, claim.metadata.name, "user")

    assert sim.run_until(lambda: sim.api.get(NODE_CLAIMS, claim.metadata.name) is None, MINUTE_MS)
    assert all(sim.ec2.instances[one].state != "running" for one in first)
    assert sim.run_until(lambda: running(sim) == 2, 5 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_many_nodes_go_at_once_with_their_pool():
    sim, _ = begin(CLASS, a_pool_manifest("many", replicas=30))
    assert sim.run_until(lambda: ready_nodes(sim, "many") == 30, 8 * MINUTE_MS)
    sim.api.delete(NODE_POOLS, "many", "user")

    gone = (NODES, NODE_CLAIMS)
    assert sim.run_until(lambda: not any(map(sim.api.count, gone)), 5 * MINUTE_MS)
    assert sim.conclude().violations == ()
