"""The gate over the wire: calls refused and let through as by AWS."""

import pytest

from builders.callers import FOREIGN, IMAGE, launch, launch_template, refusal, specifications, tags
from builders.controller_policies import ACCOUNT, REGION, flat_document, scoped_document


def test_an_unknown_key_is_the_root_and_may_do_anything(cloud):
    assert cloud.client("ec2").describe_vpcs()["Vpcs"]


@pytest.mark.parametrize(
    ("asked", "code", "needed"),
    [
        (("ec2", "describe_vpcs"), "UnauthorizedOperation", "ec2:DescribeVpcs on resource: *"),
        (("iam", "list_roles"), "AccessDenied", "iam:ListRoles on resource: *"),
        (("events", "list_rules"), "AccessDeniedException", "events:ListRules on resource: *"),
        (
            ("ssm", "get_parameter", {"Name": IMAGE}),
            "AccessDeniedException",
            f"ssm:GetParameter on resource: arn:aws:ssm:{REGION}::parameter{IMAGE}",
        ),
        (
            ("eks", "describe_cluster", {"name": "demo"}),
            "AccessDeniedException",
            f"eks:DescribeCluster on resource: arn:aws:eks:{REGION}:{ACCOUNT}:cluster/demo",
        ),
        (
            ("sqs", "get_queue_url", {"QueueName": "demo"}),
            "AccessDenied",
            f"sqs:GetQueueUrl on resource: arn:aws:sqs:{REGION}:{ACCOUNT}:demo",
        ),
    ],
)
def test_a_user_without_policies_is_refused_in_the_words_of_each_service(
    cloud, asked, code, needed
):
    service, call, *params = asked
    found, message = refusal(getattr(cloud.user()(service), call), **(params[0] if params else {}))

    assert found == code
    assert (
        f"User: arn:aws:iam::{ACCOUNT}:user/ada is not authorized to perform: {needed}" in message
    )
    assert "because no identity-based policy allows" in message


def test_who_one_is_may_always_be_asked(cloud):
    deny = {"Effect": "Deny", "Action": "*", "Resource": "*"}
    ada = cloud.user({"Version": "2012-10-17", "Statement": [deny]})

    assert ada("sts").get_caller_identity()["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/ada"


def test_the_scoped_controller_launches_tags_and_ends_its_own_machines_only(cloud):
    image, subnet = cloud.nodes()
    ec2 = cloud.controller(scoped_document())("ec2")
    launch_template(ec2, image)
    assert refusal(launch, ec2=ec2, subnet=subnet, DryRun=True)[0] == "DryRunOperation"
    ours = launch(ec2, subnet)["Instances"][0]["InstanceIds"][0]
    root = cloud.client("ec2")
    foreign = root.run_instances(
        ImageId=image,
        InstanceType="m5.large",
        SubnetId=subnet,
        MinCount=1,
        MaxCount=1,
        TagSpecifications=specifications(FOREIGN, "instance"),
    )["Instances"][0]["InstanceId"]

    ec2.create_tags(Resources=[ours], Tags=tags({"Name": "node", "karpenter.sh/nodeclaim": "c"}))
    assert refusal(ec2.create_tags, Resources=[ours], Tags=tags({"team": "a"}))[0] == (
        "UnauthorizedOperation"
    )
    code, message = refusal(ec2.terminate_instances, InstanceIds=[ours, foreign])
    assert code == "UnauthorizedOperation"
    assert f"ec2:TerminateInstances on resource: arn:aws:ec2:{REGION}:{ACCOUNT}:instance/{foreign}" in message  # fmt: skip
    assert refusal(ec2.terminate_instances, InstanceIds=["i-0123456789abcdef0"])[0] == (
        "InvalidInstanceID.NotFound"
    )
    assert ec2.terminate_instances(InstanceIds=[ours])["TerminatingInstances"]
    ec2.delete_launch_template(LaunchTemplateName="nodes")


def test_a_fleet_without_its_tags_is_refused(cloud):
    image, subnet = cloud.nodes()
    ec2 = cloud.controller(scoped_document())("ec2")
    launch_template(ec2, image)
    code, message = refusal(launch, ec2=ec2, subnet=subnet, wanted=FOREIGN)

    assert code == "UnauthorizedOperation"
    assert f"ec2:CreateFleet on resource: arn:aws:ec2:{REGION}:{ACCOUNT}:fleet/*" in message


def test_what_only_the_launch_is_refused_is_an_error_of_the_fleet(cloud):
    image, subnet = cloud.nodes()
    policy = scoped_document()
    policy["Statement"] = [one for one in policy["Statement"] if one["Action"] != "iam:PassRole"]
    ec2 = cloud.controller(policy)("ec2")
    launch_template(ec2, image)

    assert refusal(launch, ec2=ec2, subnet=subnet, DryRun=True)[0] == "DryRunOperation"
    answer = launch(ec2, subnet)
    assert answer["Instances"] == []
    assert [one["ErrorCode"] for one in answer["Errors"]] == ["UnauthorizedOperation"]
    assert "iam:PassRole on resource: " in answer["Errors"][0]["ErrorMessage"]


def test_the_flat_policy_cannot_end_what_it_launched(cloud):
    image, subnet = cloud.nodes()
    ec2 = cloud.controller(flat_document())("ec2")
    launch_template(ec2, image)
    node = launch(ec2, subnet)["Instances"][0]["InstanceIds"][0]
    ec2.create_tags(Resources=[node], Tags=tags({"Name": "ip-10-0-0-1.ec2.internal"}))

    assert refusal(ec2.terminate_instances, InstanceIds=[node])[0] == "UnauthorizedOperation"
    ec2.create_tags(Resources=[node], Tags=tags({"Name": "karpenter.sh/provisioner-name/x"}))
    assert ec2.terminate_instances(InstanceIds=[node])["TerminatingInstances"]
