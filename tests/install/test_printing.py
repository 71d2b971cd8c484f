import shlex

import yaml

from builders.found import a_found
from nodewright.install.plan import plan_install, plan_uninstall
from nodewright.install.printing import print_commands, print_manifests
from nodewright.install.steps import Ask, Merge, Plan, Remove, Step
from nodewright.install.wish import Wish


def test_manifests_are_what_the_plan_applies():
    kinds = [
        one["kind"]
        for one in yaml.safe_load_all(print_manifests(plan_install(a_found(), Wish("shop"))))
    ]

    assert kinds[0] == "Namespace"
    assert kinds.count("CustomResourceDefinition") == 6
    assert kinds[-2:] == ["EC2NodeClass", "NodePool"]


def test_calls_become_commands_whose_parameters_survive_a_shell():
    deeds = (
        Ask("iam.CreateRole", {"RoleName": "it's"}),
        Ask("eks.CreatePodIdentityAssociation", {"clusterName": "shop"}),
        Merge("/apis/apps/v1/namespaces/kube-system/deployments/x", {"spec": {"replicas": 0}}),
        Remove("/api/v1/namespaces/nodewright"),
    )
    plan = Plan("install", Wish("shop"), "1", "us-west-2", (Step("+", "k", "n", "", deeds),))
    lines = print_commands(plan).splitlines()

    assert "export AWS_REGION=us-west-2" in lines
    assert shlex.split(lines[-4]) == [
        "aws",
        "iam",
        "create-role",
        "--cli-input-json",
        '{"RoleName":"it\'s"}',
    ]
    assert lines[-3].startswith("aws eks create-pod-identity-association --cli-input-json")
    assert lines[-2].startswith("kubectl patch --type merge -n kube-system deployments x -p")
    assert lines[-1] == "kubectl delete --ignore-not-found namespaces nodewright"


def test_nothing_to_do_is_an_empty_script():
    assert print_commands(plan_uninstall(a_found(), Wish("shop"))).count("\n") == 3
