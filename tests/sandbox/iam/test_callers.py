"""Whose policies count, over the wire: groups, sessions, boundaries, trust, queues and keys."""

import json

import pytest

from builders.callers import a_token, allowing, document, refusal
from builders.controller_policies import ACCOUNT, REGION, scoped_document
from builders.policies import a_user
from nodewright.sandbox.aws.sts import service_trusts
from nodewright.sandbox.iam.evaluate import Layers, Request, evaluate
from nodewright.sandbox.iam.parse import Use, parse_policy


def test_groups_and_managed_policies_count_and_a_refusal_is_named(cloud):
    iam = cloud.client("iam")
    ada = cloud.user()
    iam.create_group(GroupName="readers")
    iam.add_user_to_group(GroupName="readers", UserName="ada")
    assert refusal(ada("ec2").describe_vpcs)[0] == "UnauthorizedOperation"
    read_only = "arn:aws:iam::aws:policy/AmazonEC2ReadOnlyAccess"
    iam.attach_group_policy(GroupName="readers", PolicyArn=read_only)
    assert ada("ec2").describe_vpcs()["Vpcs"]
    deny = {"Effect": "Deny", "Action": "ec2:DescribeVpcs", "Resource": "*"}
    made = iam.create_policy(
        PolicyName="no-vpcs",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [deny]}),
    )
    iam.attach_user_policy(UserName="ada", PolicyArn=made["Policy"]["Arn"])

    _, message = refusal(ada("ec2").describe_vpcs)
    assert f"explicit deny in an identity-based policy: {made['Policy']['Arn']}." in message


@pytest.mark.parametrize(
    ("subject", "audience"),
    [
        ("system:serviceaccount:karpenter:nodewright", "sts.amazonaws.com"),
        ("system:serviceaccount:nodewright:nodewright", "elsewhere"),
    ],
)
def test_a_token_of_another_namespace_or_audience_is_not_trusted(cloud, subject, audience):
    cloud.controller(scoped_document())
    code, message = refusal(
        cloud.client("sts").assume_role_with_web_identity,
        RoleArn=f"arn:aws:iam::{ACCOUNT}:role/controller",
        RoleSessionName="pod",
        WebIdentityToken=a_token(subject, audience),
    )

    assert code == "AccessDenied"
    assert message == "Not authorized to perform sts:AssumeRoleWithWebIdentity"


def test_a_role_is_taken_on_with_trust_and_permission_and_limited_by_its_session(cloud):
    trust = {
        "Action": "sts:AssumeRole",
        "Principal": {"AWS": ACCOUNT},
        "Condition": {"StringEquals": {"sts:ExternalId": "xx"}},
    }
    arn = cloud.role("reader", trust, allowing("ec2:Describe*", "sqs:*"))
    wanted = {"RoleArn": arn, "RoleSessionName": "s1", "ExternalId": "xx"}
    nobody, ada = cloud.user(name="bob"), cloud.user(allowing("sts:AssumeRole", resource=arn))

    assert "no identity-based policy" in refusal(nobody("sts").assume_role, **wanted)[1]
    wrong = {**wanted, "ExternalId": "yy"}
    assert "no role trust policy allows" in refusal(ada("sts").assume_role, **wrong)[1]
    limit = json.dumps(allowing("ec2:DescribeVpcs"))
    free = cloud.session(ada("sts").assume_role(**wanted)["Credentials"])
    limited = cloud.session(ada("sts").assume_role(**wanted, Policy=limit)["Credentials"])
    assert free("ec2").describe_subnets()["Subnets"]
    assert limited("ec2").describe_vpcs()["Vpcs"]
    assert "no session policy allows" in refusal(limited("ec2").describe_subnets)[1]


def test_a_boundary_limits_a_role(cloud):
    iam = cloud.client("iam")
    boundary = iam.create_policy(
        PolicyName="limit", PolicyDocument=json.dumps(allowing("ec2:DescribeVpcs"))
    )["Policy"]["Arn"]
    trust = {"Action": "sts:AssumeRole", "Principal": {"AWS": ACCOUNT}}
    arn = cloud.role("r", trust, allowing("*"), PermissionsBoundary=boundary)
    ada = cloud.user(allowing("sts:AssumeRole"))
    answer = ada("sts").assume_role(RoleArn=arn, RoleSessionName="s1")
    ec2 = cloud.session(answer["Credentials"])("ec2")

    assert ec2.describe_vpcs()["Vpcs"]
    assert "no permissions boundary allows" in refusal(ec2.describe_subnets)[1]


def test_a_boundary_limits_a_user_until_it_is_taken_away(cloud):
    iam = cloud.client("iam")
    boundary = iam.create_policy(
        PolicyName="limit", PolicyDocument=json.dumps(allowing("ec2:DescribeVpcs"))
    )["Policy"]["Arn"]
    ec2 = cloud.user(allowing("ec2:*"))("ec2")
    iam.put_user_permissions_boundary(UserName="ada", PermissionsBoundary=boundary)

    assert ec2.describe_vpcs()["Vpcs"]
    assert "no permissions boundary allows" in refusal(ec2.describe_subnets)[1]
    iam.delete_user_permissions_boundary(UserName="ada")
    assert ec2.describe_subnets()["Subnets"]


