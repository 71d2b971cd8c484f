"""The door to AWS: tries, faults, pages and the meter."""

import pytest
from botocore.parsers import ResponseParserError

from builders.awsclients import a_gateway
from nodewright.aws.calls import DESCRIBE_INSTANCE_TYPES, DESCRIBE_SUBNETS, GET_PARAMETER
from nodewright.aws.gateway import PAUSE_MS, TRIES_MAX, Fault
from nodewright.sandbox.aws.faults import Switch


async def test_an_answer_is_boto3_s(gateway):
    answer = await gateway.ask(DESCRIBE_SUBNETS, {})

    assert isinstance(answer["Subnets"], list)


async def test_what_is_not_there_is_a_value(gateway):
    answer = await gateway.ask(GET_PARAMETER, {"Name": "/aws/service/none"})

    assert isinstance(answer, Fault)
    assert answer.is_gone
    assert not answer.is_passing


async def test_throttled_calls_are_tried_again_after_a_growing_pause(standin):
    tries = []
    gateway = a_gateway(standin, meter=lambda call, code, _: tries.append((call.name, code)))
    standin.account.faults.set("ec2.DescribeSubnets", Switch("throttle", times=2))
    answer = await gateway.ask(DESCRIBE_SUBNETS, {})
    gateway.close()

    assert not isinstance(answer, Fault)
    assert tries == [("ec2.DescribeSubnets", "RequestLimitExceeded")] * 2 + [
        ("ec2.DescribeSubnets", "")
    ]
    assert gateway._clock.slept == [PAUSE_MS // 2, PAUSE_MS]


async def test_tries_have_an_end(standin, gateway):
    standin.account.faults.set("ec2.DescribeSubnets", Switch("throttle"))
    answer = await gateway.ask(DESCRIBE_SUBNETS, {})

    assert answer.code == "RequestLimitExceeded"
    assert answer.is_passing
    assert len(gateway._clock.slept) == TRIES_MAX - 1


@pytest.mark.parametrize("kind", ["drop", "lost"])
async def test_an_answer_that_never_comes_is_a_fault_too(standin, gateway, kind):
    standin.account.faults.set("ec2.DescribeSubnets", Switch(kind))
    answer = await gateway.ask(DESCRIBE_SUBNETS, {})

    assert (answer.code, answer.is_passing) == ("Unreachable", True)
    assert gateway._clock.slept == []


async def test_a_refusal_is_not_tried_again(standin, gateway):
    standin.account.faults.set("ec2.DescribeSubnets", Switch("deny"))
    answer = await gateway.ask(DESCRIBE_SUBNETS, {})

    assert answer.is_unauthorized
    assert gateway._clock.slept == []


async def test_pages_are_put_together(gateway):
    params = {"MaxResults": 100, "Filters": [{"Name": "instance-type", "Values": ["m5.*", "c5.*"]}]}
    whole = await gateway.ask_all(DESCRIBE_INSTANCE_TYPES, params, "InstanceTypes")
    names = [one["InstanceType"] for one in whole]

    assert "m5.large" in names
    assert len(names) == len(set(names))


async def test_a_fault_on_a_page_is_the_answer(standin, gateway):
    standin.account.faults.set("ec2.DescribeSubnets", Switch("deny"))

    assert isinstance(await gateway.ask_all(DESCRIBE_SUBNETS, {}, "Subnets"), Fault)


async def test_a_page_that_is_not_aws_s_is_a_fault_too(gateway, monkeypatch):
    def say_html(**_):
        raise ResponseParserError("invalid XML received")

    client = gateway._clients.client("ec2")
    monkeypatch.setattr(client, "describe_subnets", say_html)

    assert (await gateway.ask(DESCRIBE_SUBNETS, {})).code == "Unreachable"
