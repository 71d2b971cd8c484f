"""Leading by lease on a real API server: one acts, whatever happens to the others."""

import asyncio
import os
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from e2e.kube_rig import (
    a_machine,
    a_node_claim,
    admin_access,
    role_access,
    wait_for,
    watching,
)
from nodewright.crds.document import definitions
from nodewright.kube.client import Client
from nodewright.kube.crds import install_crds
from nodewright.kube.election import Terms
from nodewright.kube.leader import Leader
from nodewright.kube.machine import Machine, MachineClock
from nodewright.model.resource import NODE_CLAIMS, Ref
from nodewright.ports.kube import Outcome

pytestmark = pytest.mark.e2e

ACTOR = Path(__file__).parent / "kube_actor.py"


def terms_of(identity, namespace, name="karpenter-leader-election"):
    """Terms by which everything happens some times faster than in production."""
    return Terms(identity, namespace, name, lease_ms=4_000, renew_ms=2_500, retry_ms=200)


@pytest.fixture(scope="module")
def access(cluster):
    return role_access(cluster)


@asynccontextmanager
async def candidate(access, terms, machine=None):
    """A candidate that runs for the length of a block and then gives its lease back."""
    client = Client(access, machine or a_machine(os.getpid()))
    leader = Leader(client, terms)
    running = asyncio.create_task(leader.run())
    try:
        yield leader
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await leader.release()
        await client.close()


@pytest.fixture
def lease(request):
    """A lease name of the test's own, so that no other test's leases are rivals."""
    return f"lease-{abs(hash(request.node.name)) % 1_000_000}"


async def test_one_leads_and_the_other_takes_over_when_it_is_released(namespace, access, lease):
    async with candidate(access, terms_of("b", namespace, lease)) as second:
        async with candidate(access, terms_of("a", namespace, lease)) as first:
            await wait_for("a leader", lambda: first.may_act() or second.may_act())
            await asyncio.sleep(1.0)
            leading = [one.may_act() for one in (first, second)]
            standby = second if first.may_act() else first
            said = standby.problem
        await wait_for("the other", second.may_act, limit_s=3.9)

    assert sorted(leading) == [False, True]
    assert said.endswith("leads")


async def test_a_rival_in_another_namespace_keeps_us_from_acting(cluster, namespace, access, lease):
    async with candidate(access, terms_of("us", namespace, lease)) as ours:
        await wait_for("us", ours.may_act)
        rival = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": lease, "namespace": "kube-system"},
            "spec": {"holderIdentity": "karpenter-7d9f", "leaseDurationSeconds": 2},
        }
        await asyncio.to_thread(cluster.create, rival)
        await wait_for("standing down", lambda: "another autoscaler" in ours.problem, limit_s=5)
        said, acted, holder = ours.problem, ours.may_act(), ours._sight[namespace].holder
        # The rival renews nothing: it is dead once it has been seen unchanged for long enough.
        await wait_for("us again", ours.may_act, limit_s=10)
    cluster.kubectl("delete", "lease", lease, "-n", "kube-system")

    assert f"karpenter-7d9f) renews the lease {lease} in namespace kube-system" in said
    assert (acted, holder) == (False, "")


class SkewedClock(MachineClock):
    """A machine whose calendar is wrong."""

    def __init__(self, off_ms):
        self._off_ms = off_ms

    def now_ms(self):
        return super().now_ms() + self._off_ms


async def test_wrong_calendars_elect_one_leader(namespace, access, lease):
    hour_ms = 3_600_000
    machines = [Machine(SkewedClock(off), a_machine().rng) for off in (-hour_ms, hour_ms)]
    async with (
        candidate(access, terms_of("late", namespace, lease), machines[0]) as late,
        candidate(access, terms_of("early", namespace, lease), machines[1]) as early,
    ):
        await wait_for("a leader", lambda: late.may_act() or early.may_act())
        counts = []
        for _ in range(15):
            counts.append(late.may_act() + early.may_act())
            await asyncio.sleep(0.1)

    assert set(counts) == {1}


async def test_the_end_of_a_session_releases_the_lease(cluster, namespace, access, lease):
    terms = terms_of("session", namespace, lease)
    async with watching(access, (), terms=terms) as session:
        await wait_for("leading", session.may_act)
    shown = cluster.get("lease", lease, "-n", namespace)

    assert not shown["spec"].get("holderIdentity")
    assert not session.may_act()


@pytest.fixture
def actors(cluster, access, namespace, lease, tmp_path):
    """Start processes that act on one claim for as long as they lead."""
    started = []
    access_file = tmp_path / "access"
    access_file.write_bytes(msgspec.msgpack.encode(access))

    def start(identity, times):
        log = tmp_path / f"{identity}.log"
        process = os.posix_spawn(
            sys.executable,
            [
                sys.executable, str(ACTOR), str(access_file), identity, namespace, lease,
                ",".join(map(str, times)), str(log),
            ],
            os.environ,
        )  # fmt: skip
        started.append(process)
        return process, log

    yield start
    for process in started:
        os.kill(process, signal.SIGCONT)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


async def _pause_a_leader(cluster, access, actors, lease, times):
    client = Client(admin_access(cluster), a_machine())
    await install_crds(client, definitions())
    await client.close()
    lease_s = times[0] / 1000
    async with watching(access, (NODE_CLAIMS,)) as session:
        await session.wait_synced(60_000)
        made = await session.kube.create(NODE_CLAIMS, a_node_claim(lease))
        assert made.outcome is Outcome.DONE, made.message
        first, first_log = actors("first", times)
        await wait_for("the first acts", lambda: acts(session, lease)[-1:] == ["first"])
        _, second_log = actors("second", times)
        await asyncio.sleep(1.0)
        os.kill(first, signal.SIGSTOP)
        await wait_for(
            "the second acts", lambda: acts(session, lease)[-1] == "second", limit_s=lease_s * 3
        )
        os.kill(first, signal.SIGCONT)
        await asyncio.sleep(1.0)
        history = acts(session, lease)
        await session.kube.delete(Ref(NODE_CLAIMS, lease))
    after = [line for line in first_log.read_text().split() if line][-3:]
    return history, after, second_log.read_text()


def acts(session, name):
    """Give who changed the claim, in order."""
    seen = session.witness.heard.get((NODE_CLAIMS.name, name), [])
    found = [one.metadata.annotations.get("example.org/actor") for one in seen if one is not None]
    return [actor for actor in found if actor]


def assert_one_after_the_other(history, after):
    turns = [actor for actor, before in zip(history, [None, *history], strict=False)
             if actor != before]  # fmt: skip
    assert turns == ["first", "second"]
    assert set(after) == {Outcome.NOT_LEADER.value}


async def test_a_leader_that_was_paused_has_no_effect(cluster, access, actors, lease):
    history, after, _ = await _pause_a_leader(cluster, access, actors, lease, (3000, 2000, 300))

    assert_one_after_the_other(history, after)


@pytest.mark.soak
async def test_a_leader_that_was_paused_has_no_effect_at_real_times(cluster, access, actors, lease):
    times = (15_000, 10_000, 2_000)
    history, after, _ = await _pause_a_leader(cluster, access, actors, lease, times)

    assert_one_after_the_other(history, after)
