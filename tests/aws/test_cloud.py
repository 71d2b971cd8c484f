"""The cloud that is EC2, on a stand-in that judges every call by the generated policy alone."""

import msgspec
import pytest

from builders.awsaccounts import (
    a_class,
    a_cloud,
    a_request,
    instance,
    make_account,
    resolve,
)
from nodewright.aws.calls import CALLS
from nodewright.aws.machines import instance_of
from nodewright.aws.shifts import FRESH_MS
from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import SEEN_MEMORY
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from nodewright.model.metadata import Condition, Taint
from nodewright.ports.cloud import Ended, Launched, LaunchFault, Unavailable
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import decode

REGION = "us-west-2"
MADE = set()


@pytest.fixture(scope="module")
def account(standin):
    return make_account(standin)


@pytest.fixture(scope="module")
def keys(account):
    return account[1]


@pytest.fixture(scope="module")
def shared(standin, keys):
    """One cloud for many tests: it asks for types and prices once."""
    cloud, gateway = a_cloud(standin, keys, queue="demo")
    yield cloud, gateway
    gateway.close()


@pytest.fixture
def cloud(shared):
    return shared[0]


@pytest.fixture
async def node_class(shared):
    return await resolve(shared[1], a_class())


@pytest.fixture(autouse=True)
def plenty(standin, account):
    """Leave nothing sold out behind, and remember what was called."""
    yield
    MADE.update(
        one.name
        for one in standin.account.calls.named()
        if one.principal.endswith("user/controller")
    )
    happenings.set_depth(standin.account, REGION, "*/*/*", 1_000_000)


async def test_a_machine_lives_from_its_launch_to_its_end(standin, cloud, node_class):
    taint = Taint(key="a", effect="NoSchedule")
    launched = await cloud.launch(a_request(node_class, "life", taints=(taint,)))
    found = instance(standin, launched)

    assert isinstance(launched, Launched), launched
    tags = {one["Key"]: one["Value"] for one in found["Tags"]}
    assert tags["karpenter.sh/nodeclaim"] == "default-life"
    assert tags["kubernetes.io/cluster/demo"] == "owned"
    assert found["IamInstanceProfile"]["Arn"].endswith(node_class.status.instance_profile)
    assert launched.labels[INSTANCE_TYPE] == found["InstanceType"]
    assert launched.labels[ZONE] == found["Placement"]["AvailabilityZone"]
    assert launched.labels[CAPACITY_TYPE] == "spot"
    assert launched.machine.image_id == found["ImageId"]
    assert 0 < launched.allocatable["cpu"] < launched.capacity["cpu"] == 2000
    assert launched.annotations["karpenter.k8s.aws/ec2nodeclass-hash-version"] == "nodewright-v1"
    profile = launched.annotations["karpenter.k8s.aws/instance-profile-name"]
    assert profile == node_class.status.instance_profile

    described = await cloud.describe(launched.machine.provider_id)
    assert described.provider_id == launched.machine.provider_id
    assert described.capacity_type == "spot"
    assert described.subnet_id in {one.id for one in node_class.status.subnets}
    assert described.security_groups == tuple(one.id for one in node_class.status.security_groups)
    assert described in await cloud.list_machines()
    assert await cloud.terminate(launched.machine.provider_id) is Ended.ACCEPTED
    ended = await cloud.describe(launched.machine.provider_id)
    assert (ended.is_alive, ended.ended_because != "") == (False, True)
    assert await cloud.terminate(launched.machine.provider_id) is Ended.GONE


async def test_the_machine_is_told_what_its_family_understands(standin, cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "boot"))
    data = standin.client("ec2").describe_instance_attribute(
        InstanceId=instance_of(launched.machine.provider_id), Attribute="userData"
    )
    boot = read_al2023(decode(data["UserData"]["Value"]))

    assert boot.cluster_name == "demo"
    assert boot.labels["karpenter.sh/capacity-type"] == "spot"
    assert boot.max_pods == launched.capacity["pods"] // 1000
    assert boot.taints[-1].key == "karpenter.sh/unregistered"


async def test_the_same_token_gives_the_same_machine(cloud, node_class):
    request = a_request(node_class, "token")
    first, second = await cloud.launch(request), await cloud.launch(request)

    assert first.machine.provider_id == second.machine.provider_id


