"""An AWS account beside a real control plane: machines join as nodes, or say why they cannot."""

import json

import pytest
import yaml

from e2e.aws_rig import an_account

pytestmark = pytest.mark.e2e

NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEKS_CNI_Policy",
    "AmazonEC2ContainerRegistryReadOnly",
    "AmazonSSMManagedInstanceCore",
)
TRUST_EC2 = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "ec2.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


@pytest.fixture(scope="module")
def account(programs):
    """The hand-made account, before anybody has installed an autoscaler."""
    with an_account(programs, "hand-made", "standin") as made:
        yield made


@pytest.fixture(scope="module")
def network(account):
    """What machines need of the account: subnets, the cluster's group, the image."""
    told = account.client("eks").describe_cluster(name=account.name)["cluster"]
    group = account.client("eks").describe_nodegroup(
        clusterName=account.name, nodegroupName="main"
    )["nodegroup"]
    path = f"/aws/service/eks/optimized-ami/{told['version']}/amazon-linux-2023/x86_64/standard"
    image = account.client("ssm").get_parameter(Name=f"{path}/recommended/image_id")
    [members] = [
        reservation["Instances"]
        for reservation in account.client("ec2").describe_instances(
            Filters=[{"Name": "tag:eks:nodegroup-name", "Values": ["spare"]}]
        )["Reservations"]
    ]
    return {
        "cluster": told,
        "vpc": told["resourcesVpcConfig"]["vpcId"],
        "subnets": group["subnets"],
        "group": told["resourcesVpcConfig"]["clusterSecurityGroupId"],
        "image": image["Parameter"]["Value"],
        "profile": members[0]["IamInstanceProfile"]["Arn"],
    }


def user_data(cluster, **changes):
    config = {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "cluster": {
                "name": cluster["name"],
                "apiServerEndpoint": cluster["endpoint"],
                "certificateAuthority": cluster["certificateAuthority"]["data"],
                "cidr": "10.96.0.0/16",
                **changes,
            },
            "kubelet": {"config": {"maxPods": 20}, "flags": ["--node-labels=team=a"]},
        },
    }
    return yaml.safe_dump(config)


def launch(account, network, **changes):
    """Start a machine that has all it needs but for the changes; give its id."""
    asked = {
        "ImageId": network["image"],
        "InstanceType": "m5.large",
        "SubnetId": network["subnets"][0],
        "SecurityGroupIds": [network["group"]],
        "IamInstanceProfile": {"Arn": network["profile"]},
        "UserData": user_data(network["cluster"]),
        **changes,
    }
    made = account.client("ec2").run_instances(MinCount=1, MaxCount=1, **asked)
    return made["Instances"][0]["InstanceId"]


def make_role(account, name, policies=NODE_POLICIES):
    """Make a role of a node and the instance profile of the same name."""
    iam = account.client("iam")
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(TRUST_EC2))
    for policy in policies:
        iam.attach_role_policy(RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{policy}")
    iam.create_instance_profile(InstanceProfileName=name)
    iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=name)
    return made["Role"]["Arn"]


def let_in(account, role):
    """Add a role to aws-auth, as a person edits it."""
    found = account.get("configmap", "aws-auth", "-n", "kube-system")
    mapped = yaml.safe_load(found["data"]["mapRoles"])
    mapped.append({**mapped[0], "rolearn": role})
    patch = {"data": {"mapRoles": yaml.safe_dump(mapped)}}
    account.kubectl("patch", "configmap", "aws-auth", "-n", "kube-system", "-p", json.dumps(patch))


def ready(node):
    conditions = (node or {}).get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Ready"), None)


def test_the_machines_of_node_groups_are_nodes(account):
    nodes = account.get("nodes", "-l", "eks.amazonaws.com/nodegroup")["items"]

    assert sorted(node["metadata"]["labels"]["eks.amazonaws.com/nodegroup"] for node in nodes) == [
        "main",
        "main",
        "spare",
    ]
    assert all(ready(node)["status"] == "True" for node in nodes)
    account.wait_for(
        "coredns runs",
        lambda: (
            account.get("deployment", "coredns", "-n", "kube-system")["status"].get("readyReplicas")
            == 2
        ),
    )


