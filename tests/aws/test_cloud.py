"""The cloud that is EC2, on a stand-in that judges every call by the generated policy alone."""

import json

import msgspec
import pytest

from builders.awsaccounts import a_class, a_cloud, make_account, resolve
from builders.awslaunches import a_launch
from nodewright.aws.calls import CALLS
from nodewright.aws.machines import instance_of
from nodewright.controllers.ports import Memory
from nodewright.core.disruption.classdrift import ClassJudge
from nodewright.model.cloudview import SeenNode
from nodewright.model.ec2nodeclass import AMIStatus, SecurityGroupStatus, SubnetStatus
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from nodewright.model.metadata import Condition, NodeSelectorRequirement, ObjectMeta, Taint
from nodewright.model.nodeclaim import NodeClaim, NodeClaimStatus
from nodewright.ports.cloud import Ended, Launched, LaunchFault, QueueFault, Unavailable
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.kubelet.nodeadm import read_al2023
from nodewright.sandbox.kubelet.parts import decode

REGION = "us-west-2"
SMALL = ("m5.large", "m6i.large", "c5.large")
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


def wants(key, *values):
    return NodeSelectorRequirement(key=key, operator="In", values=values)


def a_request(node_class, number, *expressions, types=SMALL, **more):
    return a_launch(
        *expressions,
        token=f"uid-{number}-0",
        claim=f"default-{number}",
        claim_uid=f"uid-{number}",
        node_class=node_class,
        instance_types=types,
        labels={"karpenter.sh/nodepool": "default"},
        **more,
    )


def instance(standin, launched):
    found = standin.client("ec2").describe_instances(
        InstanceIds=[instance_of(launched.machine.provider_id)]
    )
    return found["Reservations"][0]["Instances"][0]


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


async def test_spot_that_may_not_be_bought_is_left_alone_for_a_while(standin, keys, node_class):
    cloud, gateway = a_cloud(standin, keys)
    code = "AuthFailure.ServiceLinkedRoleCreationNotPermitted"
    refused = Switch("error", code=code, status=403, times=1)
    standin.account.faults.set("ec2.CreateFleet", refused)
    launched = await cloud.launch(a_request(node_class, "no-role"))
    types = await cloud.instance_types(node_class)
    gateway.close()

    assert launched.machine.capacity_type == "on-demand"
    assert {kind for one in types for kind in one.capacity_types} == {"on-demand"}


async def test_what_nobody_has_left_is_for_want_of_capacity(standin, cloud, node_class):
    happenings.set_depth(standin.account, REGION, "r5.xlarge/*/*", 0)
    failed = await cloud.launch(a_request(node_class, "none", types=("r5.xlarge",)))

    assert failed.fault is LaunchFault.NO_CAPACITY
    assert "r5.xlarge" in failed.message
    again = await cloud.launch(a_request(node_class, "none2", types=("r5.xlarge",)))
    assert again.fault is LaunchFault.NO_CAPACITY
    asked = standin.account.calls.named("ec2.CreateFleet")
    assert len(asked) == 2


async def test_reserved_capacity_is_used_first(standin, shared):
    cloud, gateway = shared
    made = standin.client("ec2").create_capacity_reservation(
        InstanceType="r6i.large",
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-west-2b",
        InstanceCount=1,
        InstanceMatchCriteria="targeted",
    )["CapacityReservation"]["CapacityReservationId"]
    terms = [{"id": made}]
    node_class = await resolve(gateway, a_class("kept", capacityReservationSelectorTerms=terms))
    first = await cloud.launch(a_request(node_class, "kept", types=("r6i.large",)))
    second = await cloud.launch(a_request(node_class, "kept2", types=("r6i.large",)))

    assert (first.machine.capacity_type, first.machine.zone) == ("reserved", "us-west-2b")
    assert first.labels["karpenter.k8s.aws/capacity-reservation-id"] == made
    assert instance(standin, first)["CapacityReservationId"] == made
    assert second.machine.capacity_type == "spot"
    assert (await cloud.describe(first.machine.provider_id)).capacity_type == "reserved"
    # The second knew that nothing was left, before EC2 was asked again.
    tried = standin.account.calls.named("ec2.CreateFleet")
    assert len(tried) == 2
    standin.client("ec2").cancel_capacity_reservation(CapacityReservationId=made)
    assert (await cloud.describe(first.machine.provider_id)).capacity_type == "on-demand"


