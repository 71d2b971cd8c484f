import pytest

from nodewright.model.path import show_path
from nodewright.model.validation_kubelet import validate_kubelet

SOFT = {"memory.available": "5%"}
GRACE = {"memory.available": "1m30s"}


@pytest.mark.parametrize(
    ("kubelet", "family"),
    [
        ({}, "AL2"),
        ({"maxPods": 110, "podsPerCore": 2, "clusterDNS": ["10.0.0.10"]}, "AL2"),
        ({"evictionHard": {"memory.available": "100Mi", "nodefs.available": "10%"}}, "AL2023"),
        ({"evictionSoft": SOFT, "evictionSoftGracePeriod": GRACE}, "Bottlerocket"),
        ({"systemReserved": {"cpu": "100m", "pid": 100}, "kubeReserved": {"memory": "1Gi"}}, "AL2"),
        ({"imageGCHighThresholdPercent": 85, "imageGCLowThresholdPercent": 80}, "AL2"),
        ({"cpuManagerPolicy": "static", "featureGates": {"X": True}}, "AL2023"),
        ({"clusterDNS": ["10.0.0.10", "10.0.0.11"]}, "AL2023"),
        ({"cpuManagerPolicy": "static", "podsPerCore": 4}, "Custom"),
    ],
)
def test_sound_settings_have_no_problems(kubelet, family):
    assert validate_kubelet(kubelet, family) == []


@pytest.mark.parametrize(
    ("kubelet", "path", "part"),
    [
        ({"maxpods": 3}, "maxpods", "did you mean maxPods?"),
        ({"maxPods": True}, "maxPods", "whole number"),
        ({"maxPods": -1}, "maxPods", "negative"),
        ({"podsPerCore": "2"}, "podsPerCore", "whole number"),
        ({"cpuCFSQuota": "no"}, "cpuCFSQuota", "true or false"),
        ({"registerWithTaints": []}, "registerWithTaints", "NodePool's taints"),
        ({"evictionHard": {"memory": "5%"}}, "evictionHard.memory", "none of"),
        ({"evictionHard": {"memory.available": "101%"}}, "memory.available", "0% and 100%"),
        ({"evictionHard": {"memory.available": "-1Mi"}}, "memory.available", "negative"),
        ({"evictionHard": {"memory.available": "five"}}, "memory.available", "not a quantity"),
        ({"evictionSoft": SOFT}, "evictionSoft", "evictionSoftGracePeriod too"),
        ({"evictionSoftGracePeriod": GRACE}, "evictionSoftGracePeriod", "no threshold"),
        (
            {"evictionSoft": SOFT, "evictionSoftGracePeriod": {"memory.available": "-1s"}},
            "GracePeriod",
            "not negative",
        ),
        ({"systemReserved": {"gpu": "1"}}, "systemReserved.gpu", "none of"),
        ({"kubeReserved": {"cpu": "-1"}}, "kubeReserved.cpu", "negative"),
        ({"imageGCHighThresholdPercent": 101}, "HighThreshold", "between 0 and 100"),
        (
            {"imageGCHighThresholdPercent": 80, "imageGCLowThresholdPercent": 80},
            "HighThreshold",
            "greater than",
        ),
    ],
)
def test_what_breaks_a_kubelet_is_invalid(kubelet, path, part):
    (problem,) = validate_kubelet(kubelet, "AL2023")
    assert path in show_path(problem.path)
    assert part in problem.message
    assert problem.reason == "InvalidKubeletConfiguration"


@pytest.mark.parametrize(
    ("kubelet", "family"),
    [
        ({"cpuManagerPolicy": "static"}, "AL2"),
        ({"cpuManagerPolicy": "static"}, "Bottlerocket"),
        ({"podsPerCore": 2}, "Bottlerocket"),
        ({"clusterDNS": ["10.0.0.10", "10.0.0.11"]}, "Windows2022"),
    ],
)
def test_what_a_family_cannot_express_is_unsupported(kubelet, family):
    (problem,) = validate_kubelet(kubelet, family)
    assert problem.reason == "UnsupportedKubeletConfiguration"


def test_an_expression_needs_its_gate():
    kubelet = {"maxPods": "max_pods - 2", "systemReserved": {"cpu": "vcpus * 10"}}
    reasons = [problem.reason for problem in validate_kubelet(kubelet, "AL2023")]
    assert reasons == ["KubeletExpressionsDisabled", "KubeletExpressionsDisabled"]
    assert validate_kubelet(kubelet, "AL2023", expressions=True) == []


@pytest.mark.parametrize(
    ("kubelet", "path"),
    [
        ({"maxPods": "min(110,"}, "maxPods"),
        ({"maxPods": "undefined_var + 1"}, "maxPods"),
        ({"kubeReserved": {"cpu": "vcpus *"}}, "kubeReserved.cpu"),
        ({"systemReserved": {"memory": "bogus * 1048576"}}, "systemReserved.memory"),
    ],
)
def test_an_expression_that_cannot_be_read_is_invalid(kubelet, path):
    (problem,) = validate_kubelet(kubelet, "AL2023", expressions=True)

    assert problem.reason == "KubeletExpressionInvalid"
    assert path in show_path(problem.path)


def test_what_is_neither_amount_nor_expression_is_no_quantity_with_any_gate():
    for gate in (False, True):
        (problem,) = validate_kubelet({"kubeReserved": {"cpu": "much"}}, "AL2", expressions=gate)
        assert problem.reason == "InvalidKubeletConfiguration"