def test_a_machine_joins_as_its_user_data_says_and_takes_its_node_along(account, network):
    ec2 = account.client("ec2")
    instance_id = launch(account, network)
    node = account.wait_for("it joins", lambda: account.node_of(instance_id))
    account.wait_for("Ready", lambda: ready(account.node_of(instance_id))["status"] == "True")
    [told] = ec2.describe_instances(InstanceIds=[instance_id])["Reservations"][0]["Instances"]

    ec2.terminate_instances(InstanceIds=[instance_id])

    assert node["metadata"]["name"] == told["PrivateDnsName"]
    assert node["metadata"]["labels"]["team"] == "a"
    assert node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == "m5.large"
    assert node["spec"]["providerID"] == (
        f"aws:///{told['Placement']['AvailabilityZone']}/{instance_id}"
    )
    assert node["status"]["allocatable"]["pods"] == "20"
    account.wait_for("its node is gone", lambda: account.node_of(instance_id) is None)


WINDOWS = "/aws/service/ami-windows-latest/Windows_Server"
FAMILIES = {
    "AL2": (
        "/aws/service/eks/optimized-ami/1.32/amazon-linux-2/recommended/image_id",
        "#!/bin/bash\n/etc/eks/bootstrap.sh {name} --kubelet-extra-args '--node-labels=team=a'\n",
    ),
    "Bottlerocket": (
        "/aws/service/bottlerocket/aws-k8s-{version}/x86_64/latest/image_id",
        """[settings.kubernetes]
cluster-name = "{name}"
api-server = "{endpoint}"
cluster-certificate = "{authority}"
node-labels = {{team = "a"}}
""",
    ),
    "Windows2022": (
        f"{WINDOWS}-2022-English-Core-EKS_Optimized-{{version}}/image_id",
        """<powershell>
& "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1" -EKSClusterName '{name}' `
  -APIServerEndpoint '{endpoint}' -Base64ClusterCA '{authority}' `
  -KubeletExtraArgs '--node-labels=team=a'
</powershell>""",
    ),
}


def test_every_family_of_images_joins_by_its_own_user_data(account, network):
    told = network["cluster"]
    facts = {
        "name": told["name"],
        "endpoint": told["endpoint"],
        "authority": told["certificateAuthority"]["data"],
    }
    started = {}
    for family, (parameter, text) in FAMILIES.items():
        path = parameter.format(version=told["version"])
        image = account.client("ssm").get_parameter(Name=path)["Parameter"]["Value"]
        data = text.format(**facts)
        started[family] = launch(account, network, ImageId=image, UserData=data)

    for family, instance_id in started.items():
        node = account.wait_for(
            f"{family} joins: {account.console_of(instance_id)}",
            lambda instance_id=instance_id: account.node_of(instance_id),
        )
        system = "windows" if family.startswith("Windows") else "linux"
        assert node["metadata"]["labels"]["team"] == "a"
        assert node["metadata"]["labels"]["kubernetes.io/os"] == system


def test_a_machine_that_is_stopped_falls_silent_and_comes_back(account, network):
    ec2 = account.client("ec2")
    instance_id = launch(account, network)

    def status():
        return (ready(account.node_of(instance_id)) or {}).get("status")

    account.wait_for("Ready", lambda: status() == "True")
    ec2.stop_instances(InstanceIds=[instance_id])
    account.wait_for("silent", lambda: status() == "Unknown")
    stopped = account.node_of(instance_id)["spec"]["taints"]
    # The kubelet falls silent while the machine is still stopping.
    ec2.get_waiter("instance_stopped").wait(
        InstanceIds=[instance_id], WaiterConfig={"Delay": 1, "MaxAttempts": 60}
    )
    ec2.start_instances(InstanceIds=[instance_id])
    account.wait_for("Ready again", lambda: status() == "True")

    assert "node.cloudprovider.kubernetes.io/shutdown" in [one["key"] for one in stopped]


def a_lone_subnet(account, network, cidr, *, routed):
    """Make one more subnet in the cluster's VPC, on the NAT gateway's route or on none."""
    ec2 = account.client("ec2")
    zone = ec2.describe_subnets(SubnetIds=network["subnets"][:1])["Subnets"][0]
    subnet = ec2.create_subnet(
        VpcId=network["vpc"], CidrBlock=cidr, AvailabilityZone=zone["AvailabilityZone"]
    )["Subnet"]["SubnetId"]
    if routed:
        [table] = ec2.describe_route_tables(
            Filters=[{"Name": "association.subnet-id", "Values": network["subnets"][:1]}]
        )["RouteTables"]
        ec2.associate_route_table(RouteTableId=table["RouteTableId"], SubnetId=subnet)
    return subnet


