from builders.found import a_found, steps_of
from nodewright.install.found import Leftover
from nodewright.install.plan import plan_install
from nodewright.install.wish import Wish

ROLE = Leftover(
    "iam role", "eksctl-KarpenterNodeRole-old", "old", ("policy:arn:p", "profile:old_1")
)
USED = Leftover("iam role", "KarpenterNodeRole-two", "two", (), "machine i-1 uses it")
POLICY = Leftover("iam policy", "KarpenterControllerPolicy-old", "old", ("arn:p", "v1"))
TEMPLATE = Leftover("launch template", "lt", "old")


def test_leftovers_are_shown_and_stay():
    plan = plan_install(a_found(leftovers=(ROLE, USED)), Wish("shop"))

    assert "--remove-leftovers removes it" in plan.notes[0]
    assert "stays: machine i-1 uses it" in plan.notes[1]
    assert plan.count("-") == 0


def test_what_nobody_uses_goes_on_demand_from_the_outside_in():
    found = a_found(leftovers=(ROLE, TEMPLATE, USED, POLICY))
    steps = steps_of(found, removes_leftovers=True)

    calls = [deed.call for deed in steps["iam role eksctl-KarpenterNodeRole-old"].deeds]
    assert calls == [
        "iam.DetachRolePolicy",
        "iam.RemoveRoleFromInstanceProfile",
        "iam.DeleteInstanceProfile",
        "iam.DeleteRole",
    ]
    assert steps["launch template lt"].deeds[0].call == "ec2.DeleteLaunchTemplate"
    assert "iam role KarpenterNodeRole-two" not in steps
    deeds = steps["iam policy KarpenterControllerPolicy-old"].deeds
    assert [(deed.call, deed.params["PolicyArn"]) for deed in deeds] == [
        ("iam.DeletePolicyVersion", "arn:p"),
        ("iam.DeletePolicy", "arn:p"),
    ]
