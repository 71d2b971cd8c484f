"""Parts: nodes hang together by the new nodes that their pods share, and by nothing else."""

from builders import a_pod
from nodewright.core.disruption.components import Part, components

A, B, C = (a_pod(name) for name in "abc")
ORIGIN = {id(A): "one", id(B): "two", id(C): "three"}


def test_nodes_without_new_nodes_stand_alone():
    assert components(["one", "two"], ORIGIN, {}) == [Part(("one",), ()), Part(("two",), ())]


def test_nodes_that_share_a_new_node_go_together():
    found = components(["one", "two", "three"], ORIGIN, {0: [A, B], 1: [C]})

    assert sorted(found, key=str) == sorted(
        [Part(("one", "two"), (0,)), Part(("three",), (1,))], key=str
    )


def test_a_chain_of_shares_is_one_part():
    more = a_pod("more")
    found = components(
        ["one", "two", "three"], {**ORIGIN, id(more): "two"}, {0: [A, B], 1: [more, C]}
    )

    assert found == [Part(("one", "two", "three"), (0, 1))]
