"""Old definitions are told by what they lack, and newer ones are let be."""

import copy

import pytest

from nodewright.crds.document import as_yaml, definitions
from nodewright.kube.crds import find_gaps, read_crds


@pytest.fixture
def pools():
    return copy.deepcopy(
        next(d for d in definitions() if d["metadata"]["name"].startswith("nodepools"))
    )


def schema_of(crd):
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def test_a_definition_lacks_nothing_of_itself():
    assert all(find_gaps(crd, crd) == () for crd in definitions(legacy=True))


def test_a_missing_field_is_named_by_its_path(pools):
    older = copy.deepcopy(pools)
    del schema_of(older)["properties"]["spec"]["properties"]["weight"]
    template = schema_of(older)["properties"]["spec"]["properties"]["template"]["properties"]
    del template["spec"]["properties"]["requirements"]["items"]["properties"]["minValues"]

    assert sorted(find_gaps(pools, older)) == [
        "v1: spec.template.spec.requirements[].minValues",
        "v1: spec.weight",
    ]


def test_a_newer_definition_is_let_be(pools):
    newer = copy.deepcopy(pools)
    schema_of(newer)["properties"]["spec"]["properties"]["fromTheFuture"] = {"type": "string"}

    assert find_gaps(pools, newer) == ()


def test_a_definition_that_keeps_what_it_does_not_know_lacks_nothing(pools):
    other = copy.deepcopy(pools)
    schema_of(other)["properties"]["spec"] = {"x-kubernetes-preserve-unknown-fields": True}

    assert find_gaps(pools, other) == ()


@pytest.mark.parametrize("way", ["gone", "not served"])
def test_a_version_that_is_not_served_is_a_gap(pools, way):
    older = copy.deepcopy(pools)
    older["spec"]["versions"][0] |= {"name": "v1beta1"} if way == "gone" else {"served": False}

    assert find_gaps(pools, older) == ("v1: the version itself",)


def test_a_missing_status_is_a_gap(pools):
    older = copy.deepcopy(pools)
    del older["spec"]["versions"][0]["subresources"]

    assert find_gaps(pools, older) == ("v1: the status subresource",)


def test_definitions_are_picked_out_of_a_stream(pools):
    text = "---\n".join(("kind: ConfigMap\n", as_yaml(pools), ""))

    assert [crd["metadata"]["name"] for crd in read_crds([text.encode()])] == [
        "nodepools.karpenter.sh"
    ]
