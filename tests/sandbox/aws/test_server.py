"""The stand-in as a program of its own, and how much it can carry."""

import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import boto3
import msgspec
import pytest

from builders.standin import ONCE, a_fleet, ids_of

START_CPU_S = 5.0
THOUSAND_CPU_S = 60.0


def post(url, **asked):
    request = urllib.request.Request(url, data=msgspec.json.encode(asked))
    with urllib.request.urlopen(request) as answer:
        return msgspec.json.decode(answer.read())


@pytest.fixture
def program():
    """A stand-in in a process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nodewright.sandbox.aws.server", "--region", "eu-west-1"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def cpu_s(pid):
    """The processor time that a process has used, by Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_it_starts_in_seconds_and_answers_in_its_region(program):
    process, url = program
    health = post(f"{url}/_standin/health")
    used = cpu_s(process.pid)
    ec2 = boto3.client(
        "ec2", endpoint_url=url, region_name="eu-west-1", aws_access_key_id="x",
        aws_secret_access_key="y", config=ONCE,
    )  # fmt: skip
    zones = ec2.describe_availability_zones()["AvailabilityZones"]

    assert health == {"account": "123456789012", "ready": True, "region": "eu-west-1"}
    assert used < START_CPU_S
    assert {zone["RegionName"] for zone in zones} == {"eu-west-1"}


def test_its_doors_do_what_a_test_in_its_process_does(program):
    _, url = program
    ec2 = boto3.client(
        "ec2", endpoint_url=url, region_name="eu-west-1", aws_access_key_id="x",
        aws_secret_access_key="y", config=ONCE,
    )  # fmt: skip
    post(f"{url}/_standin/fault", name="ec2.DescribeVpcs", kind="throttle", times=1)
    with pytest.raises(ec2.exceptions.ClientError):
        ec2.describe_vpcs()
    calls = post(f"{url}/_standin/calls", name="ec2.DescribeVpcs")
    depth = post(f"{url}/_standin/depth", pattern="m5.large/*/*", depth=0)
    dump = post(f"{url}/_standin/dump")

    assert [(one["name"], one["fault"]) for one in calls] == [("ec2.DescribeVpcs", "throttle")]
    assert depth["offerings"] == 6
    assert dump["vpc"]


def test_a_thousand_machines_come_and_go_in_a_minute(standin, ec2, network):
    start = time.process_time()
    numbers = []
    for _ in range(10):
        numbers += ids_of(ec2.create_fleet(**a_fleet(network, count=100)))
    pages = ec2.get_paginator("describe_instances").paginate(
        Filters=[{"Name": "instance-state-name", "Values": ["running"]}]
    )
    found = [one["InstanceId"] for p in pages for r in p["Reservations"] for one in r["Instances"]]
    for index in range(0, 1_000, 500):
        ec2.terminate_instances(InstanceIds=numbers[index : index + 500])
    left = ec2.describe_instances(
        Filters=[{"Name": "instance-state-name", "Values": ["pending", "running"]}]
    )["Reservations"]

    assert sorted(found) == sorted(numbers)
    assert len(numbers) == 1_000
    assert left == []
    assert time.process_time() - start < THOUSAND_CPU_S


def test_aws_cli_talks_to_it(standin):
    tools = Path(sys.executable).parent
    script = (
        "aws sts get-caller-identity --query Account --output text && "
        "aws ec2 describe-instance-types --instance-types m5.large "
        "--query 'InstanceTypes[0].VCpuInfo.DefaultVCpus' --output text && "
        "aws eks list-clusters --output text"
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env={**standin.server.environment(), "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["123456789012", "2"]
