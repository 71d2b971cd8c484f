"""AWS as machines and the control plane see it, asked of a stand-in."""

import pytest

from nodewright.sandbox.accounts import roles, scenario
from nodewright.sandbox.accounts.network import make_vpc
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server
from nodewright.sandbox.kubelet.cloud import INSIDER_KEY, Cloud, Keys
from nodewright.sandbox.kubelet.family import image_of
from nodewright.sandbox.kubelet.rights import ALL

IMAGE = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"


@pytest.fixture(scope="module")
def keys():
    """A stand-in, with the key of its own parts."""
    with Server(Account("us-west-2", Timing(boot_ms=0))) as server:
        yield Keys(server.url, "us-west-2", INSIDER_KEY)


@pytest.fixture(scope="module")
def vpc(keys):
    return make_vpc(keys, scenario.read("fresh").network)


@pytest.fixture
def cloud(keys):
    return Cloud(keys)


@pytest.fixture(scope="module")
def role(keys):
    """A node's role in a profile of the same name."""
    arn = roles.make_role(keys.client("iam"), "node", roles.TRUST_EC2, roles.NODE_POLICIES)
    roles.make_profile(keys.client("iam"), "node", "node")
    return arn


@pytest.fixture(scope="module")
def instances(keys, vpc, role):
    """One machine in a private subnet and one in a public one."""
    image = keys.client("ssm").get_parameter(Name=IMAGE)["Parameter"]["Value"]
    for subnet in (vpc.private[0], vpc.public[0]):
        keys.client("ec2").run_instances(
            ImageId=image,
            InstanceType="m5.large",
            MinCount=1,
            MaxCount=1,
            SubnetId=subnet,
            IamInstanceProfile={"Name": "node"},
            UserData="#!/bin/sh\n",
        )
    found = Cloud(keys).instances()
    return {("private" if one.subnet_id in vpc.private else "public"): one for one in found}


def test_a_machine_is_seen_with_all_that_its_node_needs(cloud, instances):
    one = instances["private"]

    assert one.type == "m5.large"
    assert one.dns_name == f"ip-{one.address.replace('.', '-')}.us-west-2.compute.internal"
    assert image_of(cloud.image_name(one.image_id)).family == "AL2023"
    assert cloud.user_data(one.id) == "IyEvYmluL3NoCg=="
    assert cloud.disks(one) == (("/dev/xvda", 20),)
    assert cloud.zone_id(one.subnet_id).startswith("usw2-az")


def test_private_machines_go_out_by_nat_and_public_ones_with_their_own_address(cloud, instances):
    private, public = (cloud.site(instances[kind], None) for kind in ("private", "public"))

    assert (private.route, private.has_public_address) == ("nat", False)
    assert (public.route, public.has_public_address) == ("internet", True)
    assert private.free_count > 1000
    assert private.has_dns


def test_a_role_is_found_by_its_profile_and_asked_for_its_rights(cloud, instances, role):
    assert cloud.role_of(instances["private"].profile) == role
    assert cloud.allowed(role) == set(ALL)


def test_rights_that_are_taken_away_are_missed_at_the_next_look(cloud, keys):
    iam = keys.client("iam")
    arn = roles.make_role(iam, "poor", roles.TRUST_EC2, (roles.WORKER,))
    before = cloud.allowed(arn)
    iam.detach_role_policy(RoleName="poor", PolicyArn=f"arn:aws:iam::aws:policy/{roles.WORKER}")

    assert "ec2:DescribeInstances" in before
    assert cloud.allowed(arn) == before
    cloud.look_anew()
    assert cloud.allowed(arn) == frozenset()


def test_what_is_gone_is_nothing(cloud):
    assert cloud.cluster("no-such") is None
    assert cloud.role_of("arn:aws:iam::123456789012:instance-profile/no-such") == ""
    assert cloud.role_of("") == ""
    assert cloud.image_name("ami-00000000000000000") == ""
