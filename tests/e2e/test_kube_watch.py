"""Watching a real API server: the mirror comes to equal a fresh list, and stays so."""

import asyncio
import signal

import msgspec
import pytest

from e2e.faulty_proxy import Faults
from e2e.kube_rig import (
    Witness,
    a_machine,
    assert_true_mirror,
    authority,
    role_access,
    storm_of,
    through_proxy,
    wait_for,
    watching,
)
from nodewright.kube.access import Source
from nodewright.kube.client import Client, Request
from nodewright.kube.reflector import Settings
from nodewright.kube.session import greet
from nodewright.model.resource import NAMESPACES, NODES, VOLUME_CLAIMS, WATCHED

pytestmark = pytest.mark.e2e

KINDS = (VOLUME_CLAIMS, NAMESPACES, NODES)


@pytest.fixture(scope="module")
def access(cluster):
    return role_access(cluster)


async def test_the_role_may_watch_all_that_is_watched(cluster, access):
    async with watching(access, WATCHED) as session:
        waiting = {"nodepools.karpenter.sh", "nodeclaims.karpenter.sh"}
        await wait_for(
            "all but ours",
            lambda: session.witness.forbidden or set(session.mirror.waiting_for()) <= waiting,
        )
        version = await greet(session.client)

    assert version == cluster.sandbox.record.kubernetes_version


