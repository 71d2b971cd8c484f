import pytest

from builders import a_type, an_offering
from nodewright.model.labels import ON_DEMAND, SPOT
from nodewright.ports.cloud import MachineStatus
from nodewright.sim.chance import Chance
from nodewright.sim.cloud.ec2 import REBALANCE, SPOT_WARNING, STATE_CHANGE, Ec2, Ec2Settings
from nodewright.sim.cloud.fleet import FleetRequest, Override
from nodewright.sim.cloud.market import Market, MarketSettings
from nodewright.sim.faults import Fault, Faults
from nodewright.sim.ground import Ground

TYPES = (
    a_type(
        "m", offerings=[an_offering("zone-a", SPOT, 0.4), an_offering("zone-a", ON_DEMAND, 1.0)]
    ),
)


@pytest.fixture
def ground():
    return Ground(1)


def an_ec2(ground, faults=(), **settings):
    market = Market(TYPES, MarketSettings(depth=2), Chance(1), ground.loop.now_ms())
    return Ec2(ground, market, Faults(ground, faults), Ec2Settings(**settings))


def launch(ec2, token="t", kind=ON_DEMAND):
    override = (Override("m", "zone-a"),)
    return ec2.create_fleet(FleetRequest(token, kind, "lowest-price", override))[0]


def wait(ground, seconds):
    ground.loop.run_until_complete(ground.loop.sleep_ms(seconds * 1000))


def test_the_same_token_gives_the_same_machine(ground):
    ec2 = an_ec2(ground)

    assert launch(ec2) is launch(ec2)
    assert launch(ec2, "other") is not launch(ec2)


def test_a_machine_cannot_be_seen_at_once(ground):
    ec2 = an_ec2(ground, visible_ms=(2_000, 2_000))
    machine = launch(ec2)
    assert ec2.find(machine.provider_id) is None
    wait(ground, 2)

    assert ec2.find(machine.provider_id) is machine


def test_a_machine_lives_from_pending_to_terminated(ground):
    ec2 = an_ec2(ground)
    machine = launch(ec2)
    states = [machine.state]
    wait(ground, 40)
    states.append(machine.state)
    assert ec2.terminate(machine.provider_id)
    states.append(machine.state)
    wait(ground, 60)
    states.append(machine.state)

    assert states == ["pending", "running", "shutting-down", "terminated"]
    assert not ec2.terminate(machine.provider_id)
    assert ec2.is_gone(machine.provider_id)


def test_the_depth_comes_back_with_the_machine(ground):
    ec2 = an_ec2(ground)
    first = launch(ec2, "a")
    launch(ec2, "b")
    assert launch(ec2, "c") is None
    ec2.terminate(first.provider_id)
    wait(ground, 60)

    assert launch(ec2, "d") is not None


def test_a_spot_machine_is_warned_two_minutes_before(ground):
    ec2 = an_ec2(ground)
    machine = launch(ec2, kind=SPOT)
    wait(ground, 60)
    ec2.interrupt(machine.provider_id)
    (warning,) = ec2.receive()
    wait(ground, 119)
    assert machine.state == "running"
    wait(ground, 2)

    assert (warning.kind, warning.machines) == (SPOT_WARNING, (machine.instance_id,))
    assert machine.state == "shutting-down"


def test_a_message_comes_again_until_it_is_acknowledged(ground):
    ec2 = an_ec2(ground)
    ec2.terminate(launch(ec2).provider_id)
    (first,) = ec2.receive()
    assert ec2.receive() == ()
    wait(ground, 20)
    (second,) = ec2.receive()
    ec2.acknowledge(second.receipt)
    wait(ground, 20)

    assert (first, second.kind, ec2.receive()) == (second, STATE_CHANGE, ())


def test_spot_machines_are_taken_back_at_their_rate(ground):
    ec2 = an_ec2(ground, spot_interruptions_per_hour=10.0, rebalance_share=1.0)
    machine = launch(ec2, kind=SPOT)
    wait(ground, 3600)

    kinds = {notice.kind for notice in ec2.receive()}
    assert {SPOT_WARNING, REBALANCE} <= kinds
    assert machine.state == "terminated"


@pytest.mark.parametrize(
    ("kind", "now", "later"),
    [("queue.lost", 0, 0), ("queue.twice", 2, 2), ("queue.late", 0, 1)],
)
def test_messages_get_lost_come_twice_and_come_late(ground, kind, now, later):
    ec2 = an_ec2(ground, faults=[Fault(kind, rate=1.0)])
    ec2.terminate(launch(ec2).provider_id)
    found = [len(ec2.receive())]
    wait(ground, 120)
    found.append(len(ec2.receive()))

    assert found == [now, later]


def test_what_messages_tell_is_told_to_those_who_ask(ground):
    ec2 = an_ec2(ground)
    machine = launch(ec2, kind=SPOT)
    wait(ground, 60)
    assert ec2.statuses() == ()
    ec2.interrupt(machine.provider_id)
    assert ec2.statuses() == (MachineStatus(machine.instance_id, is_taken_back=True),)
    machine.impaired_ms = 7
    assert ec2.statuses()[0].impaired_check == "instance_status"
    ec2.terminate(machine.provider_id)

    assert ec2.statuses() == (MachineStatus(machine.instance_id, state="shutting-down"),)
