"""What calls need, and what a scoped and a flat policy of a node autoscaler make of it."""

import pytest

from builders.controller_policies import ACCOUNT, NODE_ROLE, REGION, flat_document, scoped_document
from builders.policies import a_session
from nodewright.sandbox.iam.actions import RULES, needs_of
from nodewright.sandbox.iam.actions.needs import Ask, Thing, arn_of
from nodewright.sandbox.iam.evaluate import Layers, Request, evaluate
from nodewright.sandbox.iam.parse import Use, parse_policy

OWNED = {
    "kubernetes.io/cluster/demo": "owned",
    "eks:eks-cluster-name": "demo",
    "karpenter.sh/nodepool": "default",
    "karpenter.k8s.aws/ec2nodeclass": "default",
}
FOREIGN = {
    "kubernetes.io/cluster/other": "owned",
    "eks:eks-cluster-name": "other",
    "karpenter.sh/nodepool": "default",
}
PROFILE_TAGS = {**OWNED, "topology.kubernetes.io/region": REGION}
SCOPED = parse_policy(scoped_document(), Use.IDENTITY, "scoped")
FLAT = parse_policy(flat_document(), Use.IDENTITY, "flat")


class Account:
    """A few things, and a launch template."""

    def __init__(self, template_tags=OWNED):
        self.things = {
            ("ec2:instance", "i-ours"): OWNED,
            ("ec2:instance", "i-foreign"): FOREIGN,
            ("ec2:instance", "i-named"): {**FOREIGN, "Name": "karpenter.sh/provisioner/x"},
            ("ec2:instance", "i-node"): {**OWNED, "Name": "ip-10-0-0-1.ec2.internal"},
            ("ec2:launch-template", "lt"): template_tags,
            ("ec2:subnet", "subnet-1"): {},
            ("ec2:security-group", "sg-1"): {},
            ("iam:instance-profile", "ours"): PROFILE_TAGS,
            ("iam:instance-profile", "foreign"): FOREIGN,
        }

    def find(self, kind, name):
        if kind == "iam:role":
            return Thing(name if name.startswith("arn:") else f"arn:aws:iam::{ACCOUNT}:role/{name}")
        tags = self.things.get((kind, name))
        return None if tags is None else Thing(arn_of(an_ask("x", "y"), kind, name), tags)

    def template(self, wanted):
        assert wanted == {"LaunchTemplateName": "lt"}
        return {
            "ImageId": "ami-1",
            "SecurityGroupIds": ["sg-1"],
            "IamInstanceProfile": {"Name": "ours"},
            "BlockDeviceMappings": [{"Ebs": {"VolumeSize": 20, "Encrypted": True}}],
            "TagSpecifications": specifications("network-interface", "spot-instances-request"),
        }

    def profile_role(self, profile):
        return {"ours": NODE_ROLE, "foreign": f"arn:aws:iam::{ACCOUNT}:role/admin"}.get(profile, "")


def specifications(*kinds, tags=OWNED):
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    return [{"ResourceType": kind, "Tags": listed} for kind in kinds]


def an_ask(service, operation, region=REGION, **params):
    return Ask(service, operation, params, region, ACCOUNT)


def a_fleet(kinds=("fleet", "instance", "volume"), capacity="spot", tags=OWNED):
    overrides = [
        {"InstanceType": kind, "SubnetId": "subnet-1"} for kind in ("m5.large", "c5.large")
    ]
    return an_ask(
        "ec2",
        "CreateFleet",
        TargetCapacitySpecification={"DefaultTargetCapacityType": capacity},
        LaunchTemplateConfigs=[
            {"LaunchTemplateSpecification": {"LaunchTemplateName": "lt"}, "Overrides": overrides}
        ],
        TagSpecifications=specifications(*kinds, tags=tags),
    )


def refused(ask, policy=SCOPED, account=None):
    """Give what a policy refuses of a call, as action and last part of the ARN."""
    layers = Layers(identity=(policy,))
    found = []
    for need in needs_of(ask, account or Account()):
        request = Request(a_session(), need.action, need.resource, need.context)
        if not evaluate(request, layers).allowed:
            found.append((need.action, need.resource.split(":", 5)[-1]))
    return found


