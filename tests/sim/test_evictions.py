import pytest

from nodewright.model.resource import PODS, key_of
from nodewright.sim.refusals import Refused
from sim.stage import Stage
from sim.test_budgets import a_budget, allowed


def evict(stage, pod):
    stage.sim.cluster.evictions.evict(key_of(pod.metadata), "user")


def test_a_budget_is_spent_one_by_one():
    stage = Stage(nodes=1)
    a_budget(stage, maxUnavailable=2)
    stage.work(replicas=4)
    stage.run()
    first, second, third, _ = stage.pods()
    evict(stage, first)
    evict(stage, second)
    with pytest.raises(Refused) as refused:
        evict(stage, third)

    assert (refused.value.status, allowed(stage)) == (429, 0)
    stage.run()
    evict(stage, third)


def test_a_pod_that_waits_for_a_node_has_nothing_to_lose():
    stage = Stage()
    a_budget(stage, maxUnavailable=0)
    stage.work(replicas=1)
    stage.run()
    (pod,) = stage.pods()
    evict(stage, pod)

    assert stage.api.get(PODS, key_of(pod.metadata)) is None


def test_a_pod_that_is_gone_already_is_not_found():
    stage = Stage()
    with pytest.raises(Refused) as refused:
        stage.sim.cluster.evictions.evict("default/nobody", "user")

    assert refused.value.status == 404


def test_another_pod_of_the_name_is_left_alone():
    stage = Stage(nodes=1)
    stage.work(replicas=1)
    stage.run()
    (pod,) = stage.pods()
    with pytest.raises(Refused) as refused:
        stage.sim.cluster.evictions.evict(key_of(pod.metadata), "user", uid="another")

    assert refused.value.status == 409
