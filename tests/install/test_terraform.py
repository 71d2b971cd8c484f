import json

from builders.found import a_cluster, a_found
from nodewright.install.found import Subnet
from nodewright.install.plan import plan_install
from nodewright.install.steps import Ask
from nodewright.install.terraform import print_terraform, terraform
from nodewright.install.wish import Wish


def test_every_call_becomes_a_resource_and_the_tags_of_the_network_too():
    plan = plan_install(a_found(), Wish("shop"))
    made = terraform(plan)
    resources = made["resource"]

    assert "//" not in made
    assert resources["aws_ec2_tag"]["subnet_a_karpenter_sh_discovery"]["value"] == "shop"
    assert len(resources["aws_iam_policy"]) == sum(
        isinstance(deed, Ask) and deed.call == "iam.CreatePolicy"
        for step in plan.changes
        for deed in step.deeds
    )
    assert set(resources["aws_cloudwatch_event_target"]) == set(
        resources["aws_cloudwatch_event_rule"]
    )


def test_what_is_made_here_is_referred_to():
    resources = terraform(plan_install(a_found(), Wish("shop")))["resource"]

    profile = resources["aws_iam_instance_profile"]["NodewrightNodeRole_shop"]
    assert profile["role"] == "${aws_iam_role.NodewrightNodeRole_shop.name}"
    entry = resources["aws_eks_access_entry"]["NodewrightNodeRole_shop"]
    assert entry["principal_arn"] == "${aws_iam_role.NodewrightNodeRole_shop.arn}"
    target = resources["aws_cloudwatch_event_target"]["NodewrightRebalance_shop"]
    assert target["arn"] == "${aws_sqs_queue.shop.arn}"


def test_fargate_has_its_own_words():
    found = a_found(a_cluster(node_groups=()), subnets=(Subnet("subnet-a"), Subnet("subnet-b")))
    text = print_terraform(plan_install(found, Wish("shop", is_fargate=True)))
    profile = json.loads(text)["resource"]["aws_eks_fargate_profile"]["nodewright"]

    assert profile["subnet_ids"] == ["subnet-a", "subnet-b"]
    assert profile["selector"] == [{"namespace": "nodewright"}]
    assert profile["pod_execution_role_arn"] == "${aws_iam_role.NodewrightFargateRole_shop.arn}"