@pytest.mark.parametrize("streamed", [False, True], ids=["in pages", "as a stream"])
async def test_a_list_and_every_change_after_it_arrive(cluster, namespace, access, streamed):
    settings = Settings(page_items=3, stream_lists=streamed)
    async with (
        storm_of(cluster, namespace, 8) as storm,
        watching(access, KINDS, settings=settings) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        await storm.blow(5)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        witness = session.witness
        lists = session.reflectors["persistentvolumeclaims"].vitals.list_count

    assert all(witness.steps(storm.key(name)) == [0, 1, 2, 3, 4, 5] for name in storm.names)
    assert lists == 1


async def test_pages_add_up_to_the_whole(cluster, namespace, access):
    async with storm_of(cluster, namespace, 10) as storm:
        await storm.create()
        async with watching(access, KINDS, settings=Settings(page_items=3)) as session:
            await session.wait_synced(60_000)
            await assert_true_mirror(cluster, session, VOLUME_CLAIMS, limit_s=1)


async def test_watches_cut_every_second_miss_nothing(cluster, namespace, access):
    await _survive_cuts(cluster, namespace, access, rounds=12)


@pytest.mark.soak
async def test_watches_cut_every_second_for_a_minute_miss_nothing(cluster, namespace, access):
    await _survive_cuts(cluster, namespace, access, rounds=240)


async def _survive_cuts(cluster, namespace, access, rounds):
    faults = Faults(watch_s=1.0)
    async with (
        storm_of(cluster, namespace, 4) as storm,
        through_proxy(cluster, access, faults) as (proxy, detour),
        watching(detour, KINDS) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        await storm.blow(rounds, pause_s=0.25)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        witness = session.witness
        lists = session.reflectors["persistentvolumeclaims"].vitals.list_count

    every_step = list(range(rounds + 1))
    assert proxy.counts["cut"] > 2
    assert lists == 1
    assert all(witness.steps(storm.key(name)) == every_step for name in storm.names)


@pytest.mark.soak
async def test_a_history_that_was_thrown_away_is_listed_anew(cluster, namespace, access):
    async with (
        storm_of(cluster, namespace, 3) as storm,
        through_proxy(cluster, access, Faults(watch_s=0.5)) as (proxy, detour),
        watching(detour, KINDS) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        vitals = session.reflectors["persistentvolumeclaims"].vitals
        await wait_for("the claims", lambda: len(session.mirror.all(VOLUME_CLAIMS)) == 3)
        # Deaf for a while, until neither etcd nor the API server remembers what happened.
        proxy.faults = Faults(rate=1.0, kinds=("drop",))
        await asyncio.sleep(1.0)
        await storm.blow(3)
        await asyncio.to_thread(cluster.compact_etcd)
        cluster.signal_program("kube-apiserver", signal.SIGKILL)
        await asyncio.to_thread(cluster.wait_ready)
        session.witness.forgive()
        proxy.faults = Faults()
        await wait_for("a new list", lambda: vitals.list_count == 2)
        await storm.blow(2)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        witness = session.witness

    assert [witness.steps(storm.key(name)) for name in storm.names] == [[0, 3, 4, 5]] * 3


@pytest.mark.soak
async def test_watches_that_never_begin_are_given_up(cluster, namespace, access):
    async with (
        storm_of(cluster, namespace, 3) as storm,
        through_proxy(cluster, access, Faults(watch_s=0.5)) as (proxy, detour),
        watching(detour, KINDS) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        every = session.reflectors.values()
        await wait_for("short watches", lambda: all(one.vitals.watch_count for one in every))
        # The server begins each watch, and nobody hears of it.
        proxy.faults = Faults(rate=1.0, kinds=("lose",))
        await wait_for("lost watches", lambda: proxy.counts.get("lose", 0) >= len(KINDS))
        proxy.faults = Faults()
        await storm.blow(2)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        witness = session.witness

    for name in storm.names:
        steps = witness.steps(storm.key(name))
        assert steps == sorted(set(steps))
        assert steps[-1] == 2


@pytest.mark.parametrize(
    "rounds", [8, pytest.param(120, marks=pytest.mark.soak)], ids=["short", "long"]
)
async def test_a_third_of_all_requests_failing_hides_nothing(cluster, namespace, access, rounds):
    faults = Faults(rate=0.3, watch_s=2.0)
    async with (
        storm_of(cluster, namespace, 4) as storm,
        through_proxy(cluster, access, faults, seed=7) as (proxy, detour),
        watching(detour, KINDS) as session,
    ):
        await storm.create()
        await storm.blow(rounds, pause_s=0.25)
        await session.wait_synced(60_000)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        witness = session.witness

    assert sum(proxy.counts.get(kind, 0) for kind in ("500", "429", "hang", "drop", "lose")) > 0
    for name in storm.names:
        steps = witness.steps(storm.key(name))
        assert steps == sorted(set(steps))
        assert steps[-1] == rounds


@pytest.mark.soak
async def test_a_killed_api_server_is_waited_out(cluster, namespace, access):
    async with (
        storm_of(cluster, namespace, 3) as storm,
        watching(access, KINDS) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        await storm.blow(2)
        cluster.signal_program("kube-apiserver", signal.SIGKILL)
        await wait_for("trouble", session.describe_problems)
        await asyncio.to_thread(cluster.wait_ready)
        session.witness.forgive()
        await storm.blow(2)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        await assert_true_mirror(cluster, session, NAMESPACES)
        witness = session.witness

    for name in storm.names:
        steps = witness.steps(storm.key(name))
        assert steps == sorted(set(steps))
        assert steps[-1] == 4


async def test_an_object_of_more_than_a_megabyte_is_watched(cluster, namespace, access):
    async with (
        storm_of(cluster, namespace, 1) as storm,
        watching(access, KINDS) as session,
    ):
        await session.wait_synced(60_000)
        await storm.create()
        (name,) = storm.names
        # An annotation may hold a quarter of a megabyte, so the bulk goes where nobody measures.
        bulk = {f"example.org/{number}": "x" * 1_000 for number in range(250)}
        refs = [
            {"apiVersion": "v1", "kind": "Pod", "name": f"p{n}" + "y" * 240, "uid": f"u{n}"}
            for n in range(4_000)
        ]
        # Its owners are nowhere, so it will be collected: the finalizer keeps it for a look.
        keep = ["example.org/keep"]
        change = {"metadata": {"annotations": bulk, "ownerReferences": refs, "finalizers": keep}}
        patch = ("patch", "pvc", name, "-n", namespace, "--type=merge")
        cluster.kubectl(*patch, "--patch-file=/dev/stdin", stdin=msgspec.json.encode(change))
        key = storm.key(name)

        def is_large() -> bool:
            claim = session.mirror.get(VOLUME_CLAIMS, key)
            return claim is not None and len(claim.metadata.owner_references) == 4_000

        await wait_for("the large object", is_large)
        await assert_true_mirror(cluster, session, VOLUME_CLAIMS)
        held = msgspec.json.encode(session.mirror.get(VOLUME_CLAIMS, key))
        cluster.kubectl(*patch, "-p", '{"metadata": {"finalizers": null}}')

    assert len(held) > 1 << 20


async def test_a_rotated_token_and_authority_are_read_anew(cluster, namespace, access, tmp_path):
    token, bundle = tmp_path / "token", tmp_path / "ca.crt"
    token.write_text("no such token")
    bundle.write_bytes(Source(path=authority(cluster)).read())
    rotating = msgspec.structs.replace(
        access,
        user=msgspec.structs.replace(access.user, token=Source(path=str(token))),
        authority=Source(path=str(bundle)),
    )
    async with watching(rotating, KINDS) as session:
        await wait_for("a refusal", lambda: "401" in session.describe_problems())
        token.write_bytes(access.user.token.data)
        bundle.write_bytes(bundle.read_bytes() + b"\n")
        await session.wait_synced(60_000)
        await assert_true_mirror(cluster, session, NAMESPACES)


async def test_a_witness_sees_a_request_that_the_role_does_not_allow(access):

    witness = Witness()
    client = Client(access, a_machine(), witness.observe)
    reply = await client.ask(Request("GET", "/api/v1/secrets"))
    await client.close()

    assert reply.status == 403
    assert witness.forbidden == ["GET /api/v1/secrets"]
