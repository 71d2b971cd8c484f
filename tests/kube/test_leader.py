"""A leader knows at every moment whether it may act; a server of leases plays along."""

import asyncio

import pytest

from kube.scripted import Said
from nodewright.kube.election import NAME, Terms
from nodewright.kube.leader import Leader

TERMS = Terms("us", "nodewright")


class Leases:
    """A server that holds leases as the API server does: versions, conflicts and all."""

    def __init__(self):
        self.held = {}
        self.version = 0
        self.broken = False

    def put(self, namespace, **spec):
        self.version += 1
        meta = {"name": NAME, "namespace": namespace, "resourceVersion": str(self.version)}
        self.held[namespace] = {"metadata": meta, "spec": spec}
        return Said(200, self.held[namespace])

    def answer(self, asked):
        if self.broken:
            return Said(503)
        if asked.method == "GET":
            return Said(200, {"items": list(self.held.values())})
        namespace = asked.path.split("/")[5]
        if asked.method == "POST":
            assert namespace not in self.held
            return self.put(namespace, **asked.json["spec"])
        there = self.held[namespace]
        if asked.json["metadata"]["resourceVersion"] != there["metadata"]["resourceVersion"]:
            return Said(409, {"reason": "Conflict", "message": "it has changed"})
        return self.put(namespace, **(there["spec"] | asked.json["spec"]))

    def holder(self, namespace="nodewright"):
        return self.held[namespace]["spec"]["holderIdentity"]


@pytest.fixture
def leases(server):
    found = Leases()
    server.answer = found.answer
    return found


@pytest.fixture
def heard():
    return []


@pytest.fixture
def leader(client, heard):
    return Leader(client, TERMS, heard.append)


async def turns(leader, clock, count):
    """Take some turns, as `run` would, without its waiting."""
    for _ in range(count):
        await leader._turn()
        leader._settle()
        clock.ticks += TERMS.retry_ms


async def test_a_free_lease_is_taken_and_acted_on_only_after_another_look(leader, leases, clock):
    await turns(leader, clock, 1)
    taken = leases.holder()
    at_first = leader.may_act()
    await turns(leader, clock, 1)

    assert (taken, at_first, leader.may_act()) == ("us", False, True)
    assert leader.leading.is_set()


async def test_time_alone_ends_the_right_to_act(leader, leases, clock):
    await turns(leader, clock, 2)
    clock.ticks += TERMS.renew_ms - TERMS.retry_ms - 1
    before = leader.may_act()
    clock.ticks += 1

    assert (before, leader.may_act()) == (True, False)


async def test_a_calendar_that_jumps_changes_nothing(leader, leases, clock):
    await turns(leader, clock, 2)
    clock.skew = 10**9
    await turns(leader, clock, 1)
    clock.skew = -(10**9)

    assert leader.may_act()


async def test_a_server_in_trouble_is_survived_until_the_deadline(leader, leases, clock, heard):
    await turns(leader, clock, 2)
    leases.broken = True
    await turns(leader, clock, 3)
    still = leader.may_act()
    await turns(leader, clock, 2)
    lost = leader.may_act()
    leases.broken = False
    await turns(leader, clock, 1)

    assert (still, lost, leader.may_act()) == (True, False, True)
    assert heard == [True, False, True]


async def test_who_took_the_lease_meanwhile_keeps_it(leader, leases, clock):
    await turns(leader, clock, 2)
    leases.put("nodewright", holderIdentity="other", leaseDurationSeconds=15)
    await turns(leader, clock, 1)

    assert not leader.may_act()
    assert leader.problem == "other leads"
    assert leases.holder() == "other"


async def test_a_dead_leader_is_followed_and_counted(leader, leases, clock):
    leases.put("nodewright", holderIdentity="other", leaseTransitions=4)
    await turns(leader, clock, 7)
    waiting = leases.holder()
    await turns(leader, clock, 3)

    assert waiting == "other"
    assert leader.may_act()
    assert leases.held["nodewright"]["spec"]["leaseTransitions"] == 5


async def test_a_rival_elsewhere_makes_us_give_the_lease_back(leader, leases, clock):
    await turns(leader, clock, 2)
    leases.put("kube-system", holderIdentity="karpenter-1")
    await turns(leader, clock, 1)

    assert not leader.may_act()
    assert leases.holder() == ""
    assert "another autoscaler (karpenter-1)" in leader.problem


async def test_two_who_took_leases_at_once_both_step_back(leader, leases, clock):
    await turns(leader, clock, 1)
    leases.put("elsewhere", holderIdentity="twin")
    await turns(leader, clock, 1)

    assert not leader.may_act()


async def test_who_leads_gives_the_lease_back(leader, leases, clock):
    await turns(leader, clock, 4)
    await leader.release()

    assert leases.holder() == ""
    assert not leader.may_act()


async def test_a_lease_that_was_only_just_made_is_given_back_too(leader, leases, clock):
    await turns(leader, clock, 1)
    assert leases.holder() == "us"
    await leader.release()

    assert leases.holder() == ""


async def test_a_renewal_whose_answer_was_lost_does_not_keep_the_lease(leader, leases, clock):
    await turns(leader, clock, 4)
    leases.put("nodewright", **leases.held["nodewright"]["spec"])
    await leader.release()

    assert leases.holder() == ""


async def test_who_does_not_lead_releases_nothing(leader, leases, clock):
    leases.put("nodewright", holderIdentity="other")
    await turns(leader, clock, 1)
    await leader.release()

    assert leases.holder() == "other"


async def test_running_goes_on_by_itself_and_ends_without_a_trace(leader, leases, heard):
    task = asyncio.create_task(leader.run())
    async with asyncio.timeout(5):
        await leader.leading.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert heard == [True, False]
    assert not leader.may_act()
