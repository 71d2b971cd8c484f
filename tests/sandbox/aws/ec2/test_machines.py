"""The life of a machine in time."""

import pytest

from builders.standin import a_fleet, ids_of
from nodewright.sandbox.aws.account import Timing


@pytest.fixture
def slow(standin):
    account = standin.account
    account.timing = Timing(boot_ms=30_000, shutdown_ms=20_000, forget_ms=3_600_000)
    yield account
    account.timing = Timing(0, 0, 0)


def state(ec2, number):
    found = ec2.describe_instances(Filters=[{"Name": "instance-id", "Values": [number]}])
    return [one["State"]["Name"] for r in found["Reservations"] for one in r["Instances"]]


def test_it_boots_runs_shuts_down_and_is_forgotten(slow, ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    seen = [state(ec2, number)]
    slow.clock.skip(30_000)
    seen.append(state(ec2, number))
    ec2.terminate_instances(InstanceIds=[number])
    seen.append(state(ec2, number))
    slow.clock.skip(20_000)
    seen.append(state(ec2, number))
    slow.clock.skip(3_600_000)
    seen.append(state(ec2, number))

    assert seen == [["pending"], ["running"], ["shutting-down"], ["terminated"], []]


def test_one_that_is_ended_while_it_boots_never_runs(slow, ec2, network):
    [number] = ids_of(ec2.create_fleet(**a_fleet(network)))
    ec2.terminate_instances(InstanceIds=[number])
    slow.clock.skip(60_000)

    assert state(ec2, number) == ["terminated"]


def test_capacity_comes_back_when_it_is_gone(slow, ec2, network, standin):
    from nodewright.sandbox.aws.ec2.market import market_of

    market = market_of(standin.account, "us-west-2")
    key = ("m5.large", "us-west-2a", "on-demand")
    before = market.depth(key)
    asked = a_fleet(network)
    del asked["LaunchTemplateConfigs"][0]["Overrides"][1:]
    [number] = ids_of(ec2.create_fleet(**asked))
    taken = market.depth(key)
    ec2.terminate_instances(InstanceIds=[number])
    slow.clock.skip(20_000)
    slow.advance()

    assert (taken, market.depth(key)) == (before - 1, before)
