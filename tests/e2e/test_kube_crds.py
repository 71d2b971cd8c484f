"""Definitions on a real API server: installed, found too old, and taken away while we watch."""

import asyncio
import copy

import pytest

from e2e.kube_rig import (
    Witness,
    a_machine,
    admin_access,
    assert_true_mirror,
    role_access,
    wait_for,
    watching,
)
from nodewright.crds.document import definitions
from nodewright.kube.client import Client
from nodewright.kube.crds import check_crds, install_crds
from nodewright.kube.reflector import Settings
from nodewright.model.errors import UserError
from nodewright.model.resource import NODE_POLICIES, NODE_POOLS

pytestmark = pytest.mark.e2e

POLICY = {
    "apiVersion": "nodewright.dev/v1alpha1",
    "kind": "NodePolicy",
    "metadata": {"name": "watched"},
    "spec": {},
}


@pytest.fixture
async def admin(cluster):
    client = Client(admin_access(cluster), a_machine())
    yield client
    await client.close()


@pytest.fixture
async def ours(cluster):
    witness = Witness()
    client = Client(role_access(cluster), a_machine(), witness.observe)
    yield client
    await client.close()
    assert witness.forbidden == []


async def test_definitions_are_installed_once_and_found_current(admin, ours):
    await install_crds(admin, definitions())
    again = await install_crds(admin, definitions())

    await check_crds(ours, definitions())
    assert again == ()


async def test_an_older_definition_is_refused_in_one_sentence_and_mended(admin, ours):
    await install_crds(admin, definitions())
    wanted = copy.deepcopy(next(d for d in definitions() if "nodeclaims" in d["metadata"]["name"]))
    older = copy.deepcopy(wanted)
    schema = older["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    del schema["properties"]["status"]["properties"]["lastPodEventTime"]
    changed = await install_crds(admin, [older])
    with pytest.raises(UserError) as refused:
        await check_crds(ours, [wanted])
    mended = await install_crds(admin, [wanted])

    await check_crds(ours, [wanted])
    assert changed == mended == ("nodeclaims.karpenter.sh",)
    assert str(refused.value) == (
        "customresourcedefinitions/nodeclaims.karpenter.sh: the definition of "
        "nodeclaims.karpenter.sh on the cluster is older than this program: it lacks "
        "v1: status.lastPodEventTime"
    )
    assert "nodewright crds" in refused.value.advice


async def test_a_missing_definition_is_refused(ours):
    stranger = copy.deepcopy(definitions()[0])
    stranger["metadata"]["name"] = "things.example.org"

    with pytest.raises(UserError, match="has no things"):
        await check_crds(ours, [stranger])


async def test_a_definition_that_the_server_refuses_is_told(admin):
    broken = copy.deepcopy(definitions()[0])
    broken["metadata"]["name"] = "wrong.example.org"

    with pytest.raises(UserError, match="refuses the definition of wrong"):
        await install_crds(admin, [broken])


async def test_a_definition_removed_while_we_watch_empties_its_kind(cluster, admin):
    await install_crds(admin, definitions())
    access = role_access(cluster)
    cluster.kubectl("delete", "nodepolicies", "--all")
    cluster.create(POLICY)
    settings = Settings(absent_retry_ms=500)
    async with watching(access, (NODE_POLICIES, NODE_POOLS), settings=settings) as session:
        mirror = session.mirror
        await wait_for("the policy", lambda: mirror.get(NODE_POLICIES, "watched"))
        await asyncio.to_thread(
            cluster.kubectl, "delete", "crd", "nodepolicies.nodewright.dev", "--wait=true"
        )
        await wait_for("its absence", lambda: not mirror.is_known(NODE_POLICIES))
        left = mirror.all(NODE_POLICIES)
        still_synced = mirror.waiting_for() == ()
        await install_crds(admin, definitions())
        await wait_for("its return", lambda: mirror.is_known(NODE_POLICIES))
        await asyncio.to_thread(cluster.create, POLICY)
        await wait_for("the new policy", lambda: mirror.get(NODE_POLICIES, "watched"))
        await assert_true_mirror(cluster, session, NODE_POLICIES)
        ready = session.judge_ready()
    cluster.kubectl("delete", "nodepolicies", "--all")

    assert left == ()
    assert still_synced
    assert ready == ""
