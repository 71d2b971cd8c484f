"""The filler: a machine is filled with what matches its free amounts, up to its size."""

import numpy as np

from builders import a_pod, a_spread, a_term, a_type, pods
from builders.solving import a_board
from nodewright.core.scheduling.batch import Batch, Entry
from nodewright.core.scheduling.filler import Filler
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.joining import Joining
from nodewright.core.scheduling.ledger import Ledger
from nodewright.model.labels import HOSTNAME, ZONE


def filled(*things, first="first", target=0):
    """Put the pod named `first` on a draft, fill the draft, and give the names on it."""
    board, shapes = a_board(*things)
    entries = [Entry(shape, shape.ladder[0], list(shape.pods)) for shape in shapes]
    batch = Batch(entries, len(board.resources))
    filling = Filling(board)
    ledger = Ledger(board, np.ones(len(board.resources)))
    filler = Filler(board, batch, Joining(board), ledger, filling)
    entry = next(one for one in entries if one.pods[0].metadata.name.startswith(first))
    draft = board.new_draft(board.supplies[0])
    board.put_on_draft(entry.shape, 0, draft, board.on_draft(entry.shape, entry.wish, draft))
    filling.note(draft, batch.take(entry, 1))
    filler.fill(draft, target)
    names = [pod.metadata.name for pod in filling.pods_of[draft.number]]
    return sorted(names), filler, board


def test_a_machine_is_filled_to_the_brim():
    names, _, _ = filled(pods(9, "first", cpu=1), a_type(cpu=4))
    assert len(names) == 4


def test_nobody_joins_who_would_need_a_larger_machine():
    names, _, _ = filled(
        a_pod("first", cpu=3), a_pod("big", cpu=4), a_type("s", cpu=4), a_type("l", cpu=9)
    )
    assert names == ["first"]


def test_pods_that_match_what_is_free_come_first():
    # Half of the cpu is gone and all of the memory is free: the wide pod uses both up.
    names, _, _ = filled(
        a_pod("first", cpu=2, memory="1Gi"),
        a_pod("narrow", cpu=2, memory="1Gi"),
        a_pod("wide", cpu=2, memory="15Gi"),
        a_type(cpu=4, memory="16Gi"),
    )
    assert names == ["first", "wide"]


def test_neighbours_are_respected_while_filling():
    web = {"app": "web"}
    apart = pods(3, "first", cpu=1, labels=web, apart=[a_term(HOSTNAME)])
    assert len(filled(apart, a_type(cpu=8))[0]) == 1
    spread = pods(6, "first", cpu=1, labels=web, spread=[a_spread(skew=2)])
    assert len(filled(spread, a_type(cpu=8))[0]) == 2


def test_a_pod_that_narrows_the_machine_joins_if_its_size_stays_possible():
    names, _, _ = filled(
        a_pod("first", cpu=1), a_pod("tied", cpu=1, selector={ZONE: "zone-b"}), a_type(cpu=4)
    )
    assert names == ["first", "tied"]


def test_the_demand_of_a_state_counts_who_could_join_it():
    _, filler, board = filled(
        a_pod("first", cpu=1),
        a_pod("b", cpu=2, selector={ZONE: "zone-b"}),
        pods(2, "hermit", cpu=4, labels={"app": "web"}, apart=[a_term(HOSTNAME)]),
        a_type(cpu=1),
    )
    start = board.tables[board.supplies[0]].start
    cpu = board.resources.index("cpu")
    assert filler.demand(start)[cpu] == 2000
    assert filler.demand(start.pin(ZONE, "zone-a"))[cpu] == 0
