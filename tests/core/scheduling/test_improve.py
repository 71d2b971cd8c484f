"""Improvement: cheaper, move by move, and never less right."""

import numpy as np
import pytest

from builders import ZONES, a_pod, a_pool, a_spread, a_term, a_type, an_offering, pods
from builders.solving import a_board
from nodewright.core.scheduling.firstfit import Filling, fill_first_fit, in_order
from nodewright.core.scheduling.improve import Improver
from nodewright.core.scheduling.ledger import Ledger
from nodewright.core.scheduling.pricefit import price_of
from nodewright.model.instance import NANO
from nodewright.model.labels import HOSTNAME, ZONE

WEB, DB = {"app": "web"}, {"app": "db"}


def first_fit(*things):
    board, shapes = a_board(*things)
    filling = Filling(board)
    fill_first_fit(board, in_order([(s, pod) for s in shapes for pod in s.pods]), filling)
    filling.shape_of = {id(pod): shape for shape in shapes for pod in shape.pods}
    return filling


def improve(filling, steps=1000):
    board = filling.board
    Improver(filling, Ledger(board, np.ones(len(board.resources))), steps).run()
    return filling


def price(filling):
    drafts = [draft for draft in filling.board.drafts if draft.pod_count]
    return sum(price_of(draft, draft.bits) for draft in drafts) / NANO


def placed(filling):
    return sorted(pod.metadata.name for many in filling.pods_of.values() for pod in many)


def split_in_two(*things):
    """Two half-empty drafts whose pods would fit on one, as a pod that came late leaves them."""
    board, shapes = a_board(
        pods(2, cpu=1), a_type("s", cpu=2, price=1), a_type("l", cpu=8, price=3), *things
    )
    filling = Filling(board)
    (shape,) = shapes
    for pod in shape.pods:
        draft = board.new_draft(board.supplies[0])
        board.put_on_draft(shape, 0, draft, board.on_draft(shape, shape.ladder[0], draft))
        filling.note(draft, [pod])
    filling.shape_of = {id(pod): shape for pod in shape.pods}
    return filling


def test_a_draft_is_dissolved_into_another_that_has_room():
    filling = split_in_two()
    assert price(filling) == 2
    improve(filling)
    assert price(filling) == 1
    assert placed(filling) == ["pod-0", "pod-1"]
    assert [draft.pod_count for draft in filling.board.drafts if draft.pod_count] == [2]


def test_without_steps_nothing_moves():
    filling = improve(split_in_two(), steps=0)
    assert price(filling) == 2


def test_pods_that_keep_apart_are_left_apart():
    filling = first_fit(
        pods(2, cpu=1, labels=WEB, apart=[a_term(HOSTNAME)]), a_type("s", cpu=2, price=1)
    )
    assert price(improve(filling)) == 2


def test_a_draft_commits_anew_to_the_zone_that_is_cheapest_for_the_whole():
    # Small machines are cheap in zone-a, large ones in zone-b. The first pod alone would choose a.
    small = a_type(
        "s", cpu=2, offerings=[an_offering("zone-a", price=1), an_offering("zone-b", price=1.1)]
    )
    large = a_type(
        "l", cpu=8, offerings=[an_offering("zone-a", price=9), an_offering("zone-b", price=3)]
    )
    near = pods(4, cpu=2, labels=WEB, near=[a_term(ZONE)])
    filling = first_fit(near, small, large)
    before = price(filling)
    assert price(improve(filling)) <= before
    assert len(placed(filling)) == 4


def test_company_is_not_deserted():
    friend = a_pod("friend", cpu=1, labels=WEB, selector={ZONE: "zone-a"})
    follower = a_pod("follower", cpu=3, labels=DB, near=[a_term(ZONE)])
    filling = improve(first_fit(friend, follower, a_type(cpu=3), a_type("l", cpu=9)))
    zones = {
        pod.metadata.name: filling.board.drafts[number].state.value(ZONE)
        for number, many in filling.pods_of.items()
        for pod in many
    }
    assert zones == {"friend": "zone-a", "follower": "zone-a"}


@pytest.mark.parametrize("count", [4, 7, 9])
def test_a_spread_is_no_more_uneven_afterwards(count):
    filling = first_fit(
        pods(count, cpu=1, labels=WEB, spread=[a_spread()]),
        pods(3, "rest", cpu=1),
        a_type("s", cpu=2, price=1),
        a_type("l", cpu=8, price=3),
    )
    before = price(filling)
    improve(filling)
    (group,) = {group for shape in filling.shape_of.values() for group in shape.ladder[0].owns}
    counts = [group.count(zone) for zone in ZONES]
    assert max(counts) - min(counts) <= 1
    assert price(filling) <= before
    assert len(placed(filling)) == count + 3


def test_what_a_dissolved_draft_was_charged_with_comes_back():
    filling = split_in_two(a_pool(limits={"nodes": 5}))
    (limits,) = filling.board.limits.values()
    assert limits.room["nodes"] == 3000
    improve(filling)
    assert limits.room["nodes"] == 4000
