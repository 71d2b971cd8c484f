"""A stand-in's account with everything that a class of machines needs, and the class itself."""

import json

import msgspec

from builders.awsclients import a_gateway, a_user
from builders.awsdrafts import a_cluster
from builders.awslaunches import a_launch, a_spec
from builders.standin import a_network
from nodewright.aws.cloud import AwsCloud, Options
from nodewright.aws.images import ImageFinder
from nodewright.aws.machines import instance_of
from nodewright.aws.network import find_groups, find_subnets
from nodewright.aws.policy import Account, policies
from nodewright.aws.profiles import Profiles
from nodewright.model.ec2nodeclass import EC2NodeClass, EC2NodeClassStatus, SubnetStatus
from nodewright.model.metadata import Condition, NodeSelectorRequirement, ObjectMeta
from nodewright.sandbox.aws.ec2 import happenings

ROLE = "KarpenterNodeRole-demo"
TAG = {"karpenter.sh/discovery": "demo"}
SMALL = ("m5.large", "m6i.large", "c5.large")


def make_account(standin):
    """Make a network with our tags, a role for nodes, a queue and a user of the controller."""
    network = a_network(standin)
    ec2, iam = standin.client("ec2"), standin.client("iam")
    tags = [{"Key": key, "Value": value} for key, value in TAG.items()]
    ec2.create_tags(Resources=[*network.subnets, network.group], Tags=tags)
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=json.dumps(trust))
    iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    standin.client("sqs").create_queue(QueueName="demo")
    happenings.set_depth(standin.account, standin.account.region, "*/*/*", 1_000_000)
    account = Account(
        account_id="123456789012",
        region=standin.account.region,
        cluster="demo",
        node_role=f"arn:aws:iam::123456789012:role/{ROLE}",
        queue="demo",
    )
    keys = a_user(standin, "controller", policies(account))
    return network, keys


def a_class(name="standard", **spec):
    """A class that finds the account's network by its tags."""
    written = {
        "subnetSelectorTerms": [{"tags": TAG}],
        "securityGroupSelectorTerms": [{"tags": TAG}],
        "role": ROLE,
        **spec,
    }
    meta = ObjectMeta(name=name, uid=f"uid-{name}", generation=1)
    return EC2NodeClass(meta, a_spec(**written))


async def resolve(gateway, node_class, cluster=None):
    """Give a class with the status that its selectors lead to."""
    cluster = cluster or a_cluster()
    spec = node_class.spec
    subnets = await find_subnets(gateway, spec.subnet_selector_terms)
    ready = Condition(type="Ready", status="True", observed_generation=1)
    status = EC2NodeClassStatus(
        subnets=tuple(
            SubnetStatus(id=one.id, zone=one.zone, zone_id=one.zone_id) for one in subnets
        ),
        security_groups=await find_groups(gateway, spec.security_group_selector_terms),
        amis=await ImageFinder(gateway, gateway._clock).find(spec, cluster.version),
        instance_profile=await Profiles(gateway, gateway._clock, cluster).ensure(node_class),
        conditions=(ready,),
    )
    return msgspec.structs.replace(node_class, status=status)


def a_cloud(standin, keys=("test", "test"), **options):
    """The cloud of the demo cluster, and the gateway behind it."""
    gateway = a_gateway(standin, keys)
    return AwsCloud(gateway, gateway._clock, a_cluster(), Options(**options)), gateway


def wants(key, *values):
    """A requirement that a label has one of these values."""
    return NodeSelectorRequirement(key=key, operator="In", values=values)


def a_request(node_class, number, *expressions, types=SMALL, **more):
    """A launch for a claim of that number."""
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
    """What EC2 says of the machine that was launched."""
    found = standin.client("ec2").describe_instances(
        InstanceIds=[instance_of(launched.machine.provider_id)]
    )
    return found["Reservations"][0]["Instances"][0]