def test_a_fleet_touches_everything_that_it_uses_and_makes():
    asked = {(one.action, one.resource.split(":", 5)[-1]) for one in needs_of(a_fleet(), Account())}
    kinds = ["instance/*", "volume/*", "network-interface/*", "spot-instances-request/*"]
    used = ["launch-template/lt", "image/ami-1", "subnet/subnet-1", "security-group/sg-1"]

    assert asked == {
        *(("ec2:RunInstances", one) for one in used + kinds),
        *(("ec2:CreateFleet", one) for one in [*used, *kinds, "fleet/*"]),
        *(("ec2:CreateTags", one) for one in [*kinds, "fleet/*"]),
        ("iam:PassRole", "role/KarpenterNodeRole-demo"),
    }


def test_a_fleet_on_demand_makes_no_spot_request_and_each_type_is_told():
    needs = needs_of(a_fleet(capacity="on-demand"), Account())
    instances = [
        one for one in needs if one.action == "ec2:RunInstances" and "instance/*" in one.resource
    ]

    assert not any("spot-instances-request" in one.resource for one in needs)
    assert [one.context.single("ec2:InstanceType") for one in instances] == ["m5.large", "c5.large"]


def test_what_machines_need_is_marked_as_looked_at_when_they_start():
    for one in needs_of(a_fleet(), Account()):
        of_fleet = one.action == "ec2:CreateFleet" or "fleet/*" in one.resource
        assert one.at_launch is not of_fleet


def test_the_scoped_policy_lets_its_own_cluster_launch():
    assert refused(a_fleet()) == []
    assert refused(a_fleet(capacity="on-demand")) == []


@pytest.mark.parametrize("kind", ["fleet", "instance", "volume"])
def test_a_launch_that_leaves_one_kind_untagged_is_refused_there(kind):
    kinds = tuple({"fleet", "instance", "volume"} - {kind})

    assert {resource for _, resource in refused(a_fleet(kinds))} == {f"{kind}/*"}


@pytest.mark.parametrize("missing", ["kubernetes.io/cluster/demo", "eks:eks-cluster-name", "karpenter.sh/nodepool"])  # fmt: skip
def test_a_launch_without_one_of_the_tags_is_refused(missing):
    tags = {key: value for key, value in OWNED.items() if key != missing}

    assert ("ec2:RunInstances", "instance/*") in refused(a_fleet(tags=tags))


def test_a_launch_in_the_name_of_another_cluster_is_refused():
    assert ("ec2:CreateFleet", "fleet/*") in refused(a_fleet(tags=FOREIGN))


def test_a_template_of_another_cluster_cannot_be_used():
    account = Account(template_tags=FOREIGN)

    assert refused(a_fleet(), account=account) == [
        ("ec2:CreateFleet", "launch-template/lt"),
        ("ec2:RunInstances", "launch-template/lt"),
    ]


@pytest.mark.parametrize(
    ("instance", "scoped", "flat"),
    [
        ("i-ours", True, False),
        ("i-node", True, False),
        ("i-foreign", False, False),
        ("i-named", False, True),
    ],
)
def test_termination_follows_tags_in_the_scoped_policy_and_the_name_in_the_flat_one(
    instance, scoped, flat
):
    ask = an_ask("ec2", "TerminateInstances", InstanceIds=[instance])

    assert (refused(ask) == []) is scoped
    assert (refused(ask, FLAT) == []) is flat


def test_one_foreign_instance_in_a_batch_is_the_one_refused():
    ask = an_ask("ec2", "TerminateInstances", InstanceIds=["i-ours", "i-foreign"])

    assert refused(ask) == [("ec2:TerminateInstances", "instance/i-foreign")]


def test_the_flat_policy_launches_anything_and_cannot_end_what_it_launched():
    assert refused(a_fleet(tags={}), FLAT) == []
    ask = an_ask("ec2", "TerminateInstances", InstanceIds=["i-node"])
    assert refused(ask, FLAT) == [("ec2:TerminateInstances", "instance/i-node")]