def a_full_subnet(account, network):
    """Make a subnet with one free address, for the machine itself."""
    ec2 = account.client("ec2")
    subnet = a_lone_subnet(account, network, "10.20.250.0/28", routed=True)
    free = ec2.describe_subnets(SubnetIds=[subnet])["Subnets"][0]["AvailableIpAddressCount"]
    for _ in range(free - 1):
        ec2.create_network_interface(SubnetId=subnet)
    return subnet


@pytest.fixture(scope="module")
def troubled(account, network):
    """Machines that each lack one thing, by the name of what they lack."""
    ec2 = account.client("ec2")
    make_role(account, "stranger")
    let_in(account, make_role(account, "powerless", policies=()))
    let_in(account, make_role(account, "no-plugin", (NODE_POLICIES[0], NODE_POLICIES[2])))
    closed = ec2.create_security_group(
        GroupName="closed", Description="lets nobody in", VpcId=network["vpc"]
    )["GroupId"]
    key = account.client("kms").create_key()["KeyMetadata"]["KeyId"]
    account.client("kms").disable_key(KeyId=key)
    volume = {"VolumeSize": 20, "Encrypted": True, "KmsKeyId": key}
    lone = a_lone_subnet(account, network, "10.20.251.0/24", routed=False)
    changes = {
        "user data": {"UserData": "#!/bin/bash\necho hello"},
        "name": {"UserData": user_data(network["cluster"], name="sohp")},
        "authority": {"UserData": user_data(network["cluster"], certificateAuthority="Q0E=")},
        "access": {"IamInstanceProfile": {"Name": "stranger"}},
        "policies": {"IamInstanceProfile": {"Name": "powerless"}},
        "plugin policy": {"IamInstanceProfile": {"Name": "no-plugin"}},
        "group": {"SecurityGroupIds": [closed]},
        "way out": {"SubnetId": lone},
        "addresses": {"SubnetId": a_full_subnet(account, network)},
        "key": {"BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": volume}]},
    }
    return {name: launch(account, network, **change) for name, change in changes.items()}


@pytest.mark.parametrize(
    ("lack", "said"),
    [
        ("user data", "no config in chain"),
        ("name", "cluster sohp, which does not exist"),
        ("authority", "certificate signed by unknown authority"),
        ("access", "does not name arn:aws:iam::123456789012:role/stranger"),
        ("policies", "not authorized to perform ec2:DescribeInstances"),
        ("group", "lets TCP 443 in"),
        ("way out", "has no default route"),
    ],
)
def test_a_machine_that_cannot_join_runs_and_its_console_says_why(account, troubled, lack, said):
    instance_id = troubled[lack]

    account.wait_for(f"the console says: {said}", lambda: said in account.console_of(instance_id))

    [told] = account.client("ec2").describe_instances(InstanceIds=[instance_id])["Reservations"]
    assert told["Instances"][0]["State"]["Name"] == "running"
    assert account.node_of(instance_id) is None


@pytest.mark.parametrize(
    ("lack", "said"),
    [
        ("plugin policy", "may not ec2:AssignPrivateIpAddresses"),
        ("addresses", "InsufficientFreeAddressesInSubnet"),
    ],
)
def test_a_node_without_its_network_plugin_joins_and_stays_unready(account, troubled, lack, said):
    node = account.wait_for("it joins", lambda: account.node_of(troubled[lack]))
    found = account.wait_for("it says why", lambda: ready(account.node_of(troubled[lack])))

    assert found["status"] == "False"
    assert said in found["message"]
    assert node["metadata"]["labels"]["team"] == "a"


def test_a_machine_whose_key_is_disabled_ends_at_once(account, troubled):
    def ended():
        [found] = account.client("ec2").describe_instances(InstanceIds=[troubled["key"]])[
            "Reservations"
        ][0]["Instances"]
        return found if found["State"]["Name"] == "terminated" else None

    told = account.wait_for("it ends", ended)

    assert told["StateReason"]["Code"] == "Client.InvalidKMSKey.InvalidState"
    assert account.node_of(troubled["key"]) is None


def test_what_is_mended_lets_the_machine_join(account, troubled):
    let_in(account, "arn:aws:iam::123456789012:role/stranger")
    account.client("iam").attach_role_policy(
        RoleName="no-plugin", PolicyArn=f"arn:aws:iam::aws:policy/{NODE_POLICIES[1]}"
    )

    for lack in ("access", "plugin policy"):
        account.wait_for(
            f"{lack} is mended",
            lambda lack=lack: (
                (ready(account.node_of(troubled[lack])) or {}).get("status") == "True"
            ),
        )


