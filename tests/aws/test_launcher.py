"""Launches on a stand-in: what is bought, where it is put, and what it is told."""

import msgspec
import pytest

from builders.awsaccounts import (
    ROLE,
    a_class,
    a_cloud,
    a_request,
    instance,
    make_account,
    resolve,
    wants,
)
from builders.awsclients import a_gateway
from builders.awsdrafts import a_cluster
from nodewright.aws.cloud import AwsCloud
from nodewright.controllers.ports import Memory
from nodewright.core.disruption.classdrift import ClassJudge
from nodewright.model.ec2nodeclass import AMIStatus, SecurityGroupStatus, SubnetStatus
from nodewright.model.labels import CAPACITY_TYPE, ZONE
from nodewright.model.metadata import NodeSelectorRequirement, ObjectMeta
from nodewright.model.nodeclaim import NodeClaim, NodeClaimStatus
from nodewright.ports.cloud import Launched, LaunchFault
from nodewright.sandbox.aws.ec2 import happenings
from nodewright.sandbox.aws.faults import Switch
from nodewright.sandbox.kubelet.parts import decode

REGION = "us-west-2"


@pytest.fixture(scope="module")
def keys(standin):
    return make_account(standin)[1]


@pytest.fixture(scope="module")
def shared(standin, keys):
    """One cloud for many tests: it asks for types and prices once."""
    cloud, gateway = a_cloud(standin, keys)
    yield cloud, gateway
    gateway.close()


@pytest.fixture
def cloud(shared):
    return shared[0]


@pytest.fixture
async def node_class(shared):
    return await resolve(shared[1], a_class())


@pytest.fixture(autouse=True)
def plenty(standin):
    """Leave nothing sold out behind."""
    yield
    happenings.set_depth(standin.account, REGION, "*/*/*", 1_000_000)


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


async def test_a_reservation_that_turns_out_empty_is_not_asked_for_again(standin, shared):
    cloud, gateway = shared
    ec2 = standin.client("ec2")
    made = ec2.create_capacity_reservation(
        InstanceType="r6i.xlarge",
        InstancePlatform="Linux/UNIX",
        AvailabilityZone="us-west-2b",
        InstanceCount=1,
        InstanceMatchCriteria="targeted",
    )["CapacityReservation"]["CapacityReservationId"]
    terms = [{"id": made}]
    node_class = await resolve(gateway, a_class("empty", capacityReservationSelectorTerms=terms))
    await cloud.instance_types(node_class)
    ec2.run_instances(
        MinCount=1,
        MaxCount=1,
        ImageId=standin.image(),
        InstanceType="r6i.xlarge",
        SubnetId=next(one.id for one in node_class.status.subnets if one.zone == "us-west-2b"),
        CapacityReservationSpecification={
            "CapacityReservationTarget": {"CapacityReservationId": made}
        },
    )
    standin.account.calls.clear()
    first = await cloud.launch(a_request(node_class, "empty", types=("r6i.xlarge",)))
    second = await cloud.launch(a_request(node_class, "empty2", types=("r6i.xlarge",)))

    assert first.machine.capacity_type == second.machine.capacity_type == "spot"
    assert {(one.zone, one.capacity_type) for one in first.refused} == {("us-west-2b", "reserved")}
    assert second.refused == ()
    # Reserved and spot the first time, spot alone the second.
    assert len(standin.account.calls.named("ec2.CreateFleet")) == 3


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


async def test_a_class_of_older_days_launches_what_it_says(standin, keys):
    cluster = msgspec.structs.replace(a_cluster(), version="1.32")
    gateway = a_gateway(standin, keys)
    cloud = AwsCloud(gateway, gateway._clock, cluster)
    iam = standin.client("iam")
    iam.create_instance_profile(InstanceProfileName="given")
    iam.add_role_to_instance_profile(InstanceProfileName="given", RoleName=ROLE)
    disk = {"volumeSize": "30Gi", "volumeType": "gp3", "iops": 3000, "throughput": 125}
    spec = {
        "amiSelectorTerms": [{"alias": "al2@latest"}],
        "role": None,
        "instanceProfile": "given",
        "tags": {"Name": "team/default", "auto-delete": "no"},
        "kubelet": {"evictionMaxPodGracePeriod": 60},
        "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {**disk, "encrypted": True}}],
        "detailedMonitoring": True,
        "metadataOptions": {"httpPutResponseHopLimit": 2},
    }
    node_class = await resolve(gateway, a_class("older", **spec), cluster)
    generation = NodeSelectorRequirement(
        key="karpenter.k8s.aws/instance-generation", operator="Gt", values=("3",)
    )
    categories = wants("karpenter.k8s.aws/instance-category", "c", "m", "r", "t")
    nitro = wants("karpenter.k8s.aws/instance-hypervisor", "nitro")
    zones = wants(ZONE, "us-west-2a", "us-west-2c")
    requests = {"cpu": 1475, "memory": 1686 * 1024**2 * 1000, "pods": 6000}
    wanted = (generation, categories, nitro, zones)
    launched = await cloud.launch(
        a_request(node_class, "older", *wanted, types=(), requests=requests)
    )
    found = instance(standin, launched)
    data = standin.client("ec2").describe_instance_attribute(
        InstanceId=found["InstanceId"], Attribute="userData"
    )
    gateway.close()
    tags = {one["Key"]: one["Value"] for one in found["Tags"]}

    assert (tags["Name"], tags["auto-delete"]) == ("team/default", "no")
    assert found["IamInstanceProfile"]["Arn"].endswith("/given")
    assert found["Monitoring"]["State"] == "enabled"
    assert found["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
    assert found["Placement"]["AvailabilityZone"] in ("us-west-2a", "us-west-2c")
    assert launched.labels["karpenter.k8s.aws/instance-category"] in "cmrt"
    assert int(launched.labels["karpenter.k8s.aws/instance-generation"]) > 3
    assert "--eviction-max-pod-grace-period=60" in decode(data["UserData"]["Value"])
    volumes = standin.client("ec2").describe_volumes(
        Filters=[{"Name": "attachment.instance-id", "Values": [found["InstanceId"]]}]
    )["Volumes"]
    assert [(one["Size"], one["VolumeType"], one["Encrypted"]) for one in volumes] == [
        (30, "gp3", True)
    ]


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