async def test_a_lost_answer_starts_no_second_machine(standin, cloud, node_class):
    standin.account.faults.set("ec2.CreateFleet", Switch("lost", times=1))
    request = a_request(node_class, "lost")
    first = await cloud.launch(request)
    second = await cloud.launch(request)
    mine = [
        one
        for one in await cloud.list_machines()
        if one.tags.get("karpenter.sh/nodeclaim") == "default-lost"
    ]

    assert (first.fault, first.reason) == (LaunchFault.TRANSIENT, "Unreachable")
    assert [one.provider_id for one in mine] == [second.machine.provider_id]


async def test_a_token_with_other_words_is_spent(cloud, node_class):
    await cloud.launch(a_request(node_class, "words"))
    again = await cloud.launch(a_request(node_class, "words", types=("m5.xlarge",)))

    assert again.fault is LaunchFault.SPENT


async def test_without_spot_the_same_pass_takes_on_demand(standin, cloud, node_class):
    happenings.set_depth(standin.account, REGION, "r5.large/*/spot", 0)
    launched = await cloud.launch(a_request(node_class, "fallback", types=("r5.large",)))

    assert launched.machine.capacity_type == "on-demand"
    types = await cloud.instance_types(node_class)
    [kind] = [one for one in types if one.name == "r5.large"]
    assert kind.capacity_types == {"on-demand"}


async def test_what_nobody_has_left_is_for_want_of_capacity(standin, cloud, node_class):
    happenings.set_depth(standin.account, REGION, "r5.xlarge/*/*", 0)
    failed = await cloud.launch(a_request(node_class, "none", types=("r5.xlarge",)))

    assert failed.fault is LaunchFault.NO_CAPACITY
    assert "r5.xlarge" in failed.message
    again = await cloud.launch(a_request(node_class, "none2", types=("r5.xlarge",)))
    assert again.fault is LaunchFault.NO_CAPACITY
    asked = standin.account.calls.named("ec2.CreateFleet")
    assert len(asked) == 2


async def test_what_nodes_have_shown_replaces_what_was_reckoned(standin, keys, node_class):
    image = next(one for one in node_class.status.amis if "x86_64-standard" in one.name)
    shown = (SeenNode("m5.large", image.id, 7_000_000_000_000),)
    cloud, gateway = a_cloud(standin, keys, nodes=lambda: shown)
    types = {one.name: one for one in await cloud.instance_types(node_class)}
    note = cloud.note_memory(node_class)
    gateway.close()
    meta = msgspec.structs.replace(node_class.metadata, annotations={SEEN_MEMORY: note})
    noted = msgspec.structs.replace(node_class, metadata=meta)
    other, gateway = a_cloud(standin, keys)
    later = {one.name: one for one in await other.instance_types(noted)}
    gateway.close()

    assert types["m5.large"].capacity["memory"] == 7_000_000_000_000
    assert types["m5.xlarge"].capacity["memory"] > 14_000_000_000_000
    # Another process without any node knows it from the class.
    assert later["m5.large"].capacity["memory"] == 7_000_000_000_000
    assert other.note_memory(noted) == note


async def test_a_template_deleted_behind_our_back_is_made_again(standin, cloud, node_class):
    await cloud.launch(a_request(node_class, "first"))
    ec2 = standin.client("ec2")
    for one in ec2.describe_launch_templates()["LaunchTemplates"]:
        if one["LaunchTemplateName"].startswith("karpenter.k8s.aws/"):
            ec2.delete_launch_template(LaunchTemplateName=one["LaunchTemplateName"])

    assert isinstance(await cloud.launch(a_request(node_class, "second")), Launched)


async def test_templates_that_nobody_needs_are_deleted(standin, shared, node_class):
    cloud, gateway = shared
    await cloud.launch(a_request(node_class, "collect"))
    templates = cloud._launcher.templates
    assert await templates.collect() == 0
    gateway._clock.now += 60_000

    assert await templates.collect() >= 1
    left = standin.client("ec2").describe_launch_templates()["LaunchTemplates"]
    assert [one for one in left if one["LaunchTemplateName"].startswith("karpenter.k8s")] == []


async def test_a_refusal_is_told_and_the_token_is_spent(standin, keys, cloud, node_class):
    odd = msgspec.structs.replace(
        node_class, status=msgspec.structs.replace(node_class.status, instance_profile="nobody")
    )
    request = a_request(odd, "refused")
    failed = await cloud.launch(request)

    assert (failed.fault, failed.reason) == (LaunchFault.REFUSED, "InstanceProfileNameInvalid")
    assert (await cloud.launch(request)).fault is LaunchFault.SPENT


