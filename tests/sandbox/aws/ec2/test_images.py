"""Images of every EKS family and the parameters that name them."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.ec2.images import eks_images

EKS = "/aws/service/eks/optimized-ami/"
PATHS = {
    f"{EKS}1.32/amazon-linux-2/recommended/image_id": "x86_64",
    f"{EKS}1.32/amazon-linux-2-arm64/recommended/image_id": "arm64",
    f"{EKS}1.32/amazon-linux-2-gpu/recommended/image_id": "x86_64",
    f"{EKS}1.34/amazon-linux-2023/x86_64/standard/recommended/image_id": "x86_64",
    f"{EKS}1.34/amazon-linux-2023/arm64/standard/recommended/image_id": "arm64",
    f"{EKS}1.34/amazon-linux-2023/x86_64/nvidia/recommended/image_id": "x86_64",
    f"{EKS}1.34/amazon-linux-2023/arm64/nvidia/recommended/image_id": "arm64",
    f"{EKS}1.34/amazon-linux-2023/x86_64/neuron/recommended/image_id": "x86_64",
    "/aws/service/bottlerocket/aws-k8s-1.34/x86_64/latest/image_id": "x86_64",
    "/aws/service/bottlerocket/aws-k8s-1.34/arm64/latest/image_id": "arm64",
    "/aws/service/bottlerocket/aws-k8s-1.34-nvidia/x86_64/latest/image_id": "x86_64",
    "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.34/image_id": "x86_64",
    "/aws/service/ami-windows-latest/Windows_Server-2025-English-Core-EKS_Optimized-1.35/image_id": "x86_64",
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_a_parameter_names_an_image_of_its_architecture(standin, ec2, path):
    found = standin.client("ssm").get_parameter(Name=path)["Parameter"]
    [image] = ec2.describe_images(ImageIds=[found["Value"]], IncludeDeprecated=True)["Images"]

    assert image["Architecture"] == PATHS[path]
    assert image["State"] == "available"
    assert image["CreationDate"] < image["DeprecationTime"]
    assert image["ImageOwnerAlias"] == "amazon"


@pytest.mark.parametrize(
    "path",
    [
        f"{EKS}1.33/amazon-linux-2/recommended/image_id",
        f"{EKS}1.34/amazon-linux-2023/arm64/neuron/recommended/image_id",
        "/aws/service/ami-windows-latest/Windows_Server-2025-English-Core-EKS_Optimized-1.34/image_id",
    ],
)
def test_what_aws_does_not_publish_is_not_there(standin, path):
    with pytest.raises(ClientError) as raised:
        standin.client("ssm").get_parameter(Name=path)

    assert error_of(raised) == "ParameterNotFound"


def test_a_pinned_release_has_a_parameter_of_its_own(standin):
    ssm = standin.client("ssm")
    root = f"{EKS}1.34/amazon-linux-2023/x86_64/standard"
    pinned = ssm.get_parameter(
        Name=f"{root}/amazon-eks-node-al2023-x86_64-standard-1.34-v20260512/image_id"
    )["Parameter"]["Value"]
    latest = ssm.get_parameter(Name=f"{root}/recommended/image_id")["Parameter"]["Value"]
    rocket = ssm.get_parameter(
        Name="/aws/service/bottlerocket/aws-k8s-1.34/x86_64/1.46.1/image_id"
    )["Parameter"]

    assert pinned != latest
    assert rocket["Value"].startswith("ami-")


def test_names_are_unique_and_so_are_parameters():
    images = list(eks_images())
    parameters = [one for image in images for one in image.parameters]

    assert len({image.name for image in images}) == len(images)
    assert len(set(parameters)) == len(parameters)


def test_parameters_come_by_path_and_in_a_batch(standin):
    ssm = standin.client("ssm")
    root = f"{EKS}1.34/amazon-linux-2023/x86_64"
    pages = ssm.get_paginator("get_parameters_by_path").paginate(Path=root, Recursive=True)
    found = [one["Name"] for page in pages for one in page["Parameters"]]
    batch = ssm.get_parameters(Names=[*found[:2], f"{root}/none"])

    assert len(found) == 3 * 4
    assert len(batch["Parameters"]) == 2
    assert batch["InvalidParameters"] == [f"{root}/none"]


def test_parameters_of_ones_own_are_still_there(standin):
    ssm = standin.client("ssm")
    ssm.put_parameter(Name="/mine/image", Value="ami-1", Type="String")

    assert ssm.get_parameter(Name="/mine/image")["Parameter"]["Value"] == "ami-1"
