"""Pools between which only chance decides."""

import pytest

from builders.manifests import GENERAL, a_pool_text, a_requirement, codes_of, the_finding

ARM = [a_requirement("karpenter.k8s.aws/instance-family", "m7g")]
INTEL = [a_requirement("karpenter.k8s.aws/instance-family", "m7i")]
TAINT = {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}


def test_two_pools_of_equal_weight_overlap():
    finding = the_finding("NW-2116", a_pool_text("a"), a_pool_text("b"))

    assert finding.message.startswith("b overlaps with a (no weight on both)")


@pytest.mark.parametrize(
    "other",
    [
        a_pool_text("b", weight=10),
        a_pool_text("b", template=TAINT),
        a_pool_text("b", labels={"team": "x"}),
        a_pool_text("b", requirements=[*GENERAL, a_requirement("team", "x")]),
        a_pool_text("b", limits={"nodes": "3"}, replicas=3),
    ],
)
def test_what_tells_two_pools_apart_is_enough(other):
    assert codes_of(a_pool_text("a"), other) == []


def test_pools_of_different_machines_do_not_overlap():
    assert codes_of(a_pool_text("a", requirements=ARM), a_pool_text("b", requirements=INTEL)) == []
