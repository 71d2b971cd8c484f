"""The gate over the wire: boto3 as a user or a role, refused and let through as by AWS."""

import base64
import json

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from builders.controller_policies import ACCOUNT, REGION, flat_document, scoped_document
from nodewright.sandbox.aws.account import Account, Timing
from nodewright.sandbox.aws.server import Server
from nodewright.sandbox.aws.sts import service_trusts

IMAGE = "/aws/service/eks/optimized-ami/1.34/amazon-linux-2023/x86_64/standard/recommended/image_id"
OWNED = {
    "kubernetes.io/cluster/demo": "owned",
    "eks:eks-cluster-name": "demo",
    "karpenter.sh/nodepool": "default",
    "karpenter.k8s.aws/ec2nodeclass": "default",
}
FOREIGN = {"kubernetes.io/cluster/other": "owned", "karpenter.sh/nodepool": "default"}
# Clients of one session read each service's model once.
SESSION = boto3.Session()
ISSUER = "oidc.eks.us-west-2.amazonaws.com/id/1"


class Cloud:
    """A stand-in and clients of it for different callers."""

    def __init__(self, server):
        self.account, self.url = server.account, server.url

    def client(self, service, key="test", secret="test", token=None, region=REGION):
        return SESSION.client(
            service,
            region,
            endpoint_url=self.url,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            aws_session_token=token,
            config=Config(retries={"total_max_attempts": 1}),
        )

    def user(self, *documents, name="ada"):
        """Make a user with inline policies; give what makes clients for it."""
        iam = self.client("iam")
        iam.create_user(UserName=name)
        for number, document in enumerate(documents):
            iam.put_user_policy(
                UserName=name, PolicyName=f"p{number}", PolicyDocument=json.dumps(document)
            )
        key = iam.create_access_key(UserName=name)["AccessKey"]
        return lambda service, **more: self.client(
            service, key["AccessKeyId"], key["SecretAccessKey"], **more
        )

    def role(self, name, trust, *documents, **more):
        """Make a role that trusts a principal; give its ARN."""
        iam = self.client("iam")
        made = iam.create_role(
            RoleName=name, AssumeRolePolicyDocument=json.dumps(document(trust)), **more
        )
        for number, one in enumerate(documents):
            iam.put_role_policy(
                RoleName=name, PolicyName=f"p{number}", PolicyDocument=json.dumps(one)
            )
        return made["Role"]["Arn"]

    def session(self, credentials):
        """Give what makes clients for temporary credentials."""
        return lambda service, **more: self.client(
            service,
            credentials["AccessKeyId"],
            credentials["SecretAccessKey"],
            credentials["SessionToken"],
            **more,
        )

    def controller(self, policy):
        """Make the controller's role with a policy and take it on as a pod does."""
        self.client("iam").create_open_id_connect_provider(
            Url=f"https://{ISSUER}", ClientIDList=["sts.amazonaws.com"], ThumbprintList=["a" * 40]
        )
        trust = web_trust("system:serviceaccount:nodewright:nodewright")
        # Inline policies are larger than a user may have, so it is a managed one.
        arn = self.role("controller", trust)
        iam = self.client("iam")
        made = iam.create_policy(PolicyName="controller", PolicyDocument=compact(policy))
        iam.attach_role_policy(RoleName="controller", PolicyArn=made["Policy"]["Arn"])
        token = a_token("system:serviceaccount:nodewright:nodewright")
        answer = self.client("sts").assume_role_with_web_identity(
            RoleArn=arn, RoleSessionName="pod", WebIdentityToken=token
        )
        return self.session(answer["Credentials"])

    def nodes(self):
        """Make what a launch needs: the node role in a profile; give image and subnet."""
        trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
        self.role("KarpenterNodeRole-demo", trust)
        iam, ec2 = self.client("iam"), self.client("ec2")
        iam.create_instance_profile(InstanceProfileName="nodes")
        iam.add_role_to_instance_profile(
            InstanceProfileName="nodes", RoleName="KarpenterNodeRole-demo"
        )
        image = self.client("ssm").get_parameter(Name=IMAGE)["Parameter"]["Value"]
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        return image, subnet


def document(*statements):
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", **one} for one in statements],
    }


def compact(policy):
    return json.dumps(policy, separators=(",", ":"))


def allowing(*actions, resource="*", **more):
    return document({"Action": list(actions), "Resource": resource, **more})


def web_trust(subject):
    provider = f"arn:aws:iam::{ACCOUNT}:oidc-provider/{ISSUER}"
    claims = {f"{ISSUER}:aud": "sts.amazonaws.com", f"{ISSUER}:sub": subject}
    return {
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Principal": {"Federated": provider},
        "Condition": {"StringEquals": claims},
    }


def a_token(subject, audience="sts.amazonaws.com"):
    claims = {"iss": f"https://{ISSUER}", "sub": subject, "aud": [audience], "exp": 4_000_000_000}
    return f"e30.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.x"


def tags(wanted):
    return [{"Key": key, "Value": value} for key, value in wanted.items()]


def specifications(wanted, *kinds):
    return [{"ResourceType": kind, "Tags": tags(wanted)} for kind in kinds]


def refusal(call, /, **params):
    """Give the code and the message with which a call is refused."""
    with pytest.raises(ClientError) as error:
        call(**params)
    told = error.value.response["Error"]
    return told["Code"], told["Message"]


