"""Variables that nobody expanded."""

import pytest

from builders.manifests import a_class_text, a_workload_text, codes_of, the_finding


@pytest.mark.parametrize(
    "value", ["${CLUSTER_NAME}", "$CLUSTER_NAME", "YOUR_CLUSTER_NAME", "<cluster>"]
)
def test_a_placeholder_is_found(value):
    terms = [{"tags": {"karpenter.sh/discovery": value}}]

    assert codes_of(a_class_text(subnetSelectorTerms=terms)) == ["NW-3003"]


def test_a_placeholder_in_a_key_is_found_at_the_key():
    terms = [{"tags": {"kubernetes.io/cluster/${NAME}": "owned"}}]
    finding = the_finding("NW-3003", a_class_text(subnetSelectorTerms=terms))

    assert finding.on == "key"


def test_values_are_looked_at_too():
    assert codes_of("settings: {clusterName: '${CLUSTER_NAME}', interruptionQueue: q}\n") == [
        "NW-3003"
    ]


def test_scripts_have_variables_of_their_own():
    assert codes_of(a_class_text(userData="#!/bin/sh\necho ${HOME}\n")) == []


def test_workloads_are_not_ours_to_judge():
    assert codes_of(a_workload_text(nodeSelector={"a": "${B}"})) == []