def test_a_queue_policy_lets_a_user_in_and_refuses_what_it_says(cloud):
    sqs = cloud.client("sqs")
    url = sqs.create_queue(QueueName="demo")["QueueUrl"]
    ada = cloud.user()("sqs")
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT}:demo"
    who = {"AWS": f"arn:aws:iam::{ACCOUNT}:user/ada"}
    policy = document({"Action": "sqs:SendMessage", "Resource": arn, "Principal": who})
    insecure = {"Bool": {"aws:SecureTransport": "false"}}
    policy["Statement"].append(
        {
            "Effect": "Deny",
            "Action": "sqs:*",
            "Resource": arn,
            "Principal": "*",
            "Condition": insecure,
        }
    )
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(policy)})

    assert ada.send_message(QueueUrl=url, MessageBody="x")["MessageId"]
    assert refusal(ada.receive_message, QueueUrl=url)[0] == "AccessDenied"


def test_a_key_without_rights_ends_the_machine_at_once(cloud):
    image, subnet = cloud.nodes()
    kms = cloud.client("kms")
    policy = document(
        {
            "Action": "kms:*",
            "Resource": "*",
            "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/kim"},
        }
    )
    key = kms.create_key(Policy=json.dumps(policy))["KeyMetadata"]["Arn"]
    ec2 = cloud.user(allowing("ec2:*", "iam:PassRole", "kms:*"))("ec2")

    def run():
        started = ec2.run_instances(
            ImageId=image,
            InstanceType="m5.large",
            SubnetId=subnet,
            MinCount=1,
            MaxCount=1,
            BlockDeviceMappings=[
                {"DeviceName": "/dev/xvda", "Ebs": {"Encrypted": True, "KmsKeyId": key}}
            ],
        )["Instances"][0]["InstanceId"]
        cloud.account.clock.skip(5_000)
        found = ec2.describe_instances(InstanceIds=[started])["Reservations"][0]["Instances"][0]
        return found["State"]["Name"]

    assert run() != "running"
    policy["Statement"].append(
        {"Effect": "Allow", "Action": "kms:*", "Resource": "*", "Principal": {"AWS": ACCOUNT}}
    )
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=json.dumps(policy))
    assert run() == "running"


def test_eventbridge_needs_the_queue_to_let_it_in(cloud):
    image, subnet = cloud.nodes()
    ec2, events, sqs = cloud.client("ec2"), cloud.client("events"), cloud.client("sqs")
    url = sqs.create_queue(QueueName="demo")["QueueUrl"]
    queue = f"arn:aws:sqs:{REGION}:{ACCOUNT}:demo"
    events.put_rule(Name="states", EventPattern=json.dumps({"source": ["aws.ec2"]}))
    events.put_targets(Rule="states", Targets=[{"Id": "1", "Arn": queue}])

    def heard(rule):
        sender = {"Service": "events.amazonaws.com"}
        only = {"ArnEquals": {"aws:SourceArn": f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{rule}"}}
        policy = document(
            {"Action": "sqs:SendMessage", "Resource": queue, "Principal": sender, "Condition": only}
        )
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(policy)})
        ec2.run_instances(
            ImageId=image, InstanceType="m5.large", SubnetId=subnet, MinCount=1, MaxCount=1
        )
        return "Messages" in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)

    assert not heard("others")
    assert heard("states")


def test_a_pod_becomes_a_role_that_trusts_pods_of_its_namespace_with_tags(cloud):
    def trusted(*actions, namespace="nodewright"):
        only = {"StringEquals": {"aws:RequestTag/kubernetes-namespace": namespace}}
        trust = {
            "Action": list(actions),
            "Principal": {"Service": "pods.eks.amazonaws.com"},
            "Condition": only,
        }
        arn = cloud.role(f"r{len(actions)}{namespace}", trust)
        return all(
            service_trusts(
                cloud.account,
                arn,
                "pods.eks.amazonaws.com",
                action,
                {"kubernetes-namespace": "nodewright"},
            )
            for action in ("sts:AssumeRole", "sts:TagSession")
        )

    assert trusted("sts:AssumeRole", "sts:TagSession")
    assert not trusted("sts:AssumeRole")
    assert not trusted("sts:AssumeRole", "sts:TagSession", namespace="karpenter")


def test_every_policy_that_aws_manages_is_taken_and_decides(cloud):
    managed = cloud.account.inside.backend("iam", REGION).managed_policies.values()
    documents = {one.name: str(one.versions[-1].document) for one in managed}
    action = Request(a_user(), "ec2:DescribeInstances", "*")
    outcomes = {
        name: evaluate(action, Layers(identity=(parse_policy(text, Use.IDENTITY),))).allowed
        for name, text in documents.items()
    }

    assert len(outcomes) > 1000
    assert outcomes["AdministratorAccess"]
    assert outcomes["AmazonEKSWorkerNodePolicy"]
    assert not outcomes["AmazonSQSFullAccess"]
