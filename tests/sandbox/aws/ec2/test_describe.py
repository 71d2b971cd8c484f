"""DescribeInstances: filters, pages, limits, and instances that cannot be seen yet."""

import pytest
from botocore.exceptions import ClientError

from builders.standin import a_fleet, error_of, ids_of
from nodewright.sandbox.aws.account import Timing


@pytest.fixture(scope="module")
def marked(standin, network):
    """Twelve instances with a tag, two of them with another value."""
    ec2 = standin.client("ec2")
    found = []
    for value, count in (("blue", 10), ("green", 2)):
        tags = [{"ResourceType": "instance", "Tags": [{"Key": "colour", "Value": value}]}]
        found += ids_of(ec2.create_fleet(**a_fleet(network, count=count, TagSpecifications=tags)))
    return found


def told(ec2, *filters):
    asked = [{"Name": name, "Values": list(values)} for name, values in filters]
    pages = ec2.get_paginator("describe_instances").paginate(Filters=asked)
    return [one for page in pages for r in page["Reservations"] for one in r["Instances"]]


def test_values_are_ored_and_filters_anded(ec2, marked):
    assert len(told(ec2, ("tag:colour", ["blue", "green"]))) == 12
    assert len(told(ec2, ("tag:colour", ["gr*"]), ("instance-state-name", ["running"]))) == 2
    assert told(ec2, ("tag:colour", ["gr"])) == []
    assert len(told(ec2, ("tag-key", ["colour"]))) == 12


def test_an_unknown_filter_is_refused(ec2, marked):
    with pytest.raises(ClientError) as raised:
        told(ec2, ("no-such-filter", ["x"]))

    assert error_of(raised) == "InvalidParameterValue"


def test_more_than_two_hundred_filter_values_are_refused(ec2, marked):
    with pytest.raises(ClientError) as raised:
        told(ec2, ("instance-id", [f"i-{number}" for number in range(201)]))

    assert error_of(raised) == "FilterLimitExceeded"


def test_pages_follow_each_other_without_gaps(ec2, marked):
    pages = list(ec2.get_paginator("describe_instances").paginate(PaginationConfig={"PageSize": 5}))
    ids = [one["InstanceId"] for p in pages for r in p["Reservations"] for one in r["Instances"]]

    assert [len(page["Reservations"]) for page in pages[:-1]] == [5] * (len(pages) - 1)
    assert len(ids) == len(set(ids))
    assert set(marked) <= set(ids)


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"MaxResults": 4}, "InvalidParameterValue"),
        ({"MaxResults": 10, "NextToken": "what"}, "InvalidNextToken"),
        ({"InstanceIds": ["i-1"], "MaxResults": 5}, "InvalidParameterCombination"),
        ({"InstanceIds": ["i-00000000000000000"]}, "InvalidInstanceID.NotFound"),
        ({"InstanceIds": ["nonsense"]}, "InvalidInstanceID.Malformed"),
    ],
)
def test_a_wrong_question_is_refused(ec2, marked, asked, code):
    with pytest.raises(ClientError) as raised:
        ec2.describe_instances(**asked)

    assert error_of(raised) == code


def test_one_unknown_id_fails_them_all(ec2, marked):
    with pytest.raises(ClientError) as raised:
        ec2.describe_instances(InstanceIds=[marked[0], "i-0000000000000dead"])

    assert "i-0000000000000dead" in str(raised.value)


def test_a_new_instance_is_not_seen_for_a_while(standin, ec2, network):
    account = standin.account
    account.timing = Timing(visible_ms=5_000, boot_ms=0, shutdown_ms=0)
    try:
        [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
        with pytest.raises(ClientError) as raised:
            ec2.describe_instances(InstanceIds=[number])
        with pytest.raises(ClientError):
            ec2.terminate_instances(InstanceIds=[number])
        account.clock.skip(5_000)
        [found] = ec2.describe_instances(InstanceIds=[number])["Reservations"]
    finally:
        account.timing = Timing(0, 0, 0)

    assert error_of(raised) == "InvalidInstanceID.NotFound"
    assert found["Instances"][0]["InstanceId"] == number
