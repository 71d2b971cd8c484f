"""Machines are tagged once they are nodes, and once only."""

import pytest

from builders import a_world
from builders.lives import a_claim, with_conditions, with_meta, with_spec, with_status
from core.disruption.test_classdrift import REFERENCE
from nodewright.core.tagging import tag_machines, tags_of
from nodewright.model.nodepool import NodeClassRef


def a_node_claim():
    claim = with_spec(a_claim(true=("Launched",)), node_class_ref=REFERENCE)
    claim = with_status(claim, provider_id="aws:///a/i-1", node_name="ip-10-0-0-1")
    return with_conditions(claim, Registered="True")


def tagged(claim):
    return [one.change for one in tag_machines(a_world(claim))]


def test_a_machine_that_became_a_node_is_tagged_with_its_name():
    [change] = tagged(a_node_claim())

    assert change == {"metadata": {"annotations": {"karpenter.k8s.aws/tagged": "true"}}}
    assert tags_of(a_node_claim()) == {"Name": "ip-10-0-0-1", "karpenter.sh/nodeclaim": "claim"}


@pytest.mark.parametrize(
    "claim",
    [
        with_meta(a_node_claim(), annotations={"karpenter.k8s.aws/tagged": "true"}),
        with_meta(a_node_claim(), deletion_timestamp="2026-01-01T00:00:00Z"),
        with_conditions(a_node_claim(), Registered="Unknown"),
        with_status(a_node_claim(), node_name=""),
        with_spec(
            a_node_claim(), node_class_ref=NodeClassRef("karpenter.kwok.sh", "KWOKNodeClass")
        ),
    ],
)
def test_nobody_else_is(claim):
    assert tagged(claim) == []
