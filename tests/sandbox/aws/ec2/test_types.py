"""Instance types in pages, cut to what the region sells."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import error_of


def test_types_come_in_pages_of_a_hundred(ec2):
    filters = [
        {"Name": "supported-virtualization-type", "Values": ["hvm"]},
        {"Name": "processor-info.supported-architecture", "Values": ["x86_64", "arm64"]},
        {"Name": "instance-type", "Values": ["m*"]},
    ]
    first = ec2.describe_instance_types(Filters=filters, MaxResults=100)
    pages = ec2.get_paginator("describe_instance_types").paginate(Filters=filters)
    names = [one["InstanceType"] for page in pages for one in page["InstanceTypes"]]

    assert len(first["InstanceTypes"]) == 100
    assert first["NextToken"]
    assert len(names) == len(set(names)) > 200
    assert "m5.large" in names


def test_every_type_that_is_described_is_offered_somewhere(ec2):
    pages = ec2.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone"
    )
    rows = [one for page in pages for one in page["InstanceTypeOfferings"]]
    told = ec2.describe_instance_types(MaxResults=100)["InstanceTypes"]

    assert len(rows) > 5_000
    assert {one["InstanceType"] for one in told} <= {one["InstanceType"] for one in rows}
    assert {one["LocationType"] for one in rows} == {"availability-zone"}


def test_one_type_can_be_asked_for_by_name(ec2):
    [one] = ec2.describe_instance_types(InstanceTypes=["m5.large"])["InstanceTypes"]

    assert one["VCpuInfo"]["DefaultVCpus"] == 2
    assert one["MemoryInfo"]["SizeInMiB"] == 8192


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"DryRun": True}, "DryRunOperation"),
        ({"InstanceTypes": ["zz9.large"]}, "InvalidInstanceType"),
        ({"MaxResults": 101}, "InvalidParameterValue"),
    ],
)
def test_what_cannot_be_answered_is_refused(ec2, asked, code):
    with pytest.raises(ClientError) as raised:
        ec2.describe_instance_types(**asked)

    assert error_of(raised) == code
