"""Rehearsals: a class is tried without starting anything."""

import msgspec
import pytest

from builders.awsaccounts import a_class, make_account, resolve
from builders.awsclients import a_gateway
from builders.awsdrafts import a_cluster
from builders.awslaunches import mistakes
from nodewright.aws.rehearsal import KEPT_MS, Rehearsals, choose_type, key_of
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def keys(standin):
    return make_account(standin)[1]


@pytest.fixture
def door(standin, keys):
    made = a_gateway(standin, keys)
    yield made
    made.close()


@pytest.fixture
def rehearsals(door):
    return Rehearsals(door, door._clock, a_cluster())


def asked(standin):
    return [
        one.name
        for one in standin.account.calls.named()
        if one.name in ("ec2.CreateLaunchTemplate", "ec2.CreateFleet", "ec2.RunInstances")
    ]


def with_notes(node_class, **notes):
    meta = msgspec.structs.replace(node_class.metadata, annotations=notes)
    return msgspec.structs.replace(node_class, metadata=meta)


async def test_the_generated_policy_is_enough_and_nothing_is_started(standin, door, rehearsals):
    node_class = await resolve(door, a_class())
    before = standin.client("ec2").describe_instances()["Reservations"]
    standin.account.calls.clear()

    assert await rehearsals.rehearse(node_class) is None
    assert asked(standin) == ["ec2.CreateLaunchTemplate", "ec2.CreateFleet", "ec2.RunInstances"]
    assert standin.client("ec2").describe_instances()["Reservations"] == before
    for name in ("CreateFleet", "RunInstances"):
        [one] = standin.account.calls.named(f"ec2.{name}")
        assert mistakes("ec2", name, one.params) == []
        assert one.params["DryRun"]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("CreateLaunchTemplate", "CreateLaunchTemplateAuthCheckFailed"),
        ("CreateFleet", "CreateFleetAuthCheckFailed"),
        ("RunInstances", "RunInstancesAuthCheckFailed"),
    ],
)
async def test_a_refusal_is_the_class_s(standin, door, rehearsals, call, reason):
    node_class = await resolve(door, a_class())
    standin.account.faults.set(f"ec2.{call}", Switch("deny"))
    found = await rehearsals.rehearse(node_class)

    assert (found.reason, found.is_passing) == (reason, False)


async def test_what_came_of_it_is_kept_until_the_class_changes(standin, door, rehearsals):
    node_class = await resolve(door, a_class())
    await rehearsals.rehearse(node_class)
    standin.account.faults.set("ec2.RunInstances", Switch("deny"))

    assert await rehearsals.rehearse(node_class) is None
    assert (await rehearsals.rehearse(with_notes(node_class, again="1"))) is not None
    door._clock.now += KEPT_MS
    assert (await rehearsals.rehearse(node_class)) is not None
    standin.account.faults.clear()
    assert (await rehearsals.rehearse(node_class)) is not None


async def test_what_passes_is_not_kept(standin, door, rehearsals):
    node_class = await resolve(door, a_class())
    standin.account.faults.set("ec2.CreateFleet", Switch("throttle"))
    found = await rehearsals.rehearse(node_class)
    standin.account.faults.clear()

    assert found.is_passing
    assert await rehearsals.rehearse(node_class) is None


@pytest.mark.parametrize(("times", "asked_count"), [(1, 2), (0, 3)])
async def test_what_one_type_lacks_in_a_subnet_keeps_nobody_from_starting(
    standin, door, rehearsals, times, asked_count
):
    node_class = await resolve(door, a_class())
    odd = Switch("error", code="Unsupported", status=400, times=times)
    standin.account.faults.set("ec2.RunInstances", odd)

    assert await rehearsals.rehearse(node_class) is None
    assert asked(standin).count("ec2.RunInstances") == asked_count


@pytest.mark.parametrize(
    ("given", "passes"), [({"role": None, "instanceProfile": "x"}, False), ({}, True)]
)
async def test_a_profile_that_was_given_must_be_there(standin, door, rehearsals, given, passes):
    node_class = await resolve(door, a_class(**given))
    words = "Value (x) for parameter iamInstanceProfile.name is invalid."
    switch = Switch("error", code="InvalidParameterValue", message=words, status=400)
    standin.account.faults.set("ec2.RunInstances", switch)
    found = await rehearsals.rehearse(node_class)

    assert (found.reason, found.is_passing) == ("InstanceProfileNotFound", passes)


async def test_interfaces_carry_the_subnet_themselves(standin, door, rehearsals):
    node_class = await resolve(door, a_class(associatePublicIPAddress=True))

    assert await rehearsals.rehearse(node_class) is None
    [run] = standin.account.calls.named("ec2.RunInstances")
    assert "SubnetId" not in run.params
    assert run.params["NetworkInterfaces"][0]["SubnetId"] == node_class.status.subnets[0].id


async def test_the_cheapest_type_that_has_an_image_is_tried(door):
    node_class = await resolve(door, a_class())
    arm = tuple(one for one in node_class.status.amis if "arm64" in one.name)
    only_arm = msgspec.structs.replace(
        node_class, status=msgspec.structs.replace(node_class.status, amis=arm)
    )

    assert choose_type(node_class, "us-west-2").name.startswith("t")
    assert "g." in choose_type(only_arm, "us-west-2").name
    nothing = msgspec.structs.replace(
        node_class, status=msgspec.structs.replace(node_class.status, amis=())
    )
    assert choose_type(nothing, "us-west-2") is None


def test_our_own_stamps_change_nothing():
    stamped = with_notes(a_class(), **{"karpenter.k8s.aws/ec2nodeclass-hash": "1"})

    assert key_of(stamped) == key_of(a_class())
    assert key_of(with_notes(a_class(), note="1")) != key_of(a_class())
