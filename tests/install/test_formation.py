import json

from builders.found import a_cluster, a_found
from nodewright.install.formation import formation, print_formation
from nodewright.install.found import Subnet
from nodewright.install.plan import plan_install
from nodewright.install.resources.identity import AGENT
from nodewright.install.wish import Wish


def a_plan(cluster=None, **choices):
    return plan_install(a_found(cluster), Wish("shop", **choices))


def test_what_is_made_becomes_resources_that_refer_to_each_other():
    template = formation(a_plan())
    resources = template["Resources"]
    role = resources["RoleNodewrightcontrollerroleShop"]["Properties"]

    assert {"Ref": "ManagedpolicyNodewrightcontrollerinterruptionShop"} in role["ManagedPolicyArns"]
    federated = role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"]["Federated"]
    assert federated == {"Ref": "OidcproviderCluster"}
    rule = resources["RuleNodewrightrebalanceShop"]["Properties"]
    assert rule["Targets"][0]["Arn"] == {"Fn::GetAtt": ["QueueShop", "Arn"]}
    entry = resources["AccessentryNodewrightnoderoleShop"]["Properties"]
    assert entry["PrincipalArn"] == {"Fn::GetAtt": ["RoleNodewrightnoderoleShop", "Arn"]}
    assert all(one["Type"].startswith("AWS::") for one in resources.values())


def test_every_reference_leads_to_a_resource():
    template = formation(a_plan(a_cluster(addons=(AGENT,))))
    text = json.dumps(template)
    named = {part.split('"')[0] for part in text.split('{"Ref": "')[1:]}
    named |= {part.split('"')[0] for part in text.split('{"Fn::GetAtt": ["')[1:]}

    assert named <= set(template["Resources"])
    assert "PodidentityassociationNodewright" in template["Resources"]


def test_what_a_stack_cannot_do_is_listed_as_commands():
    by_hand = formation(a_plan())["Metadata"]["Nodewright"]["ByHand"]

    assert [one.split(" --")[0] for one in by_hand] == ["aws ec2 create-tags"] * 2


def test_fargate_is_part_of_it():
    found = a_found(a_cluster(node_groups=()), subnets=(Subnet("subnet-a"), Subnet("subnet-b")))
    template = json.loads(print_formation(plan_install(found, Wish("shop", is_fargate=True))))

    profile = template["Resources"]["FargateprofileNodewright"]["Properties"]
    assert profile["Selectors"] == [{"Namespace": "nodewright"}]
    assert profile["Subnets"] == ["subnet-a", "subnet-b"]