def test_the_guides_for_an_install_by_hand_can_be_followed_with_aws_cli(account, network, tmp_path):
    name = account.name
    told = account.aws("eks", "describe-cluster", "--name", name)["cluster"]
    number = account.aws("sts", "get-caller-identity")["Account"]
    trust = tmp_path / "trust.json"
    trust.write_text(json.dumps(TRUST_EC2))
    issuer = told["identity"]["oidc"]["issuer"].removeprefix("https://")
    pods = tmp_path / "pods.json"
    pods.write_text(json.dumps(a_trust(f"arn:aws:iam::{number}:oidc-provider/{issuer}", issuer)))
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps(a_flat_policy(told["arn"])))
    node_role, controller = f"HandNodeRole-{name}", f"HandControllerRole-{name}"
    profile = f"HandProfile-{name}"

    iam = "iam"
    role = ("--role-name", node_role)
    account.aws(iam, "create-role", *role, "--assume-role-policy-document", f"file://{trust}")
    for one in NODE_POLICIES:
        arn = f"arn:aws:iam::aws:policy/{one}"
        account.aws(iam, "attach-role-policy", *role, "--policy-arn", arn)
    account.aws(iam, "create-instance-profile", "--instance-profile-name", profile)
    account.aws(iam, "add-role-to-instance-profile", "--instance-profile-name", profile, *role)
    role = ("--role-name", controller)
    account.aws(iam, "create-role", *role, "--assume-role-policy-document", f"file://{pods}")
    account.aws(
        iam,
        "put-role-policy",
        *role,
        "--policy-name",
        "flat",
        "--policy-document",
        f"file://{policy}",
    )
    groups = tag_for_discovery(account)
    let_in(account, f"arn:aws:iam::{number}:role/{node_role}")

    attached = account.aws(iam, "list-attached-role-policies", "--role-name", node_role)
    assert {one["PolicyName"] for one in attached["AttachedPolicies"]} == set(NODE_POLICIES)
    assert groups == [network["group"]]
    tagged = account.aws(
        "ec2", "describe-subnets", "--filters", f"Name=tag:karpenter.sh/discovery,Values={name}"
    )
    assert {one["SubnetId"] for one in tagged["Subnets"]} == set(network["subnets"])
    # The proof of all of it: a machine with that profile becomes a node.
    joined = launch(account, network, IamInstanceProfile={"Name": profile})
    account.wait_for("it joins", lambda: account.node_of(joined))


def tag_for_discovery(account):
    """Tag subnets and groups of the node groups as the guides do; give the groups."""
    cluster = ("--cluster-name", account.name)
    tag = f"Key=karpenter.sh/discovery,Value={account.name}"
    names = account.aws("eks", "list-nodegroups", *cluster, "--query", "nodegroups")
    for name in names:
        subnets = account.aws(
            "eks",
            "describe-nodegroup",
            *cluster,
            "--nodegroup-name",
            name,
            "--query",
            "nodegroup.subnets",
        )
        account.aws("ec2", "create-tags", "--tags", tag, "--resources", *subnets)
    template = account.aws(
        "eks",
        "describe-nodegroup",
        *cluster,
        "--nodegroup-name",
        names[0],
        "--query",
        "nodegroup.launchTemplate",
    )
    [groups] = account.aws(
        "ec2",
        "describe-launch-template-versions",
        "--launch-template-id",
        template["id"],
        "--versions",
        template["version"],
        "--query",
        "LaunchTemplateVersions[0].LaunchTemplateData.[NetworkInterfaces[0].Groups||SecurityGroupIds]",
    )
    account.aws("ec2", "create-tags", "--tags", tag, "--resources", *groups)
    return groups


def a_trust(provider, issuer):
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Federated": provider},
                "Action": "sts:AssumeRoleWithWebIdentity",
                "Condition": {"StringEquals": {f"{issuer}:aud": "sts.amazonaws.com"}},
            }
        ],
    }


def a_flat_policy(cluster_arn):
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": ["ec2:Describe*", "ec2:RunInstances"], "Resource": "*"},
            {"Effect": "Allow", "Action": "eks:DescribeCluster", "Resource": cluster_arn},
        ],
    }
