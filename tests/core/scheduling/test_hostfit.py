"""Existing nodes first: in their order, as long as they take pods."""

from builders import a_node, a_pod, a_spread, a_term, a_type, pods
from builders.solving import a_board
from nodewright.core.scheduling.batch import Batch, Entry
from nodewright.core.scheduling.hostfit import HostFit
from nodewright.model.labels import HOSTNAME

WEB = {"app": "web"}


def filled(*things):
    board, shapes = a_board(*things, a_type())
    entries = [Entry(shape, shape.ladder[0], list(shape.pods)) for shape in shapes]
    batch = Batch(entries, len(board.resources))
    hosts = HostFit(board)
    for entry in entries:
        hosts.fill(batch, entry)
    return {host.name: len(host.placed) for host in board.hosts}, sum(one.left for one in entries)


def test_one_node_is_filled_before_the_next():
    assert filled(pods(5, cpu=1), a_node("a", cpu=3), a_node("b", cpu=4)) == ({"a": 3, "b": 2}, 0)


def test_what_does_not_fit_is_left():
    assert filled(pods(5, cpu=1), a_node("a", cpu=3)) == ({"a": 3}, 2)
    assert filled(a_pod(requests={"gpu": 1}), a_node("a")) == ({"a": 0}, 1)


def test_neighbours_on_existing_nodes_are_minded():
    apart = pods(3, cpu=1, labels=WEB, apart=[a_term(HOSTNAME)])
    assert filled(apart, a_node("a"), a_node("b")) == ({"a": 1, "b": 1}, 1)


def test_a_node_is_asked_again_when_its_neighbours_made_room():
    # By zone, each node takes one pod in turn until both are even.
    nodes = a_node("a", zone="zone-a", cpu=2), a_node("b", zone="zone-b", cpu=2)
    even = pods(4, cpu=1, labels=WEB, spread=[a_spread()])
    placed, left = filled(even, nodes)
    assert set(placed.values()) <= {1, 2}
    assert sum(placed.values()) + left == 4


def test_a_node_with_less_than_nothing_left_takes_nobody():
    node = a_node("a", cpu=1)
    assert filled(a_pod("new"), a_pod("old", cpu=2, node=node), node) == ({"a": 0}, 1)
