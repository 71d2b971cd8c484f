import pytest

from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.legacy import Provisioner
from nodewright.model.nodepool import NodePool
from nodewright.model.path import show_path
from nodewright.model.schema_unknown import unknown_fields


def unknown(raw, struct=NodePool):
    return {show_path(one.path): one.candidates for one in unknown_fields(raw, struct)}


def test_a_known_object_has_nothing_unknown():
    raw = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "x", "managedFields": []},
        "spec": {
            "limits": {"example.com/thing": 1},
            "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"requirements": []}},
        },
    }
    assert unknown(raw) == {}


@pytest.mark.parametrize(
    ("spec", "path", "candidate"),
    [
        ({"wieght": 1}, "spec.wieght", "weight"),
        ({"template": {"spec": {"taint": []}}}, "spec.template.spec.taint", "taints"),
        (
            {"disruption": {"expireAfter": "1h"}},
            "spec.disruption.expireAfter",
            "spec.template.spec.expireAfter",
        ),
        ({"expireafter": "1h"}, "spec.expireafter", None),
        ({"requirements": []}, "spec.requirements", "spec.template.spec.requirements"),
        ({"disruption": {"budgets": [{"node": "1"}]}}, "spec.disruption.budgets[0].node", "nodes"),
        ({"ttlSecondsAfterEmpty": 1}, "spec.ttlSecondsAfterEmpty", None),
    ],
)
def test_an_unknown_field_is_told_with_what_was_meant(spec, path, candidate):
    found = unknown({"spec": spec})
    assert list(found) == [path]
    assert found[path][:1] == ((candidate,) if candidate else ())


def test_a_stray_key_inside_a_requirement_is_found():
    requirement = {"key": "a", "operator": "Exists", "requirements": None}
    found = unknown({"spec": {"requirements": [requirement]}}, Provisioner)
    assert list(found) == ["spec.requirements[0].requirements"]


def test_open_objects_take_anything():
    assert unknown({"spec": {"kubelet": {"what": {"ever": 1}}}}, EC2NodeClass) == {}


def test_fields_beside_spec_are_looked_at_too():
    assert unknown({"sepc": {}}) == {"sepc": ("spec",)}


@pytest.mark.parametrize("raw", [None, [], "text", {"spec": None}, {"spec": [1]}])
def test_what_is_no_object_has_no_fields(raw):
    assert unknown(raw) == {}
