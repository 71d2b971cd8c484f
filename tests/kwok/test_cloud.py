"""Machines that are Nodes: launched once, booted on time, ended for good."""

import asyncio

import msgspec
import pytest

from builders import NOW_MS, a_pool
from builders.lives import with_meta
from nodewright.kwok.cloud import KwokCloud
from nodewright.kwok.machine import ENDED_AT, HELD, PLAYED, provider_id_of
from nodewright.model.labels import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    UNREGISTERED_TAINT,
    ZONE,
)
from nodewright.model.metadata import Taint
from nodewright.model.node import Node
from nodewright.model.quantity import parse_resources
from nodewright.model.requirements import Requirements
from nodewright.model.resource import NODE_POOLS, NODES, key_of
from nodewright.ports.cloud import Ended, Launched, LaunchFailed, LaunchFault, LaunchRequest
from nodewright.ports.kube import Answer, Outcome
from nodewright.state.mirror import Mirror

HOME = "kwok.nodewright.dev/"


class Server:
    """Nodes as an API server keeps them; the mirror sees each change at once, unless it lags."""

    def __init__(self):
        self.mirror = Mirror()
        self.mirror.replace(NODES, (), "1")
        self.nodes = {}
        self.version = 1
        self.lags = False
        self.now = NOW_MS

    def now_ms(self):
        return self.now

    async def sleep_ms(self, duration_ms):
        self.now += duration_ms
        await asyncio.sleep(0)

    def show(self):
        self.mirror.replace(NODES, tuple(self.nodes.values()), str(self.version))

    def put(self, node):
        self.version += 1
        node = with_meta(node, resource_version=str(self.version))
        self.nodes[key_of(node.metadata)] = node
        if not self.lags:
            self.show()
        return Answer(Outcome.DONE, version=str(self.version))

    async def create(self, _resource, node):
        if node.metadata.name in self.nodes:
            return Answer(Outcome.EXISTS)
        return self.put(with_meta(node, uid=f"uid-{node.metadata.name}"))

    async def patch(self, ref, change, options=None):
        node = self.nodes.get(ref.name)
        if node is None:
            return Answer(Outcome.NOT_FOUND)
        if options and options.if_version not in ("", node.metadata.resource_version):
            return Answer(Outcome.CONFLICT)
        return self.put(msgspec.convert(merge(msgspec.to_builtins(node), change), Node))

    async def delete(self, ref):
        if self.nodes.pop(ref.name, None) is None:
            return Answer(Outcome.NOT_FOUND)
        self.show()
        return Answer(Outcome.DONE)


def merge(old, change):
    if not isinstance(change, dict):
        return change
    known = old if isinstance(old, dict) else {}
    merged = known | {name: merge(known.get(name), value) for name, value in change.items()}
    return {name: value for name, value in merged.items() if value is not None}


def a_request(token="uid-1-0"):
    wanted = {ZONE: "us-east-1a", CAPACITY_TYPE: "on-demand"}
    return LaunchRequest(
        token=token, claim="web-1", claim_uid="uid-1", node_pool="web", node_class=None,
        requirements=Requirements.from_labels(wanted), instance_types=("m5.large", "m5.xlarge"),
        requests=parse_resources({"cpu": "1"}), taints=(Taint(key="team", effect="NoSchedule"),),
    )  # fmt: skip


def a_cloud(**said):
    server = Server()
    notes = {f"{HOME}{name.replace('_', '-')}": value for name, value in said.items()}
    server.mirror.replace(NODE_POOLS, [with_meta(a_pool("web"), annotations=notes)], "1")
    return again(server), server


def again(server):
    """Another process on the same cluster."""
    return KwokCloud(server, server.mirror, server)


async def boot(cloud):
    """Let the play go on for a while."""
    playing = asyncio.create_task(cloud.run())
    for _ in range(20):
        await asyncio.sleep(0)
    playing.cancel()


async def test_a_machine_is_bare_until_it_has_booted():
    cloud, server = a_cloud(boot_delay="1h")

    answer = await cloud.launch(a_request())

    assert isinstance(answer, Launched)
    assert answer.labels[INSTANCE_TYPE] == "m5.large"
    assert HOSTNAME not in answer.labels
    (node,) = server.nodes.values()
    assert (node.spec.provider_id, node.metadata.labels, node.status.capacity) == ("", {}, {})
    assert [one.key for one in node.spec.taints] == [UNREGISTERED_TAINT]
    assert HELD in node.metadata.annotations
    assert [one.state for one in await cloud.list_machines()] == ["pending"]


async def test_a_booted_machine_is_a_node_with_everything():
    cloud, server = a_cloud(boot_delay="0s")
    answer = await cloud.launch(a_request())

    await boot(cloud)

    (node,) = server.nodes.values()
    assert node.spec.provider_id == answer.machine.provider_id == provider_id_of(node)
    assert node.metadata.labels[ZONE] == "us-east-1a"
    assert node.metadata.labels["failure-domain.beta.kubernetes.io/zone"] == "us-east-1a"
    assert "failure-domain.beta.kubernetes.io/zone" not in answer.labels
    assert node.metadata.annotations[PLAYED] == "fake"
    assert HELD not in node.metadata.annotations
    assert parse_resources(node.status.allocatable) == answer.allocatable
    assert {one.key for one in node.spec.taints} == {UNREGISTERED_TAINT, "team"}


