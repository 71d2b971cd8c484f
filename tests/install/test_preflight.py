"""Nothing is begun that a policy would stop in the middle."""

import pytest

from builders.awsclients import a_user
from builders.installs import a_site, changed
from nodewright.install.calls import TABLE
from nodewright.install.names import Names
from nodewright.install.plan import plan_install
from nodewright.install.policy import installer_policy
from nodewright.install.steps import Ask
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

NAMES = Names("123456789012", "us-west-2", "shop")
ACTIONS = sorted({action for entry in TABLE.values() for _, action in entry.needs})


@pytest.fixture(scope="module")
def fresh():
    with a_site() as site:
        yield site


def without(action):
    """The installer's policy, with one action denied."""
    document = installer_policy(NAMES, Wish("shop"))
    denied = {"Effect": "Deny", "Action": action, "Resource": "*"}
    return {**document, "Statement": [*document["Statement"], denied]}


async def try_as(site, name, document):
    """Look, plan and ask as somebody with a policy; give the plan, or the refusal."""
    keys = a_user(site.standin, name, {"all": document})
    wish = site.wish()
    try:
        found = await site.look(wish, keys)
        plan = plan_install(found, wish)
        await site.check(plan, keys, found.account.caller)
    except UserError as error:
        return error
    return plan


def is_needed(action):
    """Tell whether a first installation on this cluster does what the action allows."""
    word = action.split(":")[1]
    if word in UNASKED:
        return False
    return action in NEEDED or word.startswith(("Describe", "Get", "List", "Simulate"))


# Of things that are not there yet, nobody asks for more.
UNASKED = {
    "DescribeAddon", "DescribePodIdentityAssociation", "GetPolicyVersion",
    "GetQueueAttributes", "ListAttachedRolePolicies", "ListInstanceProfilesForRole",
    "ListPolicyVersions", "ListQueueTags", "ListTagsForResource", "ListTargetsByRule",
    "DescribeInstances", "ListRolePolicies",
}  # fmt: skip
NEEDED = {
    "ec2:CreateTags", "eks:CreateAccessEntry", "eks:TagResource", "events:PutRule",
    "events:PutTargets", "events:TagResource", "iam:AddRoleToInstanceProfile",
    "iam:AttachRolePolicy", "iam:CreateInstanceProfile", "iam:CreatePolicy", "iam:CreateRole",
    "iam:CreateServiceLinkedRole", "iam:PassRole", "iam:TagInstanceProfile", "iam:TagPolicy",
    "iam:TagRole", "sqs:CreateQueue", "sqs:TagQueue",
}  # fmt: skip
SAMPLE = {"eks:DescribeCluster", "iam:CreateRole", "iam:PassRole", "ec2:CreateTags"}


async def test_the_printed_policy_is_enough_and_each_action_is_asked_for(fresh):
    plan = await try_as(fresh, "able", installer_policy(NAMES, Wish("shop")))

    assert plan.verb == "install"
    asked = {
        action
        for step in plan.changes
        for deed in step.deeds
        if isinstance(deed, Ask)
        for _, action in TABLE[deed.call].needs
    }
    assert asked == NEEDED


@pytest.mark.parametrize(
    "action",
    [one if one in SAMPLE else pytest.param(one, marks=pytest.mark.soak) for one in ACTIONS],
)
async def test_each_missing_permission_is_named_before_anything_is_done(fresh, action):
    before = fresh.state()
    outcome = await try_as(fresh, action.replace(":", "-"), without(action))
    after = fresh.state()

    if is_needed(action):
        assert f"you may not do {action}" in outcome.message
        assert f'"Action":"{action}"' in outcome.advice
    else:
        assert outcome.verb == "install"
    touched = [one for one in changed(before, after) if " user " not in one and "-all" not in one]
    assert touched == []
