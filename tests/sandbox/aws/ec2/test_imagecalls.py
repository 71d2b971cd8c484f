"""DescribeImages by owner, name and deprecation; images of one's own."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of
from nodewright.sandbox.aws.ec2.images import eks_images
from nodewright.sandbox.aws.moment import moment

NAME = "amazon-eks-node-al2023-x86_64-standard-1.34-*"


def names(ec2, **asked):
    filters = [{"Name": "name", "Values": [NAME]}, {"Name": "state", "Values": ["available"]}]
    found = ec2.describe_images(Filters=filters, **asked)["Images"]
    return sorted(one["Name"].rsplit("-", 1)[-1] for one in found)


def test_deprecated_images_are_told_only_to_who_asks(standin, ec2):
    now = moment(standin.account.clock.now_ms())
    images = {one.name: one.deprecated for one in eks_images()}
    alive = [
        release
        for release in ("v20240305", "v20260512", "v20261006")
        if images[NAME.replace("*", release)] > now
    ]

    assert names(ec2, Owners=["amazon"]) == alive
    assert names(ec2, Owners=["amazon"], IncludeDeprecated=True) == [
        "v20240305", "v20260512", "v20261006",
    ]  # fmt: skip
    assert names(ec2, Owners=["self"]) == []


def test_an_unknown_image_is_an_error(ec2):
    with pytest.raises(ClientError) as raised:
        ec2.describe_images(ImageIds=["ami-0"])

    assert error_of(raised) == "InvalidAMIID.NotFound"


def test_an_image_of_ones_own_keeps_its_architecture(ec2):
    number = ec2.register_image(
        Name="mine",
        Architecture="arm64",
        RootDeviceName="/dev/xvda",
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 12}}],
    )["ImageId"]
    ec2.create_tags(Resources=[number], Tags=[{"Key": "team", "Value": "a"}])
    [image] = ec2.describe_images(Filters=[{"Name": "tag:team", "Values": ["a"]}])["Images"]

    assert image["ImageId"] == number
    assert image["Architecture"] == "arm64"
    assert image["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] == 12


def test_an_image_can_be_deprecated(ec2):
    number = ec2.register_image(Name="old", Architecture="x86_64")["ImageId"]
    ec2.enable_image_deprecation(ImageId=number, DeprecateAt="2027-01-01T00:00:00Z")
    [image] = ec2.describe_images(ImageIds=[number])["Images"]

    assert image["DeprecationTime"] == "2027-01-01T00:00:00.000Z"
