"""Acts on a real API server: each answer is a value, and guards hold."""

import asyncio
import signal

import msgspec
import pytest

from e2e.faulty_proxy import Faults
from e2e.kube_rig import (
    NAMESPACE,
    Witness,
    a_machine,
    a_node_claim,
    admin_access,
    assert_true_mirror,
    role_access,
    through_proxy,
    wait_for,
    watching,
)
from nodewright.crds.document import definitions
from nodewright.kube.client import Client
from nodewright.kube.crds import install_crds
from nodewright.model.labels import TERMINATION_FINALIZER
from nodewright.model.metadata import ObjectMeta
from nodewright.model.resource import NODE_CLAIMS, NODE_POOLS, NODES, PODS, Ref, refer
from nodewright.ports.kube import Notice, Options, Outcome

pytestmark = pytest.mark.e2e

KINDS = (NODE_CLAIMS, NODES, PODS)


@pytest.fixture(scope="module")
def access(cluster):
    async def install():
        client = Client(admin_access(cluster), a_machine())
        try:
            await install_crds(client, definitions())
        finally:
            await client.close()

    asyncio.run(install())
    return role_access(cluster)


@pytest.fixture
def claim_name(cluster, request):
    name = f"writes-{abs(hash(request.node.name)) % 1_000_000}"
    yield name
    cluster.run_kubectl("patch", "nodeclaim", name, "--type=merge", "-p", NO_FINALIZERS)
    cluster.run_kubectl("delete", "nodeclaim", name, "--ignore-not-found", "--wait=false")


NO_FINALIZERS = '{"metadata":{"finalizers":null}}'


async def test_a_claim_lives_and_dies_by_guarded_writes(cluster, access, claim_name):
    async with watching(access, KINDS) as session:
        await session.wait_synced(60_000)
        kube = session.kube
        ref = Ref(NODE_CLAIMS, claim_name)
        made = await kube.create(NODE_CLAIMS, a_node_claim(claim_name))
        again = await kube.create(NODE_CLAIMS, a_node_claim(claim_name))
        seen = await wait_for("it", lambda: session.mirror.get(NODE_CLAIMS, claim_name))
        mine = refer(NODE_CLAIMS, seen)
        held = await kube.add_finalizer(mine, seen, TERMINATION_FINALIZER)
        stale = await kube.add_finalizer(mine, seen, "example.org/other")
        status = {"status": {"providerID": "aws:///zone/i-1", "nodeName": "n1"}}
        stated = await kube.patch(mine, status, Options(subresource="status"))
        other = msgspec.structs.replace(mine, uid="not-this-one")
        wrong_uid = await kube.patch(other, {"metadata": {"labels": {"a": "b"}}})
        deleted = await kube.delete(mine)
        gone_soon = await wait_for(
            "its deletion",
            lambda: (
                (c := session.mirror.get(NODE_CLAIMS, claim_name)).metadata.deletion_timestamp and c
            ),
        )
        wrong_delete = await kube.delete(mine, Options(if_version="1"))
        freed = await kube.remove_finalizer(mine, gone_soon, TERMINATION_FINALIZER)
        await wait_for("its end", lambda: session.mirror.get(NODE_CLAIMS, claim_name) is None)
        missing = await kube.delete(ref)

    assert (made.outcome, again.outcome) == (Outcome.DONE, Outcome.EXISTS)
    assert made.version == seen.metadata.resource_version
    assert (held.outcome, stale.outcome) == (Outcome.DONE, Outcome.CONFLICT)
    assert (stated.outcome, wrong_uid.outcome) == (Outcome.DONE, Outcome.CONFLICT)
    assert gone_soon.status.provider_id == "aws:///zone/i-1"
    assert (deleted.outcome, wrong_delete.outcome) == (Outcome.DONE, Outcome.CONFLICT)
    assert (freed.outcome, missing.outcome) == (Outcome.DONE, Outcome.NOT_FOUND)


