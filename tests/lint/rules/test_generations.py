"""Pools that take machines of any age."""

import pytest

from builders.manifests import a_pool_text, a_provisioner_text, a_requirement, codes_of

CATEGORY = "karpenter.k8s.aws/instance-category"


@pytest.mark.parametrize(
    "broken",
    [
        a_pool_text(requirements=[]),
        a_pool_text(requirements=[a_requirement(CATEGORY, "m")]),
        a_provisioner_text(requirements=[a_requirement("node.kubernetes.io/instance-type", "c")]),
    ],
)
def test_a_pool_without_a_bound_is_told_so(broken):
    assert "NW-3028" in codes_of(broken)


@pytest.mark.parametrize(
    "healthy",
    [
        a_pool_text(),
        a_pool_text(requirements=[a_requirement("karpenter.k8s.aws/instance-family", "m5")]),
        a_pool_text(requirements=[a_requirement("node.kubernetes.io/instance-type", "m5.large")]),
        a_pool_text(
            requirements=[a_requirement("karpenter.k8s.aws/instance-gpu-count", "0", operator="Gt")]
        ),
        a_provisioner_text(),
    ],
)
def test_a_bound_of_any_kind_is_enough(healthy):
    assert "NW-3028" not in codes_of(healthy)
