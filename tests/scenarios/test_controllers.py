"""The real controllers on the simulated cluster: nodes come and go, whatever goes wrong."""

from pathlib import Path

import msgspec
import pytest

from nodewright.app.run import autoscale
from nodewright.model.labels import INITIALIZED, NODEPOOL
from nodewright.model.resource import NODE_CLAIMS, NODES, PODS
from nodewright.sim.furnish import Furnisher, workload_manifest
from nodewright.sim.objects import EVENTS
from nodewright.sim.run import run_scenario, settings_of
from nodewright.sim.scenario import WorkloadWords, read_scenario
from nodewright.sim.simulation import Simulation

HERE = Path(__file__).parent
GROW = read_scenario(HERE / "grow.yaml")
RUSH = read_scenario(HERE / "rush.yaml")
MINUTE_MS = 60_000


def replay(seed):
    """Give the command that runs a seed again, without the trouble that a test adds."""
    return f"nodewright simulate --scenario tests/scenarios/grow.yaml --seed {seed}"


def trouble(until="35m"):
    """Every kind of trouble that the rush has, over by a time."""
    return tuple(msgspec.structs.replace(one, until=until) for one in RUSH.faults)


def check(seed, faults=()):
    report = run_scenario(msgspec.structs.replace(GROW, faults=faults), seed, autoscale)
    story = "\n".join((*(one.sentence for one in report.result.violations), *report.story))

    assert report.is_fine, f"{story}\n{replay(seed)}"
    return report


def start(seed=0, faults=(), **settings):
    """Begin the scenario, and give the world to look at on the way."""
    scenario = msgspec.structs.replace(GROW, faults=faults)
    chosen = msgspec.structs.replace(settings_of(scenario, seed), **settings)
    sim = Simulation(chosen, autoscale)
    Furnisher(sim, scenario).furnish()
    return sim


def running(sim):
    """Count the pods that run, without daemons."""
    return sum(
        pod.status.phase == "Running" and pod.metadata.namespace != "kube-system"
        for pod in sim.api.each(PODS)
    )


def pools_of(sim):
    return {claim.metadata.labels[NODEPOOL] for claim in sim.api.each(NODE_CLAIMS)}


def test_a_workload_gets_its_nodes_and_they_go_with_their_pool_and_their_age():
    sim = start()

    assert sim.run_until(lambda: running(sim) >= 8, 5 * MINUTE_MS)
    assert pools_of(sim) == {"passing"}
    first = {node.metadata.name for node in sim.api.each(NODES)}
    assert all(node.metadata.labels[INITIALIZED] == "true" for node in sim.api.each(NODES))
    sim.run_for(25 * MINUTE_MS)
    assert pools_of(sim) == {"default"}
    assert not first & {node.metadata.name for node in sim.api.each(NODES)}
    sim.run_for(60 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_no_pod_gets_two_nodes():
    sim = start()
    sim.run_until(lambda: running(sim) >= 8, 5 * MINUTE_MS)
    launched = len(sim.ec2.instances)
    sim.run_for(30_000)

    assert len(sim.ec2.instances) == launched
    assert all(claim.status.node_name for claim in sim.api.each(NODE_CLAIMS))
    sim.close()


@pytest.mark.parametrize("seed", range(20))
def test_every_promise_is_kept_through_trouble(seed):
    check(seed, trouble())


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1_000, 1_500))
def test_every_promise_is_kept_through_much_trouble(seed):
    check(seed, trouble())


def outcome(die_at_call):
    """Run until everything runs, with one death on the way; give how it stood then."""
    sim = start(seed=5)
    sim.process.die_at_call = die_at_call
    settled = sim.run_until(lambda: running(sim) >= 8, 12 * MINUTE_MS)
    machines = sum(one.state == "running" for one in sim.ec2.instances.values())
    lives = sim.process.life_count
    return settled, machines, lives, sim.close().violations


@pytest.mark.parametrize("call", range(10, 120, 13))
def test_a_death_between_two_calls_changes_nothing(call):
    settled, machines, lives, violations = outcome(call)
    _, undisturbed, _, _ = outcome(None)

    assert (settled, lives, violations) == (True, 2, ())
    assert machines == undisturbed


@pytest.mark.soak
@pytest.mark.parametrize("call", range(1, 120))
def test_a_death_at_any_call_changes_nothing(call):
    settled, _, lives, violations = outcome(call)

    assert (settled, lives, violations) == (True, 2, ())


def test_what_is_sold_out_is_bought_elsewhere_at_once():
    sim = start()
    for kind in sim.market.types.values():
        for offering in kind.offerings:
            if offering.zone.endswith("a") or offering.capacity_type == "spot":
                sim.market.set_depth((kind.name, offering.zone, offering.capacity_type), 0)

    assert sim.run_until(lambda: bool(sim.ec2.instances), 30_000)
    assert sim.run_until(lambda: running(sim) >= 8, 6 * MINUTE_MS)
    zones = {one.key[1][-1] for one in sim.ec2.instances.values()}
    assert zones <= {"b", "c"}
    sim.close()


def test_a_pod_that_nothing_can_hold_is_told_why_and_holds_up_nobody():
    sim = start()
    huge = WorkloadWords(name="huge", replicas=1, cpu="500")
    Furnisher(sim, GROW).create(workload_manifest(huge))

    assert sim.run_until(lambda: running(sim) >= 8, 6 * MINUTE_MS)
    told = {
        event.reason: event.note
        for event in sim.api.each(EVENTS)
        if event.regarding.name.startswith("huge")
    }
    assert "NW-12" in told["FailedScheduling"]
    sim.close()


def test_the_events_of_a_claim_tell_its_life():
    sim = start()
    sim.run_until(lambda: running(sim) >= 8, 6 * MINUTE_MS)
    sim.run_for(5_000)
    name = next(iter(sim.api.each(NODE_CLAIMS))).metadata.name
    told = {event.reason for event in sim.api.each(EVENTS) if event.regarding.name == name}

    assert {"Launched", "Registered", "Initialized", "Ready"} <= told
    sim.close()


def test_a_node_that_is_deleted_by_hand_is_drained_and_replaced():
    sim = start()
    sim.run_until(lambda: running(sim) >= 8, 6 * MINUTE_MS)
    name = next(iter(sim.api.each(NODES))).metadata.name
    sim.api.delete(NODES, name, "user")

    assert sim.run_until(lambda: sim.api.get(NODES, name) is None, 6 * MINUTE_MS)
    assert sim.run_until(lambda: running(sim) >= 8, 6 * MINUTE_MS)
    assert sim.conclude().violations == ()
