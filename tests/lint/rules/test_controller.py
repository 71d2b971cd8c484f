"""The controller's own pods."""

import pytest
import yaml

from builders.manifests import a_node_text, a_pool_text, a_workload_text, codes_of, the_finding
from nodewright.lint.finding import Join

OFF = {"key": "karpenter.sh/nodepool", "operator": "DoesNotExist"}
OLD = {"key": "karpenter.sh/provisioner-name", "operator": "DoesNotExist"}
GROUP = {"key": "eks.amazonaws.com/nodegroup", "operator": "In", "values": ["a"]}


def required(*terms):
    selector = {"nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}


def a_controller(affinity, image="controller:1.2.1"):
    pod = {"affinity": affinity} if affinity else {}
    text = a_workload_text(name="karpenter", namespace="karpenter", **pod)
    raw = yaml.safe_load(text)
    raw["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return yaml.safe_dump(raw)


def some_values(affinity):
    return yaml.safe_dump({"affinity": affinity, "settings": {"interruptionQueue": "q"}})


@pytest.mark.parametrize("make", [a_controller, some_values])
def test_a_second_term_is_an_alternative_and_is_joined(make):
    finding = the_finding("NW-3030", make(required([OFF], [GROUP])))

    assert isinstance(finding.edits[0], Join)


@pytest.mark.parametrize("make", [a_controller, some_values])
@pytest.mark.parametrize("affinity", [required([OFF]), required([OFF, GROUP]), required([GROUP])])
def test_a_controller_that_is_kept_off_its_nodes_is_fine(make, affinity):
    assert codes_of(make(affinity)) == []


def test_a_wish_is_not_enough():
    preferred = [{"weight": 50, "preference": {"matchExpressions": [GROUP]}}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}

    assert codes_of(some_values(affinity)) == ["NW-3030"]


def test_no_affinity_at_all_is_found_in_a_deployment_and_is_the_default_in_values():
    assert codes_of(a_controller({})) == ["NW-3030"]
    assert codes_of("settings: {interruptionQueue: q}\nreplicas: 2\n") == []


def test_the_old_key_keeps_nothing_off_beside_nodepools():
    text = a_controller(required([OLD]))

    assert (
        the_finding("NW-3030", text, a_pool_text(), "settings: {interruptionQueue: q}\n")
        .edits[0]
        .value
        == "karpenter.sh/nodepool"
    )


def test_the_old_key_is_right_for_an_old_controller():
    assert codes_of(a_controller(required([OLD]), "controller:v0.30.0")) == []


def test_each_replica_needs_a_node_that_we_did_not_make():
    ours = a_node_text("b", labels={"karpenter.sh/nodepool": "x"})
    text = a_controller(required([OFF]))

    assert codes_of(text, a_node_text("a"), ours) == ["NW-3031"]
    assert codes_of(text, a_node_text("a"), a_node_text("c")) == []
