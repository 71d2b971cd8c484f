import pytest

from builders import a_pool
from nodewright.model.resource import NODE_CLAIMS
from scenarios import mutants
from scenarios.stub import Stub
from sim.checkers.worlds import MINUTE_MS, a_run, broken, put, resize, web


def scaled_to_zero(autoscaler, minutes, **options):
    sim = a_run(autoscaler, web(replicas=4), **options)
    sim.run_for(10 * MINUTE_MS)
    resize(sim, 0)
    return broken(sim, minutes)


def test_the_honest_one_gives_back_what_is_empty():
    assert scaled_to_zero(mutants.running(Stub), 20) == set()


def test_machines_that_are_forgotten_are_noticed():
    assert scaled_to_zero(mutants.running(mutants.ForgetsMachines), 20) == {"owned-machines"}


def test_two_machines_for_one_claim_are_noticed():
    sim = a_run(mutants.running(mutants.LaunchesTwice), web(replicas=4))

    assert broken(sim, 10) == {"one-launch"}


@pytest.mark.parametrize(
    ("kind", "complaints"), [(Stub, set()), (mutants.IgnoresLimits, {"limits"})]
)
def test_a_pool_beyond_its_limits_is_noticed(kind, complaints):
    pool = a_pool(limits={"cpu": "4"})
    sim = a_run(mutants.running(kind), web(replicas=20), pool=pool)

    assert broken(sim, 10) == complaints


def test_a_machine_that_is_going_away_leaves_its_room_to_the_next():
    pool = a_pool(limits={"nodes": "1"})
    sim = a_run(mutants.running(Stub), web(replicas=1), pool=pool)
    sim.run_for(5 * MINUTE_MS)
    (first,) = sim.api.each(NODE_CLAIMS)
    sim.api.delete(NODE_CLAIMS, first.metadata.name, "user")

    assert broken(sim, 10) == set()
    assert [one.metadata.name for one in sim.api.each(NODE_CLAIMS)] != [first.metadata.name]


def test_a_node_that_goes_with_its_pods_is_noticed():
    sim = a_run(mutants.running(mutants.DoesNotDrain), web(replicas=4))

    assert "drained-first" in broken(sim, 15)


def test_a_static_node_is_nobodys_business():
    sim = a_run(mutants.running(Stub))
    put(sim, {"kind": "Node", "metadata": {"name": "by-hand"}})

    assert broken(sim, 10) == set()
