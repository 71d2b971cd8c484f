"""Pods that no pool can serve, as the planner says."""

import pytest

from builders.manifests import (
    GENERAL,
    a_class_text,
    a_pool_text,
    a_provisioner_text,
    a_requirement,
    a_template_text,
    a_workload_text,
    codes_of,
    the_finding,
)

POOL = (a_pool_text(), a_class_text())


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeSelector": {"team": "x"}},
        {"nodeSelector": {"karpenter.sh/nodepool": "other"}},
    ],
)
def test_labels_that_no_pool_has_are_named(pod):
    finding = the_finding("NW-3016", *POOL, a_workload_text(**pod))

    assert finding.path[-1] == "nodeSelector"
    assert next(iter(pod["nodeSelector"])) in finding.message


def test_a_label_that_no_type_of_the_pool_has_is_named():
    pod = a_workload_text(nodeSelector={"karpenter.k8s.aws/instance-family": "t3"})

    assert "instance-family" in the_finding("NW-3016", *POOL, pod).message


def test_a_taint_that_is_not_tolerated_is_named():
    tainted = a_pool_text(template={"taints": [{"key": "gpu", "effect": "NoSchedule"}]})

    assert "taint gpu" in the_finding("NW-3016", tainted, a_workload_text()).message


def test_a_pod_that_is_too_large_is_found():
    small = a_pool_text(
        requirements=[*GENERAL, a_requirement("karpenter.k8s.aws/instance-cpu", "8", operator="Lt")]
    )

    assert codes_of(small, a_workload_text(requests={"cpu": "12"})) == ["NW-3048"]


def test_a_device_that_no_type_has_is_found():
    assert codes_of(*POOL, a_workload_text(requests={"nvidia.com/gpu": "1"})) == ["NW-3048"]


@pytest.mark.parametrize(
    "pod",
    [
        {},
        {"nodeSelector": {"kubernetes.io/arch": "arm64"}},
        {"nodeSelector": {"eks.amazonaws.com/nodegroup": "system"}},
        {"nodeName": "n1", "nodeSelector": {"team": "x"}},
    ],
)
def test_pods_that_fit_or_go_elsewhere_are_fine(pod):
    assert codes_of(*POOL, a_workload_text(**pod)) == []


def test_the_limits_of_a_pool_are_for_the_cluster_to_judge():
    pool = a_pool_text(limits={"cpu": "1"})

    assert codes_of(pool, a_workload_text(requests={"cpu": "4"})) == []


def test_a_provisioner_is_converted_before_it_is_asked():
    pools = (a_provisioner_text(), a_template_text())

    assert "NW-3016" in codes_of(
        *pools, a_workload_text(nodeSelector={"kubernetes.io/arch": "arm64"})
    )
    assert "NW-3016" not in codes_of(*pools, a_workload_text())


def test_without_pools_nobody_is_asked():
    assert codes_of(a_workload_text(nodeSelector={"team": "x"})) == []
