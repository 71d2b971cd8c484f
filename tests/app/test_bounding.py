"""The lower bound is found by a process of its own, and what is paid is never below it."""

import pytest

from builders import a_node, a_pod, a_pool, a_type, a_world, an_offering
from builders.lives import with_spec
from nodewright.app.bounding import Bound, BoundKeeper, find_bound, measure_bound
from nodewright.model.errors import UserError
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, NODEPOOL, ZONE
from nodewright.state.writing import SnapshotMetadata, write_snapshot

SMALL = a_type("small", cpu="2", memory="8Gi", offerings=[an_offering(price=0.1)])
LARGE = a_type("large", cpu="16", memory="64Gi", offerings=[an_offering(price=0.8)])


def a_snapshot():
    """One small pod on a large node."""
    labels = {
        INSTANCE_TYPE: "large",
        ZONE: "zone-a",
        CAPACITY_TYPE: "on-demand",
        NODEPOOL: "default",
    }
    node = a_node("n", labels=labels, cpu="16", memory="64Gi")
    pod = with_spec(a_pod("p", cpu="1", memory="1Gi"), node_name="n")
    world = a_world(pod, node, a_pool(), SMALL, LARGE)
    return write_snapshot(world, SnapshotMetadata())


def test_a_pod_on_a_node_that_is_too_large_leaves_a_gap():
    bound = measure_bound(a_snapshot())

    assert bound.paid == 0.8
    assert 0 < bound.at_least <= 0.1
    assert bound.gap >= 7


async def test_the_process_of_its_own_gives_the_same_answer():
    assert await find_bound(a_snapshot()) == measure_bound(a_snapshot())


async def test_a_process_that_fails_says_why():
    with pytest.raises(UserError, match="status 1"):
        await find_bound(b"nothing of the kind")


async def test_what_goes_wrong_once_is_tried_again():
    class EndOfTimeError(Exception):
        """Ends the test."""

    class Clock:
        turns = 0

        async def sleep_ms(self, _):
            self.turns += 1
            if self.turns > 2:
                raise EndOfTimeError

    async def fails():
        raise UserError("the cluster is not known yet")

    keeper, clock = BoundKeeper(), Clock()
    with pytest.raises(EndOfTimeError):
        await keeper.keep(fails, clock, 1)

    assert clock.turns == 3
    assert keeper.gap() is None
    assert Bound(0.0, 0.0).gap is None