async def test_a_class_that_is_not_ready_launches_nothing(standin, cloud, node_class):
    conditions = (Condition(type="Ready", status="False", message="no subnets"),)
    status = msgspec.structs.replace(node_class.status, conditions=conditions)
    odd = msgspec.structs.replace(node_class, status=status)
    failed = await cloud.launch(a_request(odd, "unready"))

    assert failed.fault is LaunchFault.CLASS_NOT_READY
    assert "no subnets" in failed.message
    assert (await cloud.launch(a_request(None, "none"))).fault is LaunchFault.CLASS_NOT_READY


async def test_a_class_that_was_not_looked_at_yet_is_waited_for(cloud, node_class):
    bare = msgspec.structs.replace(node_class.status, conditions=())
    unseen = msgspec.structs.replace(node_class, status=bare)
    meta = msgspec.structs.replace(node_class.metadata, generation=2)
    changed = msgspec.structs.replace(node_class, metadata=meta)
    answers = [await cloud.launch(a_request(one, "unseen")) for one in (unseen, changed)]

    assert [one.fault for one in answers] == [LaunchFault.TRANSIENT] * 2


async def test_user_data_that_cannot_be_merged_is_the_class_s_fault(shared):
    cloud, gateway = shared
    spec = {"amiSelectorTerms": [{"alias": "bottlerocket@latest"}], "userData": "[settings"}
    odd = await resolve(gateway, a_class("odd", **spec))
    failed = await cloud.launch(a_request(odd, "odd"))

    assert (failed.fault, failed.reason) == (LaunchFault.CLASS_NOT_READY, "NW-3014")


async def test_throttled_launches_succeed_in_the_end(standin, cloud, node_class):
    standin.account.faults.set("ec2.CreateFleet", Switch("throttle", times=3))

    assert isinstance(await cloud.launch(a_request(node_class, "slow")), Launched)


async def test_a_cloud_that_does_not_answer_says_so(standin, cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "mute"))
    standin.account.faults.set("ec2.DescribeInstances", Switch("deny"))

    assert isinstance(await cloud.list_machines(), Unavailable)
    assert isinstance(await cloud.describe(launched.machine.provider_id), Unavailable)
    assert await cloud.terminate(launched.machine.provider_id) is Ended.TRY_AGAIN


async def test_names_that_are_not_ec2_s_are_nobody(cloud):
    assert await cloud.describe("kwok://x") is None
    assert await cloud.terminate("kwok://x") is Ended.GONE


def test_no_call_was_made_that_the_table_does_not_have():
    assert {"ec2.CreateFleet", "ec2.TerminateInstances"} <= MADE
    assert {one.name for one in CALLS.values()} >= MADE


async def test_machines_of_a_zone_that_the_cluster_is_moved_away_from_are_left_alone(
    standin, account, keys
):
    arn = standin.client("eks").create_cluster(
        name="demo",
        roleArn="arn:aws:iam::123456789012:role/eks",
        resourcesVpcConfig={"subnetIds": list(account[0].subnets)},
    )["cluster"]["arn"]
    cloud, gateway = a_cloud(standin, keys, heeds_shifts=True)
    node_class = await resolve(gateway, a_class("shifted"))
    made = (await cloud.launch(a_request(node_class, "shifted"))).machine
    [zone] = {one.zone_id for one in node_class.status.subnets if one.zone == made.zone}
    arc = standin.client("arc-zonal-shift")
    shift = arc.start_zonal_shift(
        resourceIdentifier=arn, awayFrom=zone, expiresIn="1h", comment="flood"
    )
    gateway._clock.now += FRESH_MS

    assert isinstance(await cloud.describe(made.provider_id), Unavailable)
    assert await cloud.terminate(made.provider_id) is Ended.TRY_AGAIN
    assert await cloud.is_left_alone(made.provider_id)
    arc.cancel_zonal_shift(zonalShiftId=shift["zonalShiftId"])
    gateway._clock.now += FRESH_MS
    assert (await cloud.describe(made.provider_id)).provider_id == made.provider_id
    assert await cloud.terminate(made.provider_id) is Ended.ACCEPTED
    gateway.close()
