"""Whole installations on ready-made accounts: there, again, and off without a trace."""

import pytest

from builders.installs import a_site, changed, deeds, same, signs
from nodewright.install.apply import Halted
from nodewright.sandbox.accounts import scenario
from nodewright.sandbox.aws.faults import Switch

QUICK = ("hand-made",)
REST = sorted({*scenario.names()} - {*QUICK, "fresh"})
SCENARIOS = [*QUICK, *(pytest.param(name, marks=pytest.mark.soak) for name in REST)]


@pytest.fixture(scope="module")
def fresh():
    with a_site() as site:
        yield site


@pytest.fixture
def no_faults(fresh):
    yield
    fresh.standin.account.faults.clear()


@pytest.mark.parametrize("name", SCENARIOS)
async def test_an_installation_goes_as_it_came(name):
    with a_site(name) as site:
        wish = site.wish(is_fargate=name == "no-node-group")
        before = site.state()
        # A role that was made a moment ago is not known to EKS at once.
        early = Switch("error", times=2, code="InvalidParameterException", status=400)
        site.standin.account.faults.set("eks.CreatePod*", early)
        await site.carry_out(await site.plan(wish))

        again = await site.plan(wish)
        assert [step for step in again.steps if step.sign != "="] == []

        await site.carry_out(await site.plan(wish, "uninstall"))
        assert changed(before, site.state()) == []
        assert signs(await site.plan(wish, "uninstall")) == []


async def test_who_is_killed_half_way_ends_where_all_end(fresh):
    await end_as_all_end(fresh, lambda count: (count // 2,))


@pytest.mark.soak
async def test_who_is_killed_at_every_single_step_ends_where_all_end(fresh):
    await end_as_all_end(fresh, range)


async def end_as_all_end(site, choose):
    before = site.state()
    plan = await site.plan()
    await site.carry_out(plan)
    wanted = same(site.state())
    await site.carry_out(await site.plan(verb="uninstall"))
    for count in choose(len(deeds(plan))):
        await site.carry_out_some(await site.plan(), count)
        await site.carry_out(await site.plan())
        assert changed(wanted, same(site.state())) == [], f"killed after {count} deeds"

        undo = await site.plan(verb="uninstall")
        await site.carry_out_some(undo, count % len(deeds(undo)))
        await site.carry_out(await site.plan(verb="uninstall"))
        assert changed(before, site.state()) == [], f"uninstall killed after {count} deeds"


@pytest.mark.soak
async def test_a_failure_says_what_was_done_and_what_was_not(fresh, no_faults):
    before = fresh.state()
    fresh.standin.account.faults.set("sqs.CreateQueue", Switch("deny"))
    plan = await fresh.plan()

    with pytest.raises(
        Halted, match="stopped at sqs queue shop: you may not do sqs:CreateQueue"
    ) as caught:
        await fresh.carry_out(plan)

    assert caught.value.left[0].title == "sqs queue shop"
    assert caught.value.done + len(caught.value.left) == len(plan.changes)
    assert '"Action":"sqs:CreateQueue"' in caught.value.advice

    fresh.standin.account.faults.clear()
    await fresh.carry_out(await fresh.plan(verb="uninstall"))
    assert changed(before, fresh.state()) == []
