"""Definitions that are older than the objects."""

import yaml

from builders.manifests import a_pool_text, codes_of, the_finding

SPEC = {
    "template": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "limits": {"type": "object", "additionalProperties": {"type": "string"}},
}


def a_definition(**properties):
    schema = {"openAPIV3Schema": {"properties": {"spec": {"properties": properties}}}}
    spec = {
        "group": "karpenter.sh",
        "names": {"kind": "NodePool"},
        "versions": [{"name": "v1", "schema": schema}],
    }
    return yaml.safe_dump(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "nodepools.karpenter.sh"},
            "spec": spec,
        }
    )


def test_a_field_that_the_definition_does_not_know_is_found():
    finding = the_finding("NW-3037", a_definition(**SPEC), a_pool_text(weight=10))

    assert finding.path == ("spec", "weight")


def test_a_definition_that_knows_the_field_is_fine():
    assert codes_of(a_definition(**SPEC, weight={"type": "integer"}), a_pool_text(weight=10)) == []


def test_a_field_that_nobody_knows_is_only_said_once():
    assert codes_of(a_definition(**SPEC), a_pool_text(wait=10)) == ["NW-2101"]
