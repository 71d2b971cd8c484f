"""Machines that are taken back, on the simulated cluster: replaced in time, message or no message."""

import functools

import msgspec
import pytest

from nodewright.app.run import CONTROLLERS, autoscale
from nodewright.controllers.interruption import Interruption
from nodewright.controllers.loop import run_all
from nodewright.controllers.ports import Memory, Settings
from nodewright.model.labels import CAPACITY_TYPE
from nodewright.model.resource import NODE_CLAIMS, NODES
from nodewright.sim.apiserver import ADDED
from nodewright.sim.checkers.interruptions import ReplacedInTime
from nodewright.sim.faults import Fault
from nodewright.sim.furnish import Furnisher
from nodewright.sim.run import settings_of
from nodewright.sim.scenario import parse_scenario
from nodewright.sim.simulation import CHECKERS, Simulation
from scenarios.roles import CLASS, MINUTE_MS, a_pool_manifest, running, told

SPOT = {"key": CAPACITY_TYPE, "operator": "In", "values": ["spot"]}
WEB = {"name": "web", "replicas": 6, "cpu": "700m", "memory": "1Gi"}
REPLACE = {"kind": "NodePolicy", "metadata": {"name": "all"}, "spec": {"rebalance": "Replace"}}


async def autoscale_deaf(ports):
    """Run all controllers but the one that listens."""
    memory, settings = Memory(), Settings()
    made = [kind(ports, memory, settings) for kind in CONTROLLERS if kind is not Interruption]
    await run_all(made, is_strict=True)


def begin(*objects, faults=(), autoscaler=autoscale):
    """Start a world of spot machines, and wait until everything runs."""
    scenario = parse_scenario(
        {
            "name": "interruption",
            "catalog": {"types": ["m6i.large", "m6i.xlarge", "c6i.xlarge"]},
            "objects": [CLASS, a_pool_manifest(requirements=[SPOT]), *objects],
            "workloads": [WEB],
        }
    )
    settings = msgspec.structs.replace(
        settings_of(scenario, 0),
        faults=tuple(Fault(one, rate=1.0) for one in faults),
        checkers=(*CHECKERS, ReplacedInTime),
    )
    sim = Simulation(settings, autoscaler)
    Furnisher(sim, scenario).furnish()
    assert sim.run_until(lambda: running(sim) == WEB["replicas"], 5 * MINUTE_MS)
    sim.run_for(MINUTE_MS)
    return sim


def machines(sim):
    return [one for one in sim.ec2.instances.values() if one.state == "running"]


def interrupt_one(sim):
    """Take a machine back, and give it with its claim."""
    machine = machines(sim)[0]
    [claim] = [
        one for one in sim.api.each(NODE_CLAIMS) if one.status.provider_id == machine.provider_id
    ]
    sim.ec2.interrupt(machine.provider_id)
    return machine, claim.metadata.name


def is_going(sim, name):
    claim = sim.api.get(NODE_CLAIMS, name)
    return claim is None or claim.metadata.deletion_timestamp is not None


def test_a_warning_is_acted_on_within_a_second():
    sim = begin()
    _, name = interrupt_one(sim)

    assert sim.run_until(functools.partial(is_going, sim, name), 1_000, step_ms=100)
    sim.close()


def test_the_replacement_is_on_its_way_before_the_node_is_gone():
    sim = begin()
    born, gone = [], []
    sim.api.listen(NODE_CLAIMS, lambda one: one.verb == ADDED and born.append(sim.loop.now_ms()))
    sim.api.listen(NODES, lambda one: one.verb == "DELETED" and gone.append(sim.loop.now_ms()))
    warned_ms = sim.loop.now_ms()
    machine, _ = interrupt_one(sim)
    sim.run_for(10 * MINUTE_MS)

    assert born[0] < gone[0]
    assert born[0] - warned_ms < 5_000
    keys = {one.key for one in sim.ec2.instances.values() if one.launched_ms >= warned_ms}
    assert machine.key not in keys
    assert sim.conclude().violations == ()


@pytest.mark.parametrize(
    "fault", ["queue.lost", "queue.twice", "queue.late", "queue.down"], ids=lambda one: one[6:]
)
def test_pods_are_replaced_in_time_whatever_becomes_of_the_message(fault):
    sim = begin(faults=[fault])
    _, name = interrupt_one(sim)

    assert sim.run_until(functools.partial(is_going, sim, name), 65_000)
    sim.run_for(10 * MINUTE_MS)
    assert running(sim) == WEB["replicas"]
    assert sim.conclude().violations == ()


def test_somebody_notices_that_nobody_listens():
    sim = begin(autoscaler=autoscale_deaf)
    interrupt_one(sim)
    sim.run_for(10 * MINUTE_MS)

    assert {one.checker for one in sim.conclude().violations} == {"replaced-in-time"}


def test_a_process_that_was_dead_when_the_warning_came_hears_it_later():
    sim = begin(faults=["queue.lost"])
    sim.process.kill()
    _, name = interrupt_one(sim)

    assert sim.run_until(functools.partial(is_going, sim, name), 20_000)
    sim.run_for(10 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_hint_replaces_a_node_only_where_a_policy_says_so():
    for objects, goes in (([], False), ([REPLACE], True)):
        sim = begin(*objects)
        machine = machines(sim)[0]
        [name] = [
            one.metadata.name
            for one in sim.api.each(NODE_CLAIMS)
            if one.status.provider_id == machine.provider_id
        ]
        sim.ec2.say("rebalance_recommendation", machine, {})
        sim.run_for(5_000)

        assert "SpotRebalanceRecommendation" in told(sim, name)
        assert is_going(sim, name) is goes
        sim.run_for(5 * MINUTE_MS)
        assert running(sim) == WEB["replicas"]
        assert sim.conclude().violations == ()


def test_a_machine_that_fails_its_checks_is_replaced():
    sim = begin()
    machine = machines(sim)[0]
    machine.impaired_ms = sim.loop.now_ms()
    sim.run_for(90_000)
    assert machine.state == "running"

    assert sim.run_until(lambda: machine.state != "running", 3 * MINUTE_MS)
    assert sim.run_until(lambda: running(sim) == WEB["replicas"], 5 * MINUTE_MS)
    assert sim.conclude().violations == ()


def test_a_machine_that_somebody_stops_is_replaced_without_a_word():
    sim = begin(faults=["queue.lost"])
    machine = machines(sim)[0]
    machine.state = "stopped"

    assert sim.run_until(lambda: machine.state == "terminated", 3 * MINUTE_MS)
    assert sim.run_until(lambda: running(sim) == WEB["replicas"], 5 * MINUTE_MS)
    assert sim.conclude().violations == ()
