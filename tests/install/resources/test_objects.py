import pytest

from builders.found import a_found, steps_of
from nodewright.crds.document import definitions
from nodewright.install.found import Kube
from nodewright.install.names import Names
from nodewright.install.resources.objects import (
    NAMESPACE_PATH,
    RECORD_PATH,
    chart_objects,
    holds,
    path_of,
)
from nodewright.install.steps import Apply, Remove
from nodewright.install.wish import Wish

NAMES = Names("123456789012", "us-west-2", "shop")


def a_live(found=None):
    """Everything of the chart, as if it had been applied."""
    wanted = chart_objects(found or a_found(), Wish("shop"), NAMES)
    return {path_of(one): one for one in wanted}


@pytest.mark.parametrize(
    ("wanted", "live", "right"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": [1]}}, {"a": {"b": [1]}}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, True),
        ({"a": ""}, {}, True),
        ({"a": []}, {}, True),
        ({"a": []}, {"a": [1]}, False),
        ({"a": False}, {}, True),
        ({"a": 0}, {}, False),
        ({"a": 2}, {"a": 0}, False),
        ({"a": {}}, {}, False),
    ],
)
def test_an_object_is_right_if_it_says_all_that_it_should(wanted, live, right):
    assert holds(wanted, live) is right


def test_what_is_right_already_is_left_alone():
    steps = steps_of(a_found(kube=Kube(live=a_live())))

    assert steps["deployment nodewright"].sign == "="


def test_what_was_changed_by_hand_is_put_right_and_what_it_was_is_kept():
    live = a_live()
    [path] = [path for path in live if "/deployments/" in path]
    live[path] = {**live[path], "spec": {**live[path]["spec"], "replicas": 7}, "status": {"x": 1}}
    step = steps_of(a_found(kube=Kube(live=live)))["deployment nodewright"]

    assert step.sign == "~"
    kept, change = step.deeds
    assert kept.was["spec"]["replicas"] == 7
    assert "status" not in kept.was
    assert change.document["spec"]["replicas"] == 2


def test_a_release_of_helm_is_left_to_helm():
    live = a_live()
    [path] = [path for path in live if "/deployments/" in path]
    meta = {**live[path]["metadata"], "annotations": {"meta.helm.sh/release-name": "mine"}}
    live[path] = {**live[path], "metadata": meta}

    assert steps_of(a_found(kube=Kube(live=live)))["chart mine"].sign == "="


def test_definitions_that_know_more_than_ours_are_left_alone():
    live = {path_of(one): one for one in definitions()}

    [step] = [one for one in steps_of(a_found(kube=Kube(live=live))).values() if one.kind == "crds"]
    assert step.sign == "="


def test_an_object_that_was_there_is_put_back_and_others_go():
    was = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "nodewright"}}
    record = {"object.Service.nodewright": {"was": was}, "object.ClusterRole.n-view": {"was": None}}
    [step] = steps_of(a_found(kube=Kube(record=record)), "uninstall").values()

    assert Apply(was) in step.deeds
    assert Remove("/apis/rbac.authorization.k8s.io/v1/clusterroles/n-view") in step.deeds


def test_definitions_stay_while_somebodys_pool_needs_them():
    record = {"crd.nodepools.karpenter.sh": {"was": None}}

    kept = steps_of(a_found(kube=Kube(record=record, pools=("theirs",))), "uninstall")
    gone = steps_of(a_found(kube=Kube(record=record)), "uninstall")
    assert [step.sign for step in kept.values()] == ["="]
    assert [step.sign for step in gone.values()] == ["-"]


def test_a_namespace_that_others_made_stays():
    space = {"metadata": {"name": "nodewright"}}
    live = {NAMESPACE_PATH: space, RECORD_PATH: {}}

    steps = steps_of(a_found(kube=Kube(live=live)), "uninstall")
    assert list(steps) == ["record nodewright-install"]
