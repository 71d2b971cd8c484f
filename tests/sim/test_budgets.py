import pytest

from nodewright.sim.objects import BUDGETS
from sim.stage import Stage


def a_budget(stage, **spec):
    meta = {"name": "web", "namespace": "default"}
    selector = {"matchLabels": {"app": "web"}}
    manifest = {"kind": "PodDisruptionBudget", "metadata": meta}
    stage.put({**manifest, "spec": {"selector": selector, **spec}})


def allowed(stage):
    return stage.api.need(BUDGETS, "default/web").status.disruptions_allowed


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"minAvailable": 3}, 2),
        ({"minAvailable": "50%"}, 2),
        ({"maxUnavailable": 1}, 1),
        ({"maxUnavailable": "30%"}, 2),
        ({"maxUnavailable": 0}, 0),
        ({"minAvailable": "100%"}, 0),
        ({"maxUnavailable": "100%"}, 5),
    ],
)
def test_a_budget_allows_what_it_says(spec, left):
    stage = Stage(nodes=1)
    a_budget(stage, **spec)
    stage.work(replicas=5)
    stage.run()

    assert allowed(stage) == left


def test_what_is_not_ready_does_not_count():
    stage = Stage(nodes=1, cpu="1")
    a_budget(stage, minAvailable=2)
    stage.work(replicas=5, cpu="300m")
    stage.run()

    assert allowed(stage) == 1


def test_the_size_that_is_wanted_counts_and_not_the_size_there_is():
    stage = Stage(nodes=1)
    a_budget(stage, maxUnavailable=1)
    stage.work(replicas=4)
    stage.run()
    stage.resize("Deployment", "web", 40)
    stage.run(0.01)

    assert allowed(stage) == 0


def test_a_budget_for_nobody_allows_nobody():
    stage = Stage(nodes=1)
    a_budget(stage, maxUnavailable="50%")
    stage.run()

    assert allowed(stage) == 0
