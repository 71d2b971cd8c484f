"""Images by name, and the reader that each gets."""

import pytest

from builders.userdata import encode, mime
from nodewright.sandbox.kubelet.boot import BootError
from nodewright.sandbox.kubelet.family import Image, image_of, read_user_data
from nodewright.sandbox.kubelet.parts import NODE_CONFIG, SHELL
from sandbox.kubelet import test_al2, test_bottlerocket, test_nodeadm, test_windows


@pytest.mark.parametrize(
    ("name", "family", "minor"),
    [
        ("amazon-eks-node-1.32-v20250101", "AL2", "1.32"),
        ("amazon-eks-arm64-node-1.32-v20250101", "AL2", "1.32"),
        ("amazon-eks-gpu-node-1.32-v20250101", "AL2", "1.32"),
        ("amazon-eks-node-al2023-x86_64-standard-1.34-v20250101", "AL2023", "1.34"),
        ("amazon-eks-node-al2023-arm64-nvidia-1.34-v20250101", "AL2023", "1.34"),
        ("bottlerocket-aws-k8s-1.34-x86_64-v1.46.0-abcdef", "Bottlerocket", "1.34"),
        ("bottlerocket-aws-k8s-1.34-nvidia-aarch64-v1.46.0", "Bottlerocket", "1.34"),
        ("Windows_Server-2022-English-Core-EKS_Optimized-1.34-2025.01", "Windows2022", "1.34"),
        ("my-own-image", "Custom", ""),
    ],
)
def test_an_image_is_known_by_its_name(name, family, minor):
    assert image_of(name) == Image(family, minor)


GENERATED = {
    "AL2": mime((SHELL, test_al2.GENERATED)),
    "AL2023": mime((NODE_CONFIG, test_nodeadm.GENERATED)),
    "Bottlerocket": test_bottlerocket.GENERATED,
    "Windows2022": test_windows.GENERATED,
}


@pytest.mark.parametrize("family", GENERATED)
def test_each_family_reads_its_own_and_a_custom_image_all_of_them(family):
    data = encode(GENERATED[family])

    assert read_user_data(family, data).cluster_name == "shop"
    assert read_user_data("Custom", data) == read_user_data(family, data)


@pytest.mark.parametrize("family", GENERATED)
@pytest.mark.parametrize("written_for", GENERATED)
def test_no_family_reads_that_of_another(family, written_for):
    if family == written_for:
        return
    with pytest.raises(BootError):
        read_user_data(family, encode(GENERATED[written_for]))


def test_a_custom_image_without_user_data_starts_nothing():
    with pytest.raises(BootError, match="user data is empty"):
        read_user_data("Custom", "")