async def test_patches_by_steps_and_by_ownership(cluster, access, claim_name):
    async with watching(access, KINDS) as session:
        kube = session.kube
        made = await kube.create(NODE_CLAIMS, a_node_claim(claim_name))
        ref = Ref(NODE_CLAIMS, claim_name, uid=made.uid)
        step = {"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}
        good = await kube.patch_list(ref, [step], Options(if_version=made.version))
        late = await kube.patch_list(ref, [step], Options(if_version=made.version))
        test = {"op": "test", "path": "/metadata/labels/a", "value": "c"}
        tested = await kube.patch_list(ref, [test, step])
        wanted = {"metadata": {"name": claim_name, "annotations": {"example.org/x": "1"}}}
        applied = await kube.apply(ref, wanted)
        invalid = await kube.patch(ref, {"spec": {"expireAfter": "never"}})
        found = cluster.get("nodeclaim", claim_name)

    assert (good.outcome, late.outcome) == (Outcome.DONE, Outcome.CONFLICT)
    assert tested.outcome is Outcome.CONFLICT, tested.message
    assert applied.outcome is Outcome.DONE, applied.message
    assert invalid.outcome is Outcome.INVALID
    assert found["metadata"]["labels"] == {"a": "b"}
    assert found["metadata"]["annotations"] == {"example.org/x": "1"}


async def test_an_object_too_large_to_be_stored_is_refused_at_once(access, claim_name):
    async with watching(access, KINDS) as session:
        claim = a_node_claim(claim_name)
        words = {f"example.org/{n}": ("y" * 250) for n in range(900)}
        large = msgspec.structs.replace(claim, metadata=ObjectMeta(claim_name, annotations=words))
        made = await session.kube.create(NODE_CLAIMS, large)
        owners = [
            {"apiVersion": "v1", "kind": "Pod", "name": "z" * 250, "uid": f"{n}"}
            for n in range(12_000)
        ]
        ref = Ref(NODE_CLAIMS, claim_name)
        answer = await session.kube.patch(ref, {"metadata": {"ownerReferences": owners}})

    assert made.outcome is Outcome.DONE, made.message
    assert answer.outcome is Outcome.TOO_LARGE, answer.message


async def test_an_eviction_waits_for_its_budget(cluster, namespace, access):
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "guarded", "namespace": namespace, "labels": {"app": "x"}},
        "spec": {"containers": [{"name": "main", "image": "none"}], "nodeName": "no-such-node"},
    }
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "all", "namespace": namespace},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "x"}}},
    }
    cluster.create(pod, budget)
    # Only a pod that runs is counted, and counting takes the controller a moment.
    ready = {"type": "Ready", "status": "True"}
    cluster.kubectl(
        "patch", "pod", "guarded", "-n", namespace, "--subresource=status", "--type=merge",
        "-p", msgspec.json.encode({"status": {"phase": "Running", "conditions": [ready]}}).decode(),
    )  # fmt: skip
    cluster.wait_for(
        "the budget's count",
        lambda: cluster.get("pdb", "all", "-n", namespace)["status"].get("currentHealthy") == 1,
    )
    async with watching(access, KINDS) as session:
        await wait_for("the pod", lambda: session.mirror.get(PODS, f"{namespace}/guarded"))
        ref = refer(PODS, session.mirror.get(PODS, f"{namespace}/guarded"))
        blocked = await session.kube.evict(ref)
        other = await session.kube.evict(msgspec.structs.replace(ref, uid="another"))
        await asyncio.to_thread(cluster.kubectl, "delete", "pdb", "all", "-n", namespace)
        gone = await session.kube.evict(ref, Options(grace_s=0))
        await wait_for("its end", lambda: not session.mirror.get(PODS, f"{namespace}/guarded"))
        missing = await session.kube.evict(ref)

    assert blocked.outcome is Outcome.BLOCKED, blocked
    assert "budget" in blocked.message
    assert other.outcome in (Outcome.CONFLICT, Outcome.BLOCKED), other
    assert gone.outcome is Outcome.DONE, gone
    assert missing.outcome is Outcome.NOT_FOUND


