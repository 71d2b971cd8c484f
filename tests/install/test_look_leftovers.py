"""What a deleted cluster left is found with all its parts, and whoever may still use it is named."""

import pytest

from builders.installs import a_site, changed, signs
from nodewright.install.names import Names
from nodewright.install.policy import installer_policy
from nodewright.install.wish import Wish

OLD = "old-shop"
QUEUE = f"sqs queue {OLD}"
ROLE = f"iam role eksctl-KarpenterNodeRole-{OLD}"
RULES = [
    f"event rule {name}Rule-{OLD}"
    for name in ("InstanceStateChange", "Rebalance", "ScheduledChange", "SpotInterruption")
]
CONTROLLER = f"iam role KarpenterControllerRole-{OLD}"
BY_EKSCTL = f"iam role eksctl-{OLD}-addon-iamserviceaccount-karpe-Role1-1ABCDEFGHIJKL"
POLICY = f"iam policy KarpenterControllerPolicy-{OLD}"
ROLES = (ROLE, CONTROLLER, BY_EKSCTL)
TEMPLATE = f"launch template karpenter.k8s.aws/{OLD}"


@pytest.fixture
def site():
    with a_site("stale-role") as made:
        yield made


def stored_role(site, title):
    name = title.removeprefix("iam role ")
    stored = site.standin.account.inside.backend("iam", "global").roles.values()
    return next(one for one in stored if one.name == name)


async def leftovers(site):
    return {f"{one.kind} {one.name}": one for one in (await site.look()).account.leftovers}


async def test_everything_of_the_cluster_is_found_and_who_uses_it_is_named(site):
    found = await leftovers(site)

    assert sorted(found) == sorted([QUEUE, *ROLES, POLICY, TEMPLATE, *RULES])
    assert {one.cluster for one in found.values()} == {OLD}
    assert not any(one.used_by for one in found.values())

    events, sqs = site.standin.client("events"), site.standin.client("sqs")
    arn = f"arn:aws:sqs:us-west-2:123456789012:{OLD}"
    events.put_rule(Name="nightly", ScheduleExpression="rate(1 day)")
    events.put_targets(Rule="nightly", Targets=[{"Id": "1", "Arn": arn}])
    other = sqs.create_queue(QueueName="audit")["QueueUrl"]
    target = {"Id": "2", "Arn": arn.replace(OLD, "audit")}
    events.put_targets(Rule=f"RebalanceRule-{OLD}", Targets=[target])
    stored_role(site, ROLE).last_used_region = "eu-west-1"

    found = await leftovers(site)
    assert found[QUEUE].used_by == "rule RebalanceRule-old-shop sends to it"
    assert found[RULES[1]].used_by == "it also sends to audit"
    assert found[ROLE].used_by == "it was used in eu-west-1 last"
    assert other.endswith("audit")
    plan = await site.plan(site.wish(removes_leftovers=True))
    assert f"- {QUEUE}" not in signs(plan)
    assert f"{QUEUE} of the deleted cluster {OLD} stays: {found[QUEUE].used_by}" in plan.notes


@pytest.mark.soak
async def test_it_goes_when_that_is_asked_for_and_nothing_else_goes(site):
    before = site.state()
    wish = site.wish(removes_leftovers=True)
    plan = await site.plan(wish)
    assert {one for one in signs(plan) if one.startswith("-")} == {
        f"- {one}" for one in (QUEUE, *ROLES, POLICY, TEMPLATE, *RULES)
    }
    await site.carry_out(plan)
    assert await leftovers(site) == {}

    await site.carry_out(await site.plan(wish, "uninstall"))
    kinds = [one.split()[:2] for one in changed(before, site.state())]
    assert sorted(kinds) == sorted(
        ["removed", kind]
        for kind in (
            *["role"] * 3,
            "policy",
            "instance-profile",
            "launch-template",
            "queue",
            *["rule"] * 4,
        )
    )


@pytest.mark.soak
async def test_a_rule_that_only_has_the_name_is_nobodys_leftover(site):
    iam = site.standin.client("iam")
    iam.remove_role_from_instance_profile(
        InstanceProfileName=f"{OLD}_12345678901234567890",
        RoleName=f"eksctl-KarpenterNodeRole-{OLD}",
    )
    iam.detach_role_policy(
        RoleName=f"KarpenterControllerRole-{OLD}",
        PolicyArn=f"arn:aws:iam::123456789012:policy/KarpenterControllerPolicy-{OLD}",
    )
    for one in ROLES:
        iam.delete_role(RoleName=one.removeprefix("iam role "))
    ec2 = site.standin.client("ec2")
    ec2.delete_launch_template(LaunchTemplateName=f"karpenter.k8s.aws/{OLD}")

    assert await leftovers(site) == {}


@pytest.mark.soak
async def test_a_queue_that_only_has_the_name_is_nobodys_leftover(site):
    events, sqs = site.standin.client("events"), site.standin.client("sqs")
    for name in (one.removeprefix("event rule ") for one in RULES):
        events.remove_targets(Rule=name, Ids=["KarpenterInterruptionQueue"])
        events.delete_rule(Name=name)
    assert QUEUE not in await leftovers(site)

    url = sqs.get_queue_url(QueueName=OLD)["QueueUrl"]
    sqs.tag_queue(QueueUrl=url, Tags={"eks:eks-cluster-name": OLD})
    assert QUEUE in await leftovers(site)


def test_only_who_removes_leftovers_needs_rights_on_the_names_of_others():
    names = Names("123456789012", "us-west-2", "shop")
    few, many = (
        str(installer_policy(names, Wish("shop", removes_leftovers=one))) for one in (False, True)
    )

    for one in (":role/*NodeRole-*", ":role/*ControllerRole-*", ":policy/Karpenter*"):
        assert (one in few, one in many) == (False, True)
    assert "arn:aws:events:us-west-2:123456789012:rule/Nodewright*" in few