@pytest.mark.parametrize(
    ("instance", "tags", "fine"),
    [
        ("i-ours", {"Name": "n", "karpenter.sh/nodeclaim": "c"}, True),
        ("i-ours", {"eks:eks-cluster-name": "demo"}, True),
        ("i-ours", {"eks:eks-cluster-name": "other"}, False),
        ("i-ours", {"Name": "n", "team": "a"}, False),
        ("i-foreign", {"Name": "n"}, False),
    ],
)
def test_tags_of_a_running_instance_may_be_set_within_limits(instance, tags, fine):
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    ask = an_ask("ec2", "CreateTags", Resources=[instance], Tags=listed)

    assert (refused(ask) == []) is fine


def test_tags_at_birth_are_not_tags_afterwards():
    tags = [{"Key": key, "Value": value} for key, value in OWNED.items()]
    ask = an_ask("ec2", "CreateTags", Resources=["i-foreign"], Tags=tags)

    assert refused(ask) == [("ec2:CreateTags", "instance/i-foreign")]


@pytest.mark.parametrize(("tags", "fine"), [(OWNED, True), (FOREIGN, False), ({}, False)])
def test_a_template_is_made_with_the_tags_of_the_cluster(tags, fine):
    ask = an_ask(
        "ec2",
        "CreateLaunchTemplate",
        TagSpecifications=specifications("launch-template", tags=tags),
    )

    assert (refused(ask) == []) is fine


def test_only_the_node_role_is_passed():
    add = an_ask("iam", "AddRoleToInstanceProfile", InstanceProfileName="ours", RoleName="admin")

    assert refused(add) == [("iam:PassRole", "role/admin")]
    node = NODE_ROLE.rsplit("/", 1)[-1]
    assert refused(an_ask("iam", "AddRoleToInstanceProfile", InstanceProfileName="ours", RoleName=node)) == []  # fmt: skip


@pytest.mark.parametrize(("profile", "fine"), [("ours", True), ("foreign", False)])
def test_profiles_of_other_clusters_are_left_alone(profile, fine):
    ask = an_ask("iam", "DeleteInstanceProfile", InstanceProfileName=profile)

    assert (refused(ask) == []) is fine


def test_a_profile_is_made_with_all_its_tags_or_not_at_all():
    def making(tags):
        listed = [{"Key": key, "Value": value} for key, value in tags.items()]
        return an_ask(
            "iam", "CreateInstanceProfile", InstanceProfileName="p", Path="/karpenter/", Tags=listed
        )

    asked = needs_of(making(PROFILE_TAGS), Account())
    assert asked[0].resource == f"arn:aws:iam::{ACCOUNT}:instance-profile/karpenter/p"
    assert ("iam:CreateInstanceProfile", "instance-profile/karpenter/p") in refused(making({}))
    assert refused(making(PROFILE_TAGS)) == []


@pytest.mark.parametrize(
    ("ask", "fine"),
    [
        (an_ask("ssm", "GetParameter", Name="/aws/service/eks/x"), True),
        (an_ask("ssm", "GetParameter", Name="/my/secret"), False),
        (an_ask("sqs", "ReceiveMessage", QueueUrl=f"http://h/{ACCOUNT}/demo"), True),
        (an_ask("sqs", "ReceiveMessage", QueueUrl=f"http://h/{ACCOUNT}/other"), False),
        (an_ask("sqs", "SendMessage", QueueUrl=f"http://h/{ACCOUNT}/demo"), False),
        (an_ask("sqs", "DeleteMessageBatch", QueueUrl=f"http://h/{ACCOUNT}/demo"), True),
        (an_ask("eks", "DescribeCluster", name="demo"), True),
        (an_ask("eks", "DescribeCluster", name="other"), False),
        (an_ask("ec2", "DescribeSubnets"), True),
        (an_ask("ec2", "DescribeSubnets", region="eu-west-1"), False),
        (an_ask("ec2", "DescribeVolumes"), False),
        (an_ask("pricing", "GetProducts"), True),
        (an_ask("sts", "GetCallerIdentity"), True),
    ],
)
def test_reading_is_allowed_where_it_is_needed(ask, fine):
    assert (refused(ask) == []) is fine


