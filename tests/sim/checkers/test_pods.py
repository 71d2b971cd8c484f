import pytest

from nodewright.model.labels import DO_NOT_DISRUPT
from scenarios import mutants
from scenarios.stub import Stub
from sim.checkers.worlds import a_run, broken, put, web

BUDGET = {
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}},
}


def test_a_pod_that_is_deleted_against_its_budget_is_noticed():
    sim = a_run(mutants.running(mutants.DeletesPods), web(replicas=2))
    put(sim, BUDGET)

    assert "fair-evictions" in broken(sim, 15)


def test_a_pod_that_is_deleted_within_its_budget_is_not():
    sim = a_run(mutants.running(mutants.DeletesPods), web(replicas=4))
    put(sim, {**BUDGET, "spec": {**BUDGET["spec"], "maxUnavailable": "100%"}})

    assert "fair-evictions" not in broken(sim, 15)


def test_a_pod_that_does_not_want_to_be_disturbed_is_protected():
    held = web(replicas=2, annotations={DO_NOT_DISRUPT: "true"})
    sim = a_run(mutants.running(mutants.EvictsTheHeld), held)

    assert "fair-evictions" in broken(sim, 15)


@pytest.mark.parametrize(
    ("kind", "complaints"), [(Stub, set()), (mutants.SaysNothing, {"verdicts"})]
)
def test_a_pod_that_nobody_says_anything_about_is_noticed(kind, complaints):
    too_large = web(replicas=1, pod={"nodeSelector": {"nobody": "has-this"}})
    sim = a_run(mutants.running(kind), too_large)

    assert broken(sim, 10) == complaints
