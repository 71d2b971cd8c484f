import pytest

from nodewright.sim.faults import Fault
from nodewright.sim.objects import DEPLOYMENTS
from scenarios import mutants
from scenarios.stub import Stub
from sim.checkers.worlds import MINUTE_MS, a_run, broken, resize, web

UNREGISTERED = Fault("node.unregistered", rate=1.0, until_ms=5 * MINUTE_MS)


@pytest.mark.parametrize(
    ("kind", "complaints"), [(Stub, set()), (mutants.NeverGivesUp, {"claims-end"})]
)
def test_a_claim_that_never_becomes_a_node_is_noticed(kind, complaints):
    sim = a_run(mutants.running(kind), web(replicas=2), faults=(UNREGISTERED,))

    assert broken(sim, 60) == complaints


def test_a_claim_that_never_goes_is_noticed():
    sim = a_run(mutants.running(mutants.HoldsOn), web(replicas=2))
    sim.run_for(10 * MINUTE_MS)
    sim.api.delete(DEPLOYMENTS, "default/web", "user")

    assert broken(sim, 60) == {"claims-end"}


def test_a_pod_that_could_run_and_does_not_is_noticed():
    sim = a_run(mutants.running(mutants.LooksOnce), web(replicas=2))
    sim.run_for(5 * MINUTE_MS)
    resize(sim, 40)

    complaints = broken(sim, 2)

    assert complaints == {"settled"}


def test_a_pod_that_nobody_could_place_may_stay_pending():
    sim = a_run(mutants.running(Stub), web(replicas=1, pod={"nodeSelector": {"x": "y"}}))

    assert broken(sim, 10) == set()


def test_a_crash_of_the_controller_is_noticed():
    sim = a_run(mutants.running(mutants.Crashes), web(replicas=1))

    assert "no-crash" in broken(sim, 10)
