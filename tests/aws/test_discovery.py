"""The cluster, as EKS describes it."""

from builders.awsdrafts import a_cluster
from nodewright.aws.discovery import discover_cluster
from nodewright.aws.gateway import Fault


async def test_what_is_told_is_not_asked_for(standin, gateway):
    assert await discover_cluster(gateway, a_cluster()) == a_cluster()
    assert standin.account.calls.named() == ()


async def test_eks_fills_in_what_is_missing(standin, gateway):
    role = "arn:aws:iam::123456789012:role/eks"
    ec2 = standin.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{n}.0/24", AvailabilityZone=f"us-west-2{z}")[
            "Subnet"
        ]["SubnetId"]
        for n, z in enumerate("ab")
    ]
    standin.client("eks").create_cluster(
        name="found", version="1.34", roleArn=role, resourcesVpcConfig={"subnetIds": subnets}
    )
    told = a_cluster("found", endpoint="https://own", authority="", service_range="", version="")
    found = await discover_cluster(gateway, told)

    assert found.endpoint == "https://own"
    assert found.authority
    assert found.service_range.endswith("/16")
    assert found.version == "1.34"


async def test_a_cluster_that_is_not_there_is_told(gateway):
    assert isinstance(await discover_cluster(gateway, a_cluster("nobody", endpoint="")), Fault)