def launch_template(ec2, image, wanted=OWNED):
    ec2.create_launch_template(
        LaunchTemplateName="nodes",
        LaunchTemplateData={
            "ImageId": image,
            "IamInstanceProfile": {"Name": "nodes"},
            "TagSpecifications": specifications(wanted, "network-interface"),
        },
        TagSpecifications=specifications(wanted, "launch-template"),
    )


def launch(ec2, subnet, wanted=OWNED, **more):
    return ec2.create_fleet(
        Type="instant",
        TargetCapacitySpecification={
            "TotalTargetCapacity": 1,
            "DefaultTargetCapacityType": "on-demand",
        },
        LaunchTemplateConfigs=[
            {
                "LaunchTemplateSpecification": {
                    "LaunchTemplateName": "nodes",
                    "Version": "$Latest",
                },
                "Overrides": [{"InstanceType": "m5.large", "SubnetId": subnet}],
            }
        ],
        TagSpecifications=specifications(wanted, "fleet", "instance", "volume"),
        **more,
    )


@pytest.fixture(scope="module")
def server():
    with Server(Account(REGION, Timing(boot_ms=0))) as running:
        yield running


@pytest.fixture
def cloud(server):
    """Give the stand-in without what the test before has made: a new account takes seconds."""
    iam = server.account.inside.backend("iam", REGION)
    for shelf in (iam.users, iam.roles, iam.groups, iam.instance_profiles, iam.open_id_providers):
        shelf.clear()
    for arn in [arn for arn in iam.managed_policies if f":{ACCOUNT}:" in arn]:
        del iam.managed_policies[arn]
    ec2 = server.account.inside.backend("ec2", REGION)
    ec2.launch_templates.clear()
    ec2.launch_template_name_to_ids.clear()
    server.account.inside.backend("sqs", REGION).queues.clear()
    return Cloud(server)


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


def test_the_encoded_message_of_ec2_is_decoded_by_sts(cloud):
    _, message = refusal(cloud.user()("ec2").describe_vpcs)
    encoded = message.rpartition(": ")[2]
    told = cloud.client("sts").decode_authorization_message(EncodedMessage=encoded)

    assert json.loads(told["DecodedMessage"])["context"]["action"] == "ec2:DescribeVpcs"


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


def test_the_simulator_answers_for_roles_over_the_wire(cloud):
    iam = cloud.client("iam")
    trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    arn = cloud.role("node", trust, allowing("ec2:DescribeInstances", resource="*"))
    iam.attach_role_policy(
        RoleName="node", PolicyArn="arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"
    )
    actions = ["ec2:DescribeInstances", "ecr:BatchGetImage", "ec2:RunInstances"]
    results = iam.simulate_principal_policy(PolicySourceArn=arn, ActionNames=actions)[
        "EvaluationResults"
    ]

    assert [one["EvalDecision"] for one in results] == ["allowed", "allowed", "implicitDeny"]
    assert results[0]["MatchedStatements"][0]["SourcePolicyId"] == "role_node_p0"
    assert results[1]["MatchedStatements"][0]["SourcePolicyType"] == "aws-managed"
    assert refusal(
        iam.simulate_principal_policy, PolicySourceArn=f"{arn}x", ActionNames=actions
    )[0] == "NoSuchEntity"  # fmt: skip


def test_custom_policies_are_simulated_and_their_keys_listed(cloud):
    iam = cloud.client("iam")
    policy = json.dumps(
        allowing("sqs:*", Condition={"StringEquals": {"aws:ResourceTag/team": "a"}})
    )
    asked = {"PolicyInputList": [policy], "ActionNames": ["sqs:SendMessage"]}
    (result,) = iam.simulate_custom_policy(**asked)["EvaluationResults"]

    assert result["MissingContextValues"] == ["aws:ResourceTag/team"]
    keys = iam.get_context_keys_for_custom_policy(PolicyInputList=[policy])
    assert keys["ContextKeyNames"] == ["aws:ResourceTag/team"]
    assert refusal(iam.simulate_custom_policy, **{**asked, "PolicyInputList": ["{"]})[0] == (
        "InvalidInput"
    )


def test_documents_that_aws_would_not_take_are_refused(cloud):
    iam = cloud.client("iam")
    trust = {"Action": "sts:AssumeRole", "Principal": {"Service": "ec2.amazonaws.com"}}
    cloud.role("r", trust)
    wrong = json.dumps(allowing("RunInstances"))
    large = json.dumps(allowing(*(f"ec2:Describe{number:030}" for number in range(300))))

    assert refusal(iam.create_policy, PolicyName="p", PolicyDocument=wrong)[0] == (
        "MalformedPolicyDocument"
    )
    assert refusal(iam.put_role_policy, RoleName="r", PolicyName="p", PolicyDocument="{")[0] == (
        "MalformedPolicyDocument"
    )
    code, message = refusal(iam.create_policy, PolicyName="p", PolicyDocument=large)
    assert (code, message) == ("LimitExceeded", "Cannot exceed quota for PolicySize: 6144")
    trusting = json.dumps(document({**trust, "Resource": "*"}))
    code, message = refusal(iam.create_role, RoleName="x", AssumeRolePolicyDocument=trusting)
    assert (code, message) == ("MalformedPolicyDocument", "Has prohibited field Resource.")


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