async def test_an_event_is_said_once(cluster, namespace, access, claim_name):
    async with watching(access, KINDS) as session:
        made = await session.kube.create(NODE_CLAIMS, a_node_claim(claim_name))
        ref = Ref(NODE_CLAIMS, claim_name, uid=made.uid)
        notice = Notice(ref, "Launched", "the machine is there", dedupe=("i-1",))
        said = [session.kube.publish(notice), session.kube.publish(notice)]
        other = msgspec.structs.replace(notice, dedupe=("i-2",), is_warning=True)
        said.append(session.kube.publish(other))
        assert await session.recorder.drain(10.0)
        dropped = session.recorder.dropped_count
    field = f"--field-selector=regarding.name={claim_name}"
    found = cluster.get("events.events.k8s.io", "-n", "default", field)["items"]

    assert (said, dropped) == ([True, False, True], 0)
    assert sorted(event["type"] for event in found) == ["Normal", "Warning"]
    assert {event["reportingController"] for event in found} == {"karpenter"}
    assert {event["note"] for event in found} == {"the machine is there"}


async def test_writes_survive_a_killed_api_server(cluster, access):
    names = [f"storm-{number}" for number in range(40)]
    try:
        async with watching(access, KINDS) as session:
            await session.wait_synced(60_000)
            claims = [a_node_claim(name) for name in names]
            writing = asyncio.create_task(session.kube.create_all(NODE_CLAIMS, claims))
            await asyncio.sleep(0.05)
            cluster.signal_program("kube-apiserver", signal.SIGKILL)
            answers = await writing
            await asyncio.to_thread(cluster.wait_ready)
            session.witness.forgive()
            # Whoever got no answer asks again; what was done already says so.
            for claim, answer in zip(claims, answers, strict=True):
                if answer.outcome in (Outcome.UNREACHABLE, Outcome.BUSY):
                    assert (await session.kube.create(NODE_CLAIMS, claim)).outcome in (
                        Outcome.DONE,
                        Outcome.EXISTS,
                    )
            await assert_true_mirror(cluster, session, NODE_CLAIMS)
            there = {claim.metadata.name for claim in session.mirror.all(NODE_CLAIMS)}
    finally:
        await asyncio.to_thread(
            cluster.kubectl, "delete", "nodeclaim", *names, "--wait=false", "--ignore-not-found"
        )

    wanted = {Outcome.DONE, Outcome.EXISTS, Outcome.UNREACHABLE, Outcome.BUSY}
    assert {answer.outcome for answer in answers} <= wanted
    assert set(names) <= there


async def test_writes_through_a_bad_network_happen_once(cluster, access):
    names = [f"network-{number}" for number in range(15)]
    try:
        async with (
            through_proxy(cluster, access, Faults(rate=0.3, hang_s=0.5), seed=3) as (proxy, detour),
            watching(detour, KINDS) as session,
        ):
            claims = [a_node_claim(name) for name in names]
            answers = await session.kube.create_all(NODE_CLAIMS, claims)
            await session.wait_synced(60_000)
            await assert_true_mirror(cluster, session, NODE_CLAIMS)
            there = [claim.metadata.name for claim in session.mirror.all(NODE_CLAIMS)]
    finally:
        await asyncio.to_thread(
            cluster.kubectl, "delete", "nodeclaim", *names, "--wait=false", "--ignore-not-found"
        )

    done = {
        name
        for name, answer in zip(names, answers, strict=True)
        if answer.outcome in (Outcome.DONE, Outcome.EXISTS)
    }
    assert sum(proxy.counts.get(kind, 0) for kind in ("500", "429", "hang", "drop", "lose")) > 3
    assert done <= set(there)
    assert len(there) == len(set(there))
    assert len(done) > len(names) * 0.9


async def test_what_the_role_does_not_allow_is_an_answer_and_a_failed_test(cluster, access):
    witness = Witness()
    with pytest.raises(AssertionError, match="does not allow"):
        async with watching(access, KINDS, witness=witness) as session:
            answer = await session.kube.delete(Ref(NODE_POOLS, "any"))

    assert answer.outcome is Outcome.FORBIDDEN
    assert "nodepools" in answer.message
    assert witness.forbidden == ["DELETE /apis/karpenter.sh/v1/nodepools/any"]
    assert access.namespace == NAMESPACE
