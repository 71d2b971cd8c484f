import pytest

from nodewright.sim.refusals import Refused
from sim.stage import Stage


def refused(stage, manifest):
    with pytest.raises(Refused) as caught:
        stage.put(manifest)
    return caught.value.status, caught.value.message


def a_pool(**spec):
    ref = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}
    template = {"spec": {"nodeClassRef": ref, "requirements": []}}
    return {
        "kind": "NodePool", "metadata": {"name": "p"}, "spec": {"template": template, **spec},
    }  # fmt: skip


def test_priorities_come_from_their_class():
    stage = Stage()
    stage.put({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7})
    stage.work("a", pod={"priorityClassName": "high"})
    stage.work("b", pod={"priorityClassName": "system-node-critical"})
    stage.run()

    assert [pod.spec.priority for pod in stage.pods()] == [7, 2_000_001_000]


def test_pods_of_one_template_share_their_spec():
    stage = Stage()
    stage.work(replicas=3)
    stage.run()
    first, second, _ = stage.pods()

    assert first.spec is second.spec


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"weight": 101}, "out of range"),
        ({"disruption": {"consolidateAfter": "soon"}}, "does not match"),
        ({"replicas": 1, "weight": 5}, "weight has no effect"),
        (
            {"disruption": {"consolidateAfter": "0s", "budgets": [{"schedule": "@daily"}]}},
            "go together",
        ),
    ],
)
def test_a_pool_is_held_to_the_rules_of_its_definition(spec, words):
    status, message = refused(Stage(), a_pool(**spec))

    assert status == 422
    assert words in message


def test_a_label_that_is_none_is_refused():
    bad = {"kind": "Node", "metadata": {"name": "n", "labels": {"a": "not / allowed"}}}

    assert refused(Stage(), bad)[0] == 422
