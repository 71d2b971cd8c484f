"""Nothing is begun that a policy would stop in the middle, and the printed policy is enough for everything."""

import pytest

from builders.awsclients import a_user
from builders.installs import a_site, changed
from nodewright.install.calls import TABLE
from nodewright.install.names import Names
from nodewright.install.plan import plan_install, plan_uninstall
from nodewright.install.policy import installer_policy
from nodewright.install.steps import Ask
from nodewright.model.errors import UserError

NAMES = Names("123456789012", "us-west-2", "shop")
ACCOUNTS = {
    "fresh": {},
    "api-only": {"node_policies": ("CloudWatchAgentServerPolicy",)},
    "cluster-autoscaler": {"identity": "pod-identity"},
    "hand-made-karpenter": {},
    "karpenter-v1": {},
    "no-node-group": {"is_fargate": True},
    "no-oidc": {},
    "stale-role": {"removes_leftovers": True},
}
SAMPLE = {
    "install": ["eks:DescribeCluster", "iam:PassRole"],
    "uninstall": ["iam:DeleteRole"],
}


class Person:
    """Somebody with a policy, who looks, plans and asks."""

    def __init__(self, site, wish, name, *denied):
        self.site, self.wish = site, wish
        document = installer_policy(NAMES, wish)
        if denied:
            deny = {"Effect": "Deny", "Action": list(denied), "Resource": "*"}
            document["Statement"].append(deny)
        self.keys = a_user(site.standin, name, {"all": document})

    async def plan(self, verb):
        """Give the plan, once it is sure that all of it is allowed."""
        found = await self.site.look(self.wish, self.keys)
        plan = (plan_install if verb == "install" else plan_uninstall)(found, self.wish)
        await self.site.check(plan, self.keys, found.account.caller)
        return plan

    async def carry_out(self, plan):
        await self.site.carry_out(plan, keys=self.keys)


async def needed_for(able, verb):
    """Every action that a verb needs here: for what is asked on the way, and for what is done."""
    calls = able.site.standin.account.calls
    calls.clear()
    plan = await able.plan(verb)
    made = {one.name for one in calls.named("")}
    made |= {deed.call for step in plan.changes for deed in step.deeds if isinstance(deed, Ask)}
    return sorted({action for one in made for _, action in TABLE[one].needs})


async def deny_in_turn(site, wish, verb, actions):
    """Deny each action, and see that it is named with its statement and that nothing was touched."""
    before = site.state()
    for action in actions:
        person = Person(site, wish, f"{verb}-{action.replace(':', '-')}", action)
        with pytest.raises(UserError) as caught:
            await person.plan(verb)
        assert caught.value.message == f"you may not do {action}"
        assert f'"Action":"{action}"' in caught.value.advice
    touched = [one for one in changed(before, site.state()) if " user " not in one]
    assert [one for one in touched if "-all" not in one] == []


async def test_each_missing_permission_is_named_before_anything_is_done():
    with a_site() as site:
        wish = site.wish()
        able = Person(site, wish, "able")
        for verb, actions in SAMPLE.items():
            assert set(actions) <= set(await needed_for(able, verb))
            await deny_in_turn(site, wish, verb, actions)
            await able.carry_out(await able.plan(verb))


@pytest.mark.soak
async def test_every_permission_of_every_account_denied_in_turn():
    tried = {"install": set(), "uninstall": set()}
    for name, choices in ACCOUNTS.items():
        with a_site(name) as site:
            before = site.state()
            able = Person(site, site.wish(**choices), "able")
            for verb, known in tried.items():
                needed = set(await needed_for(able, verb))
                await deny_in_turn(site, able.wish, verb, sorted(needed - known))
                known.update(needed)
                await able.carry_out(await able.plan(verb))
            left = [one for one in changed(before, site.state()) if " user " not in one]
            assert [one for one in left if "-all" not in one and "removed " not in one] == [], name
    allowed = {action for entry in TABLE.values() for _, action in entry.needs}
    assert allowed - set.union(*tried.values()) == RARE


# What only a change of mind, a newer release or a move between groups needs.
RARE = {
    "eks:UpdateNodegroupConfig", "eks:UpdatePodIdentityAssociation",
    "iam:CreatePolicyVersion", "iam:DeletePolicyVersion", "iam:DeleteRolePolicy",
    "iam:UpdateAssumeRolePolicy", "sqs:SetQueueAttributes",
}  # fmt: skip
