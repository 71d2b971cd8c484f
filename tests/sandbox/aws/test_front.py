"""The application in front: faults, the log, and what it does with questions it cannot answer."""

import time

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError

from builders.standin import a_fleet, error_of, ids_of
from nodewright.sandbox.aws.faults import Switch

BROKEN = (ConnectionClosedError, EndpointConnectionError)


def test_every_call_is_logged_with_its_parameters_and_its_error(standin, ec2):
    ec2.describe_vpcs()
    with pytest.raises(ClientError):
        ec2.describe_instances(InstanceIds=["i-00000000000000000"])
    calls = standin.account.calls
    [good], [bad] = calls.named("ec2.DescribeVpcs"), calls.named("ec2.DescribeInstances")

    assert good.error == ""
    assert bad.error == "InvalidInstanceID.NotFound"
    assert bad.params == {"InstanceIds": ["i-00000000000000000"]}
    assert bad.principal == "arn:aws:iam::123456789012:root"


def test_the_stand_ins_own_parts_are_neither_logged_nor_disturbed(standin):
    environment = standin.server.insider_environment()
    insider = standin.client(
        "ec2", environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]
    )
    standin.account.faults.set("*", Switch("throttle"))
    insider.describe_instances()

    assert standin.account.calls.named() == ()


@pytest.mark.parametrize(
    ("service", "call", "kind", "code", "status"),
    [
        ("ec2", "describe_instances", "throttle", "RequestLimitExceeded", 503),
        ("ec2", "describe_instances", "deny", "UnauthorizedOperation", 403),
        ("ec2", "describe_instances", "error", "InternalError", 500),
        ("iam", "list_roles", "deny", "AccessDenied", 403),
        ("ssm", "describe_parameters", "throttle", "ThrottlingException", 400),
        ("eks", "list_clusters", "deny", "AccessDenied", 403),
    ],
)
def test_a_fault_strikes_as_often_as_it_is_told(standin, service, call, kind, code, status):  # noqa: PLR0917
    standin.account.faults.set(f"{service}.*", Switch(kind, times=1))
    client = standin.client(service)
    with pytest.raises(ClientError) as raised:
        getattr(client, call)()
    getattr(client, call)()

    assert error_of(raised) == code
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == status


def test_a_fault_carries_the_code_that_it_is_given(standin, ec2):
    switch = Switch("error", code="ServiceUnavailable", message="later", status=503)
    standin.account.faults.set("ec2.DescribeVpcs", switch)
    with pytest.raises(ClientError) as raised:
        ec2.describe_vpcs()

    assert error_of(raised) == "ServiceUnavailable"


def test_a_lost_answer_leaves_the_work_done(standin, ec2, network):
    asked = a_fleet(network, ClientToken="lost")
    standin.account.faults.set("ec2.CreateFleet", Switch("lost", times=1))
    with pytest.raises(BROKEN):
        ec2.create_fleet(**asked)
    before = len(ec2.describe_instances()["Reservations"])
    [number] = ids_of(ec2.create_fleet(**asked))

    assert before == 1
    assert len(ec2.describe_instances(InstanceIds=[number])["Reservations"]) == 1


def test_a_dropped_call_does_nothing(standin, ec2):
    count = len(ec2.describe_vpcs()["Vpcs"])
    standin.account.faults.set("ec2.CreateVpc", Switch("drop", times=1))
    with pytest.raises(BROKEN):
        ec2.create_vpc(CidrBlock="10.3.0.0/16")

    assert len(ec2.describe_vpcs()["Vpcs"]) == count


def test_a_slow_answer_takes_its_time(standin, ec2):
    standin.account.faults.set("ec2.DescribeVpcs", Switch("slow", times=1, delay_ms=200))
    start = time.monotonic()
    ec2.describe_vpcs()

    assert time.monotonic() - start >= 0.2


def test_a_late_answer_comes_after_the_work(standin, ec2):
    standin.account.faults.set("ec2.CreateVpc", Switch("late", times=1, delay_ms=200))
    before = time.monotonic()
    made = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]

    assert time.monotonic() - before >= 0.2
    assert made in [one["VpcId"] for one in ec2.describe_vpcs()["Vpcs"]]


def test_a_fault_may_strike_every_second_call(standin, ec2):
    standin.account.faults.set("ec2.DescribeVpcs", Switch("throttle", every=2))
    answers = []
    for _ in range(4):
        try:
            ec2.describe_vpcs()
            answers.append("")
        except ClientError as error:
            answers.append(error.response["Error"]["Code"])

    assert answers == ["", "RequestLimitExceeded"] * 2


def test_a_wrong_answer_is_given_once(standin, ec2):
    standin.account.faults.set(
        "ec2.DescribeSubnets", Switch("wrong", times=1, answer={"Subnets": []})
    )
    wrong, right = ec2.describe_subnets()["Subnets"], ec2.describe_subnets()["Subnets"]

    assert wrong == []
    assert right


def test_an_operation_that_nobody_knows_is_told_so(standin):
    with pytest.raises(ClientError) as raised:
        standin.client("health").describe_events()

    assert error_of(raised) == "NotImplemented"
