"""What the API server and the controllers refuse, with the fix where there is one."""

import pytest

from builders.manifests import (
    a_class_text,
    a_manifest,
    a_pool_text,
    a_provisioner_text,
    a_requirement,
    codes_of,
    findings_of,
    the_finding,
)
from nodewright.lint.finding import Replace

AT = ("spec", "template", "spec")


def test_a_healthy_pool_and_class_have_no_findings():
    assert codes_of(a_pool_text(), a_class_text()) == []


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        (a_pool_text(labels={"karpenter.sh/nodepool": "x"}), "NW-2004"),
        (a_pool_text(template={"taints": [{"key": "a", "effect": "Never"}]}), "NW-2006"),
        (a_pool_text(limits={"cpu": "many"}), "NW-2009"),
        (a_pool_text(template={"nodeClassRef": {"name": "general"}}), "NW-2010"),
        (a_pool_text(weight=101), "NW-2030"),
        (a_pool_text(template={"requirements": None}), "NW-2010"),
        (a_class_text(role=None), "NW-2030"),
        (a_class_text(tags={"karpenter.sh/nodepool": "x"}), "NW-2023"),
        (a_class_text(kubelet={"maxPods": -1}), "NW-2020"),
        (a_class_text(userData="x" * 16385), "NW-2024"),
        (a_provisioner_text(weight=0), "NW-2030"),
        (a_manifest("karpenter.sh/v1", "Nodepool", "x", spec={}), "NW-2001"),
        (a_manifest("karpenter.sh/v1", "Provisioner", "x", spec={}), "NW-2001"),
    ],
)
def test_what_would_be_refused_is_found(broken, code):
    assert code in codes_of(broken)


def test_expressions_of_kubelets_are_read_and_worked_out():
    def found(text):
        return codes_of(a_class_text(kubelet={"maxPods": text}))

    assert found("min(110, vcpus * 20)") == ["NW-2022"]
    assert found("min(110,") == ["NW-2022", "NW-2025"]
    assert found("100 / (vcpus - 2)") == ["NW-2026", "NW-2022"]


def test_an_object_needs_a_name():
    assert codes_of("apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {}\n")[:1] == [
        "NW-2010"
    ]


def test_days_become_hours():
    finding = the_finding("NW-2008", a_pool_text(template={"expireAfter": "30d"}))

    assert finding.edits == (Replace((*AT, "expireAfter"), "720h"),)


def test_a_duration_that_nobody_understands_is_not_mended():
    finding = the_finding("NW-2008", a_pool_text(disruption={"consolidateAfter": "soon"}))

    assert finding.edits == ()


def test_a_number_where_text_is_needed_gets_quotes():
    pool = a_pool_text(requirements=[a_requirement("team", 4)])
    finding = the_finding("NW-2102", pool)

    assert finding.edits == (Replace((*AT, "requirements", 0, "values", 0), "4"),)
    assert '"4"' in finding.help


def test_a_truth_value_keeps_its_own_spelling():
    pool = (
        a_pool_text()
        .replace("limits:", "limits: ")
        .replace("spec:\n  template:", "spec:\n  template:\n    metadata: {labels: {beta: yes}}", 1)
    )
    finding = the_finding("NW-2102", pool)

    assert finding.edits[0].value == "yes"


def test_text_where_a_number_is_needed_loses_its_quotes():
    assert the_finding("NW-2102", a_pool_text(weight="10")).edits[0].value == 10


def test_old_limits_are_told_their_place():
    finding = the_finding("NW-2102", a_pool_text(limits={"resources": {"cpu": 1}}))

    assert "right under limits" in finding.help


def test_a_policy_of_an_earlier_version_is_renamed():
    finding = the_finding(
        "NW-2128", a_pool_text(disruption={"consolidationPolicy": "WhenUnderutilized"})
    )

    assert finding.edits[0].value == "WhenEmptyOrUnderutilized"


def test_a_word_in_the_wrong_case_is_mended():
    finding = the_finding("NW-2030", a_pool_text(disruption={"consolidationPolicy": "whenempty"}))

    assert finding.edits[0].value == "WhenEmpty"


def test_one_place_gets_one_finding():
    pool = a_pool_text(requirements=[a_requirement("karpenter.sh/capacity-type", "cheap")])

    assert [one.code for one in findings_of(pool) if one.path[-1] == "values"] == ["NW-2007"]


def test_one_known_value_among_others_is_only_a_warning():
    pool = a_pool_text(requirements=[a_requirement("karpenter.sh/capacity-type", "spot", "cheap")])

    assert the_finding("NW-2007", pool).severity == "warning"


def test_what_the_cluster_put_into_status_is_not_ours_to_judge():
    pool = a_pool_text() + "status: {conditions: [{type: 3}], extra: 1}\n"

    assert codes_of(pool) == []


@pytest.mark.parametrize(
    "metadata", ["{name: 5}", "{name: x, labels: {beta: true}}", "{name: x, annotations: {a: 1.5}}"]
)
def test_names_labels_and_annotations_are_text(metadata):
    pool = a_pool_text().replace("metadata:\n  name: general\n", f"metadata: {metadata}\n")

    assert the_finding("NW-2102", pool).edits