async def test_the_boot_survives_the_process():
    cloud, server = a_cloud(boot_delay="10s")
    await cloud.launch(a_request())
    server.now += 11_000

    second = again(server)
    await boot(second)

    assert [one.state for one in await second.list_machines()] == ["running"]


async def test_asking_again_gives_the_same_machine_from_whichever_process():
    cloud, server = a_cloud()
    first = await cloud.launch(a_request())
    server.mirror.replace(NODES, (), "1")
    server.lags = True

    second = asyncio.create_task(again(server).launch(a_request()))
    await asyncio.sleep(0)
    server.show()

    assert (await second).machine == first.machine
    assert len(server.nodes) == 1


async def test_another_attempt_is_another_machine():
    cloud, server = a_cloud()
    await cloud.launch(a_request())
    await cloud.launch(a_request(token="uid-1-1"))

    assert len(server.nodes) == 2


@pytest.mark.parametrize(
    ("said", "fault", "reason"),
    [
        ({"no_capacity": "*"}, LaunchFault.NO_CAPACITY, "InsufficientInstanceCapacity"),
        ({"launch_error": "Unauthorized: no"}, LaunchFault.REFUSED, "Unauthorized"),
        ({"boot_delay": "soon"}, LaunchFault.REFUSED, "BadAnnotation"),
    ],
)
async def test_launches_fail_as_asked_for(said, fault, reason):
    cloud, server = a_cloud(**said)

    answer = await cloud.launch(a_request())

    assert isinstance(answer, LaunchFailed)
    assert (answer.fault, answer.reason, server.nodes) == (fault, reason, {})


async def test_what_could_not_be_had_is_shown_as_sold_out_for_a_while():
    cloud, server = a_cloud(no_capacity="m5.large/us-east-1a")

    answer = await cloud.launch(a_request())
    types = await cloud.instance_types(None)

    assert answer.machine.instance_type == "m5.xlarge"
    gone = next(one for one in types if one.name == "m5.large").offerings
    assert [one.available for one in gone if one.zone == "us-east-1a"].count(False) == 1
    server.now += 180_001
    assert await cloud.instance_types(None) == await again(server).instance_types(None)


async def test_a_machine_that_never_registers_runs_and_stays_bare():
    cloud, server = a_cloud(never_registers="true", boot_delay="0s")
    await cloud.launch(a_request())

    await boot(cloud)

    (node,) = server.nodes.values()
    assert node.spec.provider_id == ""


async def test_a_node_that_never_gets_ready_is_not_played():
    cloud, server = a_cloud(never_ready="true", boot_delay="0s")
    await cloud.launch(a_request())

    await boot(cloud)

    (node,) = server.nodes.values()
    assert node.spec.provider_id
    assert PLAYED not in node.metadata.annotations


async def test_an_ended_machine_is_gone_although_a_finalizer_keeps_its_node():
    cloud, server = a_cloud(boot_delay="0s")
    machine = (await cloud.launch(a_request())).machine
    (node,) = server.nodes.values()
    server.put(with_meta(node, deletion_timestamp="2026-09-21T14:00:00Z"))

    assert await cloud.terminate(machine.provider_id) is Ended.GONE

    assert await cloud.list_machines() == ()
    assert await cloud.describe(machine.provider_id) is None
    assert ENDED_AT in server.nodes[node.metadata.name].metadata.annotations


async def test_a_machine_without_finalizers_goes_with_its_node():
    cloud, server = a_cloud()
    machine = (await cloud.launch(a_request())).machine

    assert await cloud.terminate(machine.provider_id) is Ended.GONE
    assert server.nodes == {}
    assert await again(server).terminate(machine.provider_id) is Ended.GONE


async def test_a_machine_that_the_mirror_does_not_show_yet_is_not_taken_for_gone():
    cloud, server = a_cloud()
    server.lags = True
    machine = (await cloud.launch(a_request())).machine

    assert await cloud.terminate(machine.provider_id) is Ended.TRY_AGAIN


async def test_nodes_of_karpenters_own_kwok_provider_are_machines_too():
    cloud, server = a_cloud()
    server.put(a_karpenter_node())

    (machine,) = await cloud.list_machines()

    assert (machine.provider_id, machine.state) == ("kwok://default-x2kq7", "running")
    assert machine.tags["karpenter.sh/nodeclaim"] == "default-x2kq7"


def a_karpenter_node():
    owner = {"kind": "NodeClaim", "name": "default-x2kq7", "uid": "u"}
    return msgspec.convert(
        {
            "metadata": {"name": "default-x2kq7", "ownerReferences": [owner]},
            "spec": {"providerID": "kwok://default-x2kq7"},
        },
        Node,
    )
