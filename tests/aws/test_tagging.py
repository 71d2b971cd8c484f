"""Tags on machines that run already."""

import asyncio

import pytest

from builders.awsaccounts import a_class, a_cloud, make_account, resolve
from builders.awsclients import a_gateway
from builders.awsdrafts import a_cluster
from builders.awslaunches import a_launch
from nodewright.aws.classes import open_classes
from nodewright.aws.machines import instance_of
from nodewright.aws.tagging import BETWEEN_MS, Tagger
from nodewright.sandbox.aws.faults import Switch


@pytest.fixture(scope="module")
def keys(standin):
    return make_account(standin)[1]


@pytest.fixture
def door(standin, keys):
    made = a_gateway(standin, keys)
    yield made
    made.close()


async def launched(standin, keys, name, **spec):
    cloud, gateway = a_cloud(standin, keys)
    node_class = await resolve(gateway, a_class(name, **spec))
    request = a_launch(
        token=f"{name}-0", claim=name, node_class=node_class, instance_types=("m5.large",)
    )
    answer = await cloud.launch(request)
    gateway.close()
    return answer.machine.provider_id


def tags(standin, provider_id):
    found = standin.client("ec2").describe_instances(InstanceIds=[instance_of(provider_id)])
    return {one["Key"]: one["Value"] for one in found["Reservations"][0]["Instances"][0]["Tags"]}


async def test_the_generated_policy_lets_a_machine_be_named(standin, keys, door):
    provider_id = await launched(standin, keys, "named")
    classes = open_classes(door, door._clock, a_cluster())

    wanted = {"Name": "ip-1", "karpenter.sh/nodeclaim": "other"}
    assert await classes.tag(provider_id, wanted) is None
    assert tags(standin, provider_id)["Name"] == "ip-1"
    assert tags(standin, provider_id)["karpenter.sh/nodeclaim"] == "named"
    standin.account.calls.clear()
    assert await classes.tag(provider_id, {"Name": "ip-2"}) is None
    assert standin.account.calls.named("ec2.CreateTags") == ()


async def test_a_name_that_the_user_gave_is_kept(standin, keys, door):
    provider_id = await launched(standin, keys, "own", tags={"Name": "mine"})
    classes = open_classes(door, door._clock, a_cluster())
    await classes.tag(provider_id, {"Name": "ip-1"})

    assert tags(standin, provider_id)["Name"] == "mine"


async def test_one_call_a_second_at_most(standin, keys, door):
    ids = [instance_of(await launched(standin, keys, f"pace-{n}")) for n in range(3)]
    tagger = Tagger(door, door._clock, "demo")
    began = door._clock.now
    await asyncio.gather(*(tagger.tag(one, {"Name": one}) for one in ids))

    assert door._clock.now - began >= 2 * BETWEEN_MS


async def test_trouble_is_told_and_what_is_gone_needs_no_tags(standin, keys, door):
    provider_id = await launched(standin, keys, "denied")
    classes = open_classes(door, door._clock, a_cluster())
    standin.account.faults.set("ec2.CreateTags", Switch("deny"))

    assert (await classes.tag(provider_id, {"Name": "x"})).reason == "Unauthorized"
    assert await classes.tag("aws:///a/i-0000000000000dead", {"Name": "x"}) is None
