"""Fields that do not exist: what was meant, and where it stands today."""

import pytest

from builders.manifests import (
    a_class_text,
    a_pool_text,
    a_provisioner_text,
    a_requirement,
    codes_of,
    the_finding,
)
from nodewright.lint.finding import Remove, Rename


def test_a_typo_is_answered_with_what_was_meant():
    finding = the_finding("NW-2101", a_pool_text(disruption={"consolidateAftr": "1m"}))

    assert finding.help == "did you mean consolidateAfter?"
    assert finding.edits == (Rename(("spec", "disruption", "consolidateAftr"), "consolidateAfter"),)


def test_a_typo_beside_the_right_field_is_not_renamed_onto_it():
    pool = a_pool_text(disruption={"consolidateAftr": "1m", "consolidateAfter": "1m"})

    assert the_finding("NW-2101", pool).edits == ()


def test_a_typo_with_a_value_of_another_form_is_not_renamed():
    assert the_finding("NW-2101", a_class_text(blockDeviceMapping={"a": 1})).edits == ()


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (a_pool_text(disruption={"expireAfter": "1h"}), "spec.template.spec.expireAfter"),
        (a_pool_text(template={"kubelet": {}}), "spec.kubelet"),
        (a_pool_text(providerRef={"name": "x"}), "nodeClassRef"),
        (a_class_text(subnetSelector={"a": "b"}), "subnetSelectorTerms"),
    ],
)
def test_a_field_that_moved_is_told_its_place(broken, said):
    assert said in the_finding("NW-2101", broken).help


def test_an_empty_stray_key_inside_a_requirement_is_removed():
    pool = a_provisioner_text(
        requirements=[a_requirement("kubernetes.io/os", "linux", requirements=None)]
    )
    finding = the_finding("NW-3027", pool)

    assert finding.edits == (Remove(("spec", "requirements", 0, "requirements")),)


def test_a_stray_key_that_holds_something_is_left_to_its_owner():
    inner = [a_requirement("kubernetes.io/arch", "arm64")]
    pool = a_provisioner_text(
        requirements=[a_requirement("kubernetes.io/os", "linux", requirements=inner)]
    )

    assert the_finding("NW-3027", pool).edits == ()


def test_a_misspelt_key_of_a_requirement_is_renamed():
    pool = a_pool_text(requirements=[{"key": "team", "operatr": "In", "values": ["a"]}])

    assert the_finding("NW-3027", pool).edits[0].name == "operator"


def test_open_fields_take_anything():
    assert codes_of(a_class_text(kubelet={"clusterDNS": ["10.0.0.1"]})) == []
