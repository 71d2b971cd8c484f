"""A session starts and ends as a whole, and tells what is wrong as what it is."""

import asyncio

import pytest

from kube.said import a_page, a_status
from kube.scripted import Said
from nodewright.kube.access import Access, ExecPlugin, User
from nodewright.kube.client import Client
from nodewright.kube.machine import Machine, MachineRandom, this_machine
from nodewright.kube.session import Plan, greet, open_session
from nodewright.model.errors import UserError
from nodewright.model.resource import NODE_POOLS, PODS, Ref
from nodewright.ports.kube import Notice, Outcome

PLAN = Plan("test", resources=(PODS, NODE_POOLS))


def answer(asked):
    if "watch" in asked.params:
        return Said(chunks=(), stay_s=30)
    return Said(201 if asked.method == "POST" else 200, a_page(version=5))


async def test_a_synced_session_is_ready(server):
    server.answer = answer
    async with open_session(Access(server.url), this_machine(), PLAN) as session:
        early = session.judge_ready()
        await session.wait_synced(5_000)
        late = session.judge_ready()

    assert early == "not listed yet: pods, nodepools.karpenter.sh"
    assert late == ""


async def test_a_cluster_that_lacks_a_needed_kind_is_told(server):
    server.answer = lambda asked: (
        Said(404, a_status(404)) if "nodepools" in asked.path else answer(asked)
    )
    async with open_session(Access(server.url), this_machine(), PLAN) as session:
        for _ in range(3_000):
            if session.mirror.missing():
                break
            await asyncio.sleep(0.01)
        with pytest.raises(UserError) as late:
            await session.wait_synced(0)
        ready = session.judge_ready()

    assert "the cluster is not known after 0 s" in late.value.message
    assert "nodepools.karpenter.sh" in late.value.message
    assert ready == "the cluster does not know nodepools.karpenter.sh"


async def test_a_cluster_that_went_silent_is_not_ready(server, clock):
    server.answer = answer
    machine = Machine(clock, MachineRandom(1))
    async with open_session(Access(server.url), machine, PLAN) as session:
        await session.wait_synced(600_000)
        clock.ticks += 400_000
        said = session.judge_ready()

    assert said.startswith("nothing was heard of pods for 4")


async def test_the_end_writes_what_is_queued_and_forbids_acts(server):
    server.answer = answer
    async with open_session(Access(server.url), this_machine(), PLAN) as session:
        await session.wait_synced(5_000)
        session.kube.publish(Notice(Ref(PODS, "p", "ns"), "Evicted", "bye"))
    after = await session.kube.delete(Ref(PODS, "p", "ns"))

    assert [asked.json["reason"] for asked in server.asked if asked.method == "POST"] == ["Evicted"]
    assert after.outcome is Outcome.NOT_LEADER
    assert len(asyncio.all_tasks()) == 1 + len(server_tasks())


def server_tasks():
    return [task for task in asyncio.all_tasks() if "serve" in repr(task.get_coro())]


async def test_what_goes_wrong_in_the_block_is_not_wrapped(server):
    server.answer = answer
    with pytest.raises(UserError, match="the user did it"):
        async with open_session(Access(server.url), this_machine(), PLAN):
            raise UserError("the user did it")


async def test_a_broken_promise_inside_ends_the_session(server):
    server.answer = answer

    def hear(_):
        raise AssertionError("impossible")

    pod = {"metadata": {"name": "p", "namespace": "ns", "resourceVersion": "1"}}
    server.answer = lambda asked: (
        answer(asked) if "watch" in asked.params else Said(200, a_page(pod, version=5))
    )
    plan = Plan("test", resources=(PODS,), hear=hear)
    with pytest.raises(AssertionError, match="impossible"):
        async with open_session(Access(server.url), this_machine(), plan):
            await asyncio.sleep(10)


async def test_a_greeting_gives_the_version_or_one_sentence(server, client, machine):
    server.answer = lambda _: Said(200, {"gitVersion": "v1.34.4"})
    version = await greet(client)
    server.answer = lambda _: Said(401)
    with pytest.raises(UserError, match="does not let us in"):
        await greet(client)
    nobody = Client(Access("http://127.0.0.1:1"), machine)
    with pytest.raises(UserError, match="cannot be reached"):
        await greet(nobody)
    plugin = User(plugin=ExecPlugin("no-such-program"))
    with pytest.raises(UserError, match="cannot be started"):
        await greet(Client(Access(server.url, plugin), machine))

    assert version == "v1.34.4"