@pytest.mark.parametrize(
    ("ask", "action", "resource"),
    [
        (an_ask("logs", "DescribeLogGroups"), "logs:DescribeLogGroups", "*"),
        (an_ask("elbv2", "DescribeTags"), "elasticloadbalancing:DescribeTags", "*"),
        (an_ask("ec2", "DescribeRegions"), "ec2:DescribeRegions", "*"),
        (an_ask("eks", "DeleteAccessEntry", clusterName="demo", principalArn=NODE_ROLE),
         "eks:DeleteAccessEntry", f"arn:aws:eks:{REGION}:{ACCOUNT}:access-entry/demo/role/{ACCOUNT}/KarpenterNodeRole-demo/*"),
        (an_ask("events", "PutRule", Name="NodewrightSpot-demo"),
         "events:PutRule", f"arn:aws:events:{REGION}:{ACCOUNT}:rule/NodewrightSpot-demo"),
        (an_ask("iam", "CreateServiceLinkedRole", AWSServiceName="spot.amazonaws.com"),
         "iam:CreateServiceLinkedRole", f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/spot.amazonaws.com/*"),
        (an_ask("iam", "CreateOpenIDConnectProvider", Url="https://oidc.example/id/1"),
         "iam:CreateOpenIDConnectProvider", f"arn:aws:iam::{ACCOUNT}:oidc-provider/oidc.example/id/1"),
        (an_ask("iam", "CreatePolicy", PolicyName="p", Path="/a/"), "iam:CreatePolicy", f"arn:aws:iam::{ACCOUNT}:policy/a/p"),
        (an_ask("ec2", "CreatePlacementGroup", GroupName="g"),
         "ec2:CreatePlacementGroup", f"arn:aws:ec2:{REGION}:{ACCOUNT}:placement-group/g"),
        (an_ask("s3", "PutObject", Bucket="b", Key="k/1"), "s3:PutObject", "arn:aws:s3:::b/k/1"),
        (an_ask("arc-zonal-shift", "GetManagedResource", resourceIdentifier="x"), "arc-zonal-shift:GetManagedResource", "x"),
    ],
)  # fmt: skip
def test_a_call_needs_its_action_on_its_resource(ask, action, resource):
    first = needs_of(ask, Account())[0]

    assert (first.action, first.resource) == (action, resource)


def test_roles_are_passed_to_the_service_that_uses_them():
    ask = an_ask(
        "eks", "CreatePodIdentityAssociation", clusterName="demo", roleArn=NODE_ROLE, namespace="n"
    )
    passing = needs_of(ask, Account())[-1]

    assert passing.action == "iam:PassRole"
    assert passing.context.single("iam:PassedToService") == "pods.eks.amazonaws.com"


def test_in_china_ec2_has_another_name():
    ask = Ask(
        "iam",
        "AddRoleToInstanceProfile",
        {"InstanceProfileName": "ours", "RoleName": "r"},
        "cn-north-1",
        ACCOUNT,
        "aws-cn",
    )

    assert needs_of(ask, Account())[-1].context.single("iam:PassedToService") == (
        "ec2.amazonaws.com.cn"
    )


def test_events_tell_what_a_rule_listens_to_and_where_it_sends():
    rule = an_ask(
        "events", "PutRule", Name="r", EventPattern='{"source": ["aws.ec2"], "detail-type": ["x"]}'
    )
    targets = an_ask("events", "PutTargets", Rule="r", Targets=[{"Id": "1", "Arn": "arn:q"}])

    assert needs_of(rule, Account())[0].context.get("events:source") == ("aws.ec2",)
    assert needs_of(targets, Account())[0].context.get("events:TargetArn") == ("arn:q",)


@pytest.mark.parametrize("name", sorted(RULES))
def test_a_call_without_parameters_still_needs_something(name):
    service, _, operation = name.partition(".")

    assert needs_of(an_ask(service, operation), Account())
