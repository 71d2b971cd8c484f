"""The batch: pods by size, with counts and sums that follow every pod taken."""

import numpy as np

from builders import a_pod, a_term, a_type, pods
from builders.solving import a_board
from nodewright.core.scheduling.batch import Batch, Entry
from nodewright.model.labels import HOSTNAME, ZONE


def batch_of(*things):
    board, shapes = a_board(*things, a_type())
    entries = [Entry(shape, shape.ladder[0], list(shape.pods)) for shape in shapes]
    return Batch(entries, len(board.resources)), board


def test_shapes_of_one_size_are_one_row():
    batch, board = batch_of(pods(3, cpu=1), pods(2, "tied", cpu=1, selector={ZONE: "zone-a"}))
    assert board.resources == ("cpu", "pods")
    assert batch.amounts == [(1000, 1000)]
    assert batch.left.tolist() == [5]
    assert [len(many) for many in batch.members] == [2]


def test_what_is_taken_is_no_longer_asked_for():
    batch, _ = batch_of(pods(3, cpu=1), pods(2, "big", cpu=4))
    big = next(one for one in batch.entries if one.left == 2)
    assert batch.demand().tolist() == [11000, 5000]
    (taken,) = batch.take(big, 1)
    assert taken.metadata.name == "big-0"
    assert [pod.metadata.name for pod in big.rest()] == ["big-1"]
    assert big.left == 1
    assert batch.demand().tolist() == [7000, 4000]
    assert batch.left.sum() == 4


def test_demand_can_be_asked_by_wish():
    batch, _ = batch_of(pods(3, cpu=1), a_pod("tied", cpu=4, selector={ZONE: "zone-a"}))
    sums = sorted(batch.demand_of([row]).tolist() for row in range(len(batch.wishes)))
    assert sums == [[3000, 3000], [4000, 1000]]
    assert batch.demand_of([]).tolist() == [0, 0]


def test_sizes_are_ordered_by_what_they_are_worth():
    batch, _ = batch_of(a_pod("s", cpu=1), a_pod("l", cpu=4), a_pod("m", cpu=2))
    order = batch.by_value(np.array([1.0, 0.0]))
    assert [batch.amounts[size][0] for size in order] == [4000, 2000, 1000]


def test_pods_that_mind_their_neighbours_on_a_node_are_marked():
    web = {"app": "web"}
    batch, _ = batch_of(
        a_pod("plain", cpu=1),
        a_pod("apart", cpu=2, labels=web, apart=[a_term(HOSTNAME)]),
        a_pod("near", cpu=3, labels=web, near=[a_term(HOSTNAME)]),
        a_pod("zonal", cpu=4, labels={"app": "db"}, apart=[a_term(ZONE)]),
    )
    marks = {entry.pods[0].metadata.name: (entry.choosy, entry.apart) for entry in batch.entries}
    assert marks["apart"] == (True, True)
    assert marks["zonal"] == (False, False)
    assert marks["near"][0]
