import json

import pytest

from builders.found import NUMBER, a_found, steps_of
from nodewright.install.found import Kube, MadeProfile, Policy, Role
from nodewright.install.resources.roles import NODE_POLICIES
from nodewright.install.steps import Remember, times
from nodewright.model.errors import UserError

OURS = {"nodewright.dev/cluster": "shop"}
AWS = "arn:aws:iam::aws:policy/"
WHOLE = tuple(f"{AWS}{one}" for one in NODE_POLICIES)


def a_role(name, **more):
    return {name: Role(name, f"arn:aws:iam::{NUMBER}:role/{name}", **more)}


def test_a_role_of_nodes_is_made_with_four_policies_and_those_that_are_asked_for():
    step = steps_of(a_found(), node_policies=("CloudWatchAgentServerPolicy",))[
        "iam role NodewrightNodeRole-shop"
    ]
    attached = [deed.params["PolicyArn"] for deed in step.deeds[1:]]

    assert attached == [*WHOLE, f"{AWS}CloudWatchAgentServerPolicy"]
    trust = json.loads(step.deeds[0].params["AssumeRolePolicyDocument"])
    assert trust["Statement"][0]["Principal"] == {"Service": "ec2.amazonaws.com"}


def test_karpenters_role_is_used_as_it_is():
    wider = (*WHOLE[:2], f"{AWS}AmazonEC2ContainerRegistryReadOnly", WHOLE[3])
    steps = steps_of(a_found(roles=a_role("KarpenterNodeRole-shop", policies=wider)))

    assert steps["iam role KarpenterNodeRole-shop"].sign == "="
    assert "iam role NodewrightNodeRole-shop" not in steps
    spec = steps["ec2nodeclass default"].deeds[1].document["spec"]
    assert spec["role"] == "KarpenterNodeRole-shop"


def test_what_a_foreign_role_lacks_is_attached_and_written_down():
    roles = a_role("mine", policies=WHOLE[:3])
    step = steps_of(a_found(roles=roles), node_role="mine")["iam role mine"]

    assert step.sign == "~"
    assert step.deeds[0] == Remember("role.mine", [WHOLE[3]])

    kube = Kube(record={"role.mine": {"was": [WHOLE[3]]}})
    undone = steps_of(a_found(kube=kube, roles=roles), "uninstall")
    assert [deed.call for deed in undone["iam role mine"].deeds[:-1]] == ["iam.DetachRolePolicy"]


def test_a_role_that_is_named_must_be_there():
    with pytest.raises(UserError, match="there is no role absent"):
        steps_of(a_found(), node_role="absent")


def test_a_foreign_thing_with_our_name_is_not_touched():
    with pytest.raises(UserError, match="Nodewright did not make it for shop"):
        steps_of(a_found(roles=a_role("NodewrightControllerRole-shop")))


def test_a_policy_that_has_changed_gets_a_version_and_the_oldest_goes():
    name = "NodewrightControllerInterruption-shop"
    old = Policy(name, "arn:p", OURS, {"Statement": []}, ("v1", "v2", "v3", "v4"))
    step = steps_of(a_found(policies={name: old}))[f"iam policy {name}"]

    assert [deed.call for deed in step.deeds] == [
        "iam.DeletePolicyVersion",
        "iam.CreatePolicyVersion",
    ]
    assert step.deeds[0].params["VersionId"] == "v1"


def undone(*made, profiles=(), **kube):
    """The steps of going, with profiles that the controller made and others."""
    held = (*(one.name for one in made), *profiles)
    roles = a_role("NodewrightNodeRole-shop", tags=OURS, profiles=held)
    found = a_found(kube=Kube(**kube), roles=roles, made_profiles=made)
    return steps_of(found, "uninstall")


ROLE = "iam role NodewrightNodeRole-shop"
MADE = MadeProfile("shop_1", "default", ("NodewrightNodeRole-shop",), "machine i-1 uses it")


def test_a_role_stays_while_somebodys_profile_holds_it():
    assert undone(profiles=("theirs",))[ROLE].detail == "stays: instance profile theirs holds it"


def test_a_role_goes_with_the_profile_of_a_class_that_goes_with_its_machines():
    steps = undone(MADE, record={"class.default": {"was": None}})

    assert steps["instance profile shop_1"].sign == steps[ROLE].sign == "-"


def test_a_profile_stays_as_long_as_machines_of_a_class_that_stays_have_it():
    steps = undone(MADE, classes=("default",))

    assert steps["instance profile shop_1"].detail == "stays: machine i-1 uses it"
    assert steps[ROLE].sign == "="


def test_templates_that_the_controller_made_go():
    steps = steps_of(a_found(made_templates=("a", "b")), "uninstall")

    assert [deed.params for deed in steps[f"launch templates {times(2)}"].deeds] == [
        {"LaunchTemplateId": "a"},
        {"LaunchTemplateId": "b"},
    ]