def a_group(standin, name, **more):
    made = standin.client("ec2").create_placement_group(GroupName=name, **more)
    return made["PlacementGroup"]["GroupId"]


async def test_machines_lie_in_the_placement_group_of_their_class(standin, shared):
    cloud, gateway = shared
    group = a_group(standin, "near", Strategy="cluster")
    node_class = await resolve(gateway, a_class("near", placementGroupSelector={"name": "near"}))
    launched = await cloud.launch(a_request(node_class, "near", types=("t3.micro", "c5.large")))

    assert instance(standin, launched)["Placement"]["GroupId"] == group
    # Burstable types cannot lie in a cluster.
    assert launched.machine.instance_type == "c5.large"
    assert launched.labels["karpenter.k8s.aws/placement-group-id"] == group
    assert (await cloud.describe(launched.machine.provider_id)).placement_group == "near"
    lost = await resolve(gateway, a_class("lost", placementGroupSelector={"name": "nowhere"}))
    failed = await cloud.launch(a_request(lost, "lost-group"))
    assert failed.fault is LaunchFault.CLASS_NOT_READY


async def test_the_lowest_partition_that_is_allowed_is_taken_or_ec2_chooses(standin, shared):
    cloud, gateway = shared
    a_group(standin, "parts", Strategy="partition", PartitionCount=3)
    node_class = await resolve(gateway, a_class("parts", placementGroupSelector={"name": "parts"}))
    key = "karpenter.k8s.aws/placement-group-partition"
    chosen = await cloud.launch(a_request(node_class, "part-2", wants(key, "3", "2")))
    free = await cloud.launch(a_request(node_class, "part-any"))

    assert chosen.labels[key] == "2"
    assert instance(standin, chosen)["Placement"]["PartitionNumber"] == 2
    assert free.labels[key] == str(instance(standin, free)["Placement"]["PartitionNumber"])
    none = await cloud.launch(a_request(node_class, "part-none", wants(key, "9")))
    assert none.fault is LaunchFault.NO_CAPACITY


async def test_a_full_spread_group_closes_its_zone_for_itself_alone(standin, shared, node_class):
    cloud, gateway = shared
    a_group(standin, "apart", Strategy="spread")
    spread = await resolve(gateway, a_class("apart", placementGroupSelector={"name": "apart"}))
    zone, kind = wants(ZONE, "us-west-2a"), wants(CAPACITY_TYPE, "on-demand")
    for number in range(7):
        made = await cloud.launch(a_request(spread, f"apart-{number}", zone, kind))
        assert isinstance(made, Launched), made
    full = await cloud.launch(a_request(spread, "apart-7", zone, kind))

    assert full.fault is LaunchFault.NO_CAPACITY
    types = await cloud.instance_types(spread)
    open_zones = {one.zone for each in types for one in each.offerings if one.available}
    assert open_zones == {"us-west-2b", "us-west-2c"}
    assert isinstance(await cloud.launch(a_request(node_class, "beside", zone, kind)), Launched)


