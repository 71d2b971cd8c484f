"""Aliases and the public parameters behind them."""

from nodewright.aws.aliases import alias_parameters

EKS = "/aws/service/eks/optimized-ami/1.34"


def names(family, version="latest", kubernetes="1.34"):
    return [one.name for one in alias_parameters(family, version, kubernetes)]


def test_al2_has_one_image_for_gpus_and_neuron():
    assert names("AL2") == [
        f"{EKS}/amazon-linux-2/recommended/image_id",
        f"{EKS}/amazon-linux-2-arm64/recommended/image_id",
        f"{EKS}/amazon-linux-2-gpu/recommended/image_id",
        f"{EKS}/amazon-linux-2-gpu/recommended/image_id",
    ]
    assert names("AL2", "v20250101")[1] == (
        f"{EKS}/amazon-linux-2-arm64/amazon-eks-arm64-node-1.34-v20250101/image_id"
    )


def test_al2023_has_no_neuron_image_for_arm64():
    root = f"{EKS}/amazon-linux-2023"

    assert names("AL2023") == [
        f"{root}/x86_64/standard/recommended/image_id",
        f"{root}/x86_64/nvidia/recommended/image_id",
        f"{root}/x86_64/neuron/recommended/image_id",
        f"{root}/arm64/standard/recommended/image_id",
        f"{root}/arm64/nvidia/recommended/image_id",
    ]
    assert names("AL2023", "v20250101")[0] == (
        f"{root}/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.34-v20250101/image_id"
    )


def test_bottlerocket_is_pinned_without_the_v():
    root = "/aws/service/bottlerocket/aws-k8s-1.34"

    assert names("Bottlerocket", "v1.50.0")[0] == f"{root}/x86_64/1.50.0/image_id"
    assert names("Bottlerocket")[-1] == f"{root}-nvidia/arm64/latest/image_id"


def test_windows_images_are_for_one_build():
    [only] = alias_parameters("Windows2022", "latest", "1.34")

    assert only.name == (
        "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id"
    )
    assert [(one.key, one.values) for one in only.conditions] == [
        ("kubernetes.io/arch", ("amd64",)),
        ("kubernetes.io/os", ("windows",)),
        ("node.kubernetes.io/windows-build", ("10.0.20348",)),
    ]
