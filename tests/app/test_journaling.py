"""The journal of a running controller: written beside it, and answered for on loopback."""

import asyncio

import pytest

from builders import NOW_MS, a_pod, a_pool, a_type, a_world
from builders.lives import a_claim, with_meta
from journal.test_recorder import Clock, a_delete
from nodewright.app.journaling import Sight, keep_journal
from nodewright.app.journals import Api
from nodewright.controllers.ports import Memory
from nodewright.journal.reading import Filter, Journal
from nodewright.model.errors import UserError
from nodewright.model.resource import NODE_POOLS, PODS, WATCHED
from nodewright.model.world import Options
from nodewright.state.mirror import Mirror
from nodewright.state.snapshot import read_snapshot
from nodewright.state.writing import SnapshotMetadata


class Ports(Clock):
    """A cluster of one pod and one pool, and a cloud that sells one type."""

    def __init__(self):
        super().__init__()
        self.clock = self.cloud = self
        self.mirror = Mirror()
        for resource in WATCHED:
            self.mirror.replace(resource, [], "1")
        self.mirror.replace(PODS, [with_meta(a_pod("p"), uid="u")], "1")
        self.mirror.replace(NODE_POOLS, [a_pool()], "1")

    async def instance_types(self, node_class):
        del node_class
        return (a_type("t"),)


def a_sight():
    return Sight(SnapshotMetadata(name="test"), Options(pending_rule="live"))


def test_a_snapshot_of_now_has_what_is_expected(tmp_path):
    ports, memory, sight = Ports(), Memory(), a_sight()
    memory.expectations.create(a_claim("new"), ["u"], NOW_MS)
    sight.lead(ports, memory)
    world = read_snapshot(asyncio.run(sight.take()), "now").world

    assert [pod.spec.node_name for pod in world.pods] == ["new"]
    assert world.options.pending_rule == "live"


def test_before_the_cluster_is_known_there_is_none():
    with pytest.raises(UserError, match="not known yet"):
        asyncio.run(a_sight().take())


def test_what_is_told_can_be_asked_for(tmp_path):
    async def run():
        sight = a_sight()
        sight.lead(Ports())
        async with keep_journal(tmp_path, Clock(), sight, 0) as kept:
            kept.witness.decided("expiration", a_world(a_type()), [a_delete()], 1)
            api = Api(f"http://127.0.0.1:{kept.port}")
            listed = ()
            while not listed:
                try:
                    listed = (await asyncio.to_thread(api.entries, Filter())).entries
                except UserError:
                    await asyncio.sleep(0.01)
            now = await asyncio.to_thread(api.snapshot)
        return listed, now

    listed, now = asyncio.run(run())
    assert [one.decision.kind for one in listed] == ["Delete"]
    assert [pod.key for pod in read_snapshot(now, "now").world.pods] == ["default/p"]


def test_a_port_that_is_taken_does_not_stop_the_journal(tmp_path, caplog):
    async def run():
        sight = a_sight()
        async with (
            keep_journal(tmp_path, Clock(), sight, 0) as first,
            keep_journal(tmp_path, Clock(), sight, first.port) as second,
        ):
            second.witness.decided("expiration", a_world(a_type()), [a_delete()], 1)
            return second.port

    assert asyncio.run(run()) is None
    assert "does not answer on port" in caplog.text
    assert len(Journal(tmp_path).entries().entries) == 1