async def test_what_nodes_have_shown_replaces_what_was_reckoned(standin, keys, node_class):
    image = next(one for one in node_class.status.amis if "x86_64-standard" in one.name)
    shown = (SeenNode("m5.large", image.id, 7_000_000_000_000),)
    cloud, gateway = a_cloud(standin, keys, nodes=lambda: shown)
    types = {one.name: one for one in await cloud.instance_types(node_class)}
    gateway.close()

    assert types["m5.large"].capacity["memory"] == 7_000_000_000_000
    assert types["m5.xlarge"].capacity["memory"] > 14_000_000_000_000


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"associatePublicIPAddress": True},
        {"placementGroupSelector": {"name": "drifting"}},
        {"amiSelectorTerms": [{"alias": "bottlerocket@latest"}]},
    ],
)
async def test_a_machine_that_was_just_launched_has_not_drifted(standin, shared, spec):
    cloud, gateway = shared
    if "placementGroupSelector" in spec:
        a_group(standin, "drifting", Strategy="spread")
    node_class = await resolve(gateway, a_class(f"drift-{sorted(spec)}", **spec))
    launched = await cloud.launch(a_request(node_class, f"drift-{sorted(spec)}"))
    claim = NodeClaim(
        ObjectMeta(name="c", labels=launched.labels, annotations=launched.annotations),
        status=NodeClaimStatus(
            provider_id=launched.machine.provider_id, image_id=launched.machine.image_id
        ),
    )
    types = {one.name: one for one in await cloud.instance_types(node_class)}
    machines = Memory().view(await cloud.list_machines()).machines

    def judged(node_class):
        return ClassJudge(machines).judge(claim, node_class, types[launched.machine.instance_type])

    def with_status(**status):
        changed = msgspec.structs.replace(node_class.status, **status)
        return msgspec.structs.replace(node_class, status=changed)

    assert judged(node_class).reason == ""
    assert len(judged(node_class).settled) == 6
    elsewhere = (SubnetStatus(id="subnet-0", zone="us-west-2a"),)
    assert judged(with_status(subnets=elsewhere)).reason == "SubnetDrift"
    groups = (SecurityGroupStatus(id="sg-0"),)
    assert judged(with_status(security_groups=groups)).reason == "SecurityGroupDrift"
    assert judged(with_status(amis=(AMIStatus(id="ami-0"),))).reason == "AMIDrift"
    await cloud.terminate(launched.machine.provider_id)


async def test_a_fleet_goes_by_the_user_s_prices(standin, cloud, node_class):
    types = {one.name: one for one in await cloud.instance_types(node_class)}
    dear = types["m5.large"]
    offerings = tuple(msgspec.structs.replace(one, price=1) for one in dear.offerings)
    overlaid = (msgspec.structs.replace(dear, offerings=offerings),)
    kind = wants(CAPACITY_TYPE, "on-demand")
    launched = await cloud.launch(
        a_request(node_class, "overlaid", kind, overlaid=overlaid, types=("m5.large", "c5.large"))
    )
    [asked] = standin.account.calls.named("ec2.CreateFleet")

    assert asked.params["OnDemandOptions"]["AllocationStrategy"] == "prioritized"
    assert isinstance(launched, Launched), launched
    fuse = msgspec.structs.replace(dear, capacity={**dear.capacity, "example.com/fuse": 1000})
    wanted = {"example.com/fuse": 1000}
    made = await cloud.launch(
        a_request(node_class, "fuse", overlaid=(fuse,), requests=wanted, types=("m5.large",))
    )
    assert made.capacity["example.com/fuse"] == 1000


@pytest.mark.parametrize(("is_relaxed", "context"), [(False, "here"), (True, None)])
async def test_a_context_is_passed_on_unless_values_were_relaxed(
    standin, shared, is_relaxed, context
):
    cloud, gateway = shared
    node_class = await resolve(gateway, a_class("context", context="here"))
    await cloud.launch(a_request(node_class, f"context-{is_relaxed}", is_relaxed=is_relaxed))
    [asked] = standin.account.calls.named("ec2.CreateFleet")

    assert asked.params.get("Context") == context


async def test_requirements_choose_zone_and_capacity_type(cloud, node_class):
    zone, kind = wants(ZONE, "us-west-2b"), wants(CAPACITY_TYPE, "on-demand")
    launched = await cloud.launch(a_request(node_class, "where", zone, kind))

    assert (launched.machine.zone, launched.machine.capacity_type) == ("us-west-2b", "on-demand")


