"""Managed node groups: a template that EKS makes, and machines that run."""

import base64

import pytest


@pytest.fixture(scope="module")
def cluster(make_cluster):
    return make_cluster("groups", version="1.34")


def group(eks, cluster, roles, name, subnets, **more):
    eks.create_nodegroup(
        clusterName=cluster["name"],
        nodegroupName=name,
        nodeRole=roles["node"],
        subnets=list(subnets),
        instanceTypes=["m5.large"],
        scalingConfig={"minSize": 0, "maxSize": 5, "desiredSize": 2},
        **more,
    )
    return eks.describe_nodegroup(clusterName=cluster["name"], nodegroupName=name)["nodegroup"]


def running(standin, name):
    filters = [
        {"Name": "tag:eks:nodegroup-name", "Values": [name]},
        {"Name": "instance-state-name", "Values": ["running"]},
    ]
    found = standin.client("ec2").describe_instances(Filters=filters)["Reservations"]
    return [one for reservation in found for one in reservation["Instances"]]


def groups_of(standin, told):
    [version] = standin.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=told["launchTemplate"]["id"],
        Versions=[told["launchTemplate"]["version"]],
    )["LaunchTemplateVersions"]
    data = version["LaunchTemplateData"]
    return (data.get("NetworkInterfaces") or [{}])[0].get("Groups") or data["SecurityGroupIds"]


def test_a_group_without_a_template_gets_one_with_the_cluster_group(
    standin, eks, cluster, roles, make_cluster
):
    told = group(eks, cluster, roles, "plain", make_cluster.network.subnets)
    machines = running(standin, "plain")

    assert groups_of(standin, told) == [cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]]
    assert told["version"] == "1.34"
    assert len(machines) == 2
    assert len({one["SubnetId"] for one in machines}) == 2
    data = standin.client("ec2").describe_instance_attribute(
        InstanceId=machines[0]["InstanceId"], Attribute="userData"
    )["UserData"]["Value"]
    text = base64.b64decode(data).decode()
    assert "kind: NodeConfig" in text
    assert "eks.amazonaws.com/nodegroup=plain" in text


def test_a_group_with_a_template_keeps_its_groups(standin, eks, cluster, roles, make_cluster):
    network = make_cluster.network
    made = standin.client("ec2").create_launch_template(
        LaunchTemplateName="own",
        LaunchTemplateData={"NetworkInterfaces": [{"DeviceIndex": 0, "Groups": [network.group]}]},
    )["LaunchTemplate"]
    asked = {"id": made["LaunchTemplateId"], "version": "1"}
    told = group(eks, cluster, roles, "own", network.subnets, launchTemplate=asked)
    [first, _] = running(standin, "own")

    assert told["launchTemplate"]["id"] == made["LaunchTemplateId"]
    assert groups_of(standin, told) == [network.group]
    assert [one["GroupId"] for one in first["SecurityGroups"]] == [network.group]


def test_a_group_grows_shrinks_and_goes(standin, eks, cluster, roles, make_cluster):
    group(eks, cluster, roles, "moves", make_cluster.network.subnets)
    counts = []
    for size in (3, 1):
        eks.update_nodegroup_config(
            clusterName=cluster["name"], nodegroupName="moves", scalingConfig={"desiredSize": size}
        )
        counts.append(len(running(standin, "moves")))
    eks.delete_nodegroup(clusterName=cluster["name"], nodegroupName="moves")
    counts.append(len(running(standin, "moves")))

    assert counts == [3, 1, 0]
