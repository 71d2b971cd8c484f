import msgspec
import pytest

from nodewright.model.ec2nodeclass import EC2NodeClass
from nodewright.model.validation_ec2nodeclass import validate_ec2nodeclass


def a_class(**spec):
    base = {"amiSelectorTerms": [{"alias": "al2023@latest"}], "role": "r"}
    return msgspec.convert({"metadata": {"name": "c"}, "spec": {**base, **spec}}, EC2NodeClass)


def test_a_sound_class_has_no_problems():
    assert validate_ec2nodeclass(a_class(tags={"Name": "x"}), kubernetes_minor=34) == []


@pytest.mark.parametrize(
    "key",
    ["kubernetes.io/cluster/x", "karpenter.sh/nodepool", "eks:eks-cluster-name", ""],
)
def test_a_tag_of_ours_is_refused(key):
    (problem,) = validate_ec2nodeclass(a_class(tags={key: "x"}))
    assert problem.reason == "TagValidationFailed"


@pytest.mark.parametrize(
    ("alias", "minor", "is_fine"),
    [
        ("al2@latest", 32, True),
        ("al2@latest", 33, False),
        ("windows2025@latest", 34, False),
        ("windows2025@latest", 35, True),
        ("al2023@v20250101", 36, True),
        ("ubuntu@latest", 30, False),
    ],
)
def test_an_alias_without_images_for_the_version_is_refused(alias, minor, is_fine):
    problems = validate_ec2nodeclass(
        a_class(amiSelectorTerms=[{"alias": alias}]), kubernetes_minor=minor
    )
    assert [problem.reason for problem in problems] == ([] if is_fine else ["UnsupportedAlias"])


def test_the_kubelet_is_judged_for_the_family_of_the_alias():
    bottlerocket = a_class(
        amiSelectorTerms=[{"alias": "bottlerocket@latest"}], kubelet={"podsPerCore": 2}
    )
    (problem,) = validate_ec2nodeclass(bottlerocket)
    assert problem.reason == "UnsupportedKubeletConfiguration"


def test_user_data_that_ec2_would_refuse_is_refused():
    (problem,) = validate_ec2nodeclass(a_class(userData="x" * 16_385))
    assert problem.reason == "UserDataSizeLimitExceeded"
