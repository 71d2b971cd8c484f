"""Builders for the AWS stand-in: clients of a running server, and a network to launch into."""

import base64
import functools
import json

import boto3
import msgspec
from botocore.config import Config

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.server import Server

ONCE = Config(retries={"total_max_attempts": 1}, read_timeout=30)
AL2023 = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/{}/standard/recommended/image_id"


class Standin:
    """A running stand-in and the clients that talk to it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.account: Account = server.account

    @functools.cache  # noqa: B019 - it lives as long as its tests.
    def client(self, service, key="test", secret="test", token=None):
        return boto3.client(
            service,
            endpoint_url=self.server.url,
            region_name=self.account.region,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=ONCE,
        )

    def image(self, arch="x86_64"):
        found = self.client("ssm").get_parameter(Name=AL2023.format(arch))
        return found["Parameter"]["Value"]


class Network(msgspec.Struct, frozen=True):
    """A VPC with three subnets in three zones, a group, a profile and a launch template."""

    vpc: str
    subnets: tuple[str, ...]
    group: str
    template: str


def a_network(standin, name="net", size=20):
    """Make a network; the subnets have 2^(32-size) addresses each."""
    ec2, iam = standin.client("ec2"), standin.client("iam")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    zones = [f"{standin.account.region}{letter}" for letter in "abc"]
    subnets = tuple(
        ec2.create_subnet(
            VpcId=vpc, CidrBlock=f"10.0.{16 * index}.0/{size}", AvailabilityZone=zone
        )["Subnet"]["SubnetId"]
        for index, zone in enumerate(zones)
    )
    group = ec2.create_security_group(VpcId=vpc, GroupName=name, Description=name)["GroupId"]
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
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    template = a_template(standin, f"{name}/template", group, name)
    return Network(vpc, subnets, group, template)


def a_template(standin, name, group, profile, **more):
    """Make a launch template as an autoscaler does, and give its name."""
    data = {
        "ImageId": standin.image(),
        "UserData": base64.b64encode(b"#!/bin/bash\ntrue\n").decode(),
        "IamInstanceProfile": {"Name": profile},
        "NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [group]}],
        "BlockDeviceMappings": [
            {
                "DeviceName": "/dev/xvda",
                "Ebs": {"VolumeSize": 30, "VolumeType": "gp3", "Encrypted": True},
            }
        ],
        "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 1},
        "TagSpecifications": [
            {"ResourceType": "network-interface", "Tags": [{"Key": "card", "Value": "yes"}]}
        ],
        **more,
    }
    standin.client("ec2").create_launch_template(
        LaunchTemplateName=name,
        LaunchTemplateData={key: value for key, value in data.items() if value is not None},
    )
    return name


def a_fleet(network, types=("m5.large",), kind="on-demand", count=1, **more):
    """Give the parameters of CreateFleet: every type in every subnet."""
    strategies = {
        "SpotOptions": {"AllocationStrategy": "price-capacity-optimized"},
        "OnDemandOptions": {"AllocationStrategy": "lowest-price"},
    }
    return {
        "Type": "instant",
        "TargetCapacitySpecification": {
            "TotalTargetCapacity": count,
            "DefaultTargetCapacityType": kind,
        },
        "LaunchTemplateConfigs": [
            {
                "LaunchTemplateSpecification": {
                    "LaunchTemplateName": network.template,
                    "Version": "$Latest",
                },
                "Overrides": [
                    {"InstanceType": one, "SubnetId": subnet}
                    for one in types
                    for subnet in network.subnets
                ],
            }
        ],
        **strategies,
        **more,
    }


def ids_of(fleet):
    """Give the instances of a fleet's answer."""
    return [number for one in fleet["Instances"] for number in one["InstanceIds"]]


def error_of(raised):
    """Give the code of a client's error."""
    return raised.value.response["Error"]["Code"]
