"""Old Helm values: which step each setting takes."""

import pytest

from nodewright.convert.values import ValueStep, plan_values


def steps(raw):
    return plan_values(raw)[0]


def kinds(raw):
    return {note.path[-1]: note.kind for note in plan_values(raw)[1]}


def test_todays_values_need_no_step():
    assert plan_values({"settings": {"clusterName": "x", "interruptionQueue": "q"}}) == ([], [])


def test_the_queue_is_renamed_and_the_settings_are_lifted():
    assert steps({"settings": {"aws": {"clusterName": "x", "interruptionQueueName": "q"}}}) == [
        ValueStep("rename", ("settings", "aws", "interruptionQueueName"), "interruptionQueue"),
        ValueStep("lift", ("settings", "aws")),
    ]


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("defaultInstanceProfile", "x", "changed"),
        ("tags", {"a": "b"}, "changed"),
        ("enablePodENI", True, "changed"),
        ("enableENILimitedPodDensity", True, "changed"),
        ("enableENILimitedPodDensity", False, "lost"),
        ("assumeRoleARN", "arn", "lost"),
        ("assumeRoleARN", "", "changed"),
    ],
)
def test_what_has_no_place_in_the_values_is_removed_and_said(name, value, kind):
    raw = {"settings": {"aws": {name: value}}}

    assert ValueStep("remove", ("settings", "aws", name)) in steps(raw)
    assert kinds(raw)[name] == kind


def test_the_gate_of_drift_is_gone():
    raw = {"settings": {"featureGates": {"driftEnabled": True}}}

    assert steps(raw) == [ValueStep("remove", ("settings", "featureGates", "driftEnabled"))]


def test_the_first_charts_are_for_a_person_to_look_at():
    assert kinds({"clusterName": "x", "controller": {}}) == {"clusterName": "check"}


def test_the_old_label_is_replaced_wherever_it_stands():
    raw = {"affinity": {"nodeAffinity": [{"key": "karpenter.sh/provisioner-name"}]}}

    assert steps(raw) == [
        ValueStep("replace", ("affinity", "nodeAffinity", 0, "key"), "karpenter.sh/nodepool")
    ]