async def test_a_zone_without_a_subnet_gives_nothing(cloud, node_class):
    failed = await cloud.launch(a_request(node_class, "zone", wants(ZONE, "us-west-2d")))

    assert failed.fault is LaunchFault.NO_CAPACITY


async def test_both_architectures_get_their_own_image(standin, cloud, node_class):
    types = ("m6g.large", "m5.large")
    await cloud.launch(a_request(node_class, "arch", types=types))
    [asked] = standin.account.calls.named("ec2.CreateFleet")
    configs = asked.params["LaunchTemplateConfigs"]
    images = {
        (one["InstanceType"], one["ImageId"]) for config in configs for one in config["Overrides"]
    }

    assert len(configs) == 2
    assert len(images) == 2


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


async def test_a_warning_names_the_machine_and_the_claim_it_was_made_for(
    standin, cloud, node_class
):
    launched = await cloud.launch(a_request(node_class, "warned", types=("c6i.large",)))
    machine = instance_of(launched.machine.provider_id)
    body = {
        "version": "0",
        "source": "aws.ec2",
        "detail-type": "EC2 Spot Instance Interruption Warning",
        "time": "2026-01-01T00:00:00Z",
        "detail": {"instance-id": machine, "instance-action": "terminate"},
    }
    sqs = standin.client("sqs")
    url = sqs.get_queue_url(QueueName="demo")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(body))
    [notice] = await cloud.receive_notices()

    assert notice.kind == "spot_interrupted"
    assert (notice.machines, notice.claims) == ((machine,), ("default-warned",))
    assert await cloud.acknowledge((notice.receipt,)) == 1
    left = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert left["ApproximateNumberOfMessagesNotVisible"] == "0"


async def test_what_was_taken_back_is_not_on_sale_for_a_while(cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "taken", types=("c6i.xlarge",)))
    cloud.mark_unavailable(launched.labels)
    types = await cloud.instance_types(node_class)

    [kind] = [one for one in types if one.name == "c6i.xlarge"]
    sold = {one.zone for one in kind.offerings if one.capacity_type == "spot" and not one.available}
    assert sold == {launched.machine.zone}


async def test_without_a_queue_nothing_is_heard(standin, account):
    cloud, gateway = a_cloud(standin)
    answer = await cloud.receive_notices()
    gateway.close()

    assert (answer.fault, answer.retry_after_ms > 0) == (QueueFault.UNSET, True)


async def test_a_missing_queue_is_told(standin, account):
    cloud, gateway = a_cloud(standin, queue="nowhere")
    answer = await cloud.receive_notices()
    gateway.close()

    assert (answer.fault, answer.retry_after_ms > 0) == (QueueFault.MISSING, True)


async def test_machines_that_are_unwell_are_told(standin, cloud, node_class):
    launched = await cloud.launch(a_request(node_class, "unwell"))
    machine = instance_of(launched.machine.provider_id)
    assert machine not in {one.machine for one in await cloud.statuses()}
    happenings.impair(standin.account, machine)
    [one] = [one for one in await cloud.statuses() if one.machine == machine]

    assert (one.impaired_check, one.impaired_since_ms is not None) == ("instance_status", True)


async def test_what_may_not_be_asked_is_logged_once(standin, cloud, caplog):
    standin.account.faults.set("ec2.Describe*", Switch("deny"))
    answers = [await cloud.statuses() for _ in range(3)]

    assert all(isinstance(one, Unavailable) for one in answers)
    assert [one.levelname for one in caplog.records] == 3 * ["WARNING"]


def test_no_call_was_made_that_the_table_does_not_have():
    assert {"ec2.CreateFleet", "ec2.TerminateInstances", "sqs.DeleteMessageBatch"} <= MADE
    assert {one.name for one in CALLS.values()} >= MADE
