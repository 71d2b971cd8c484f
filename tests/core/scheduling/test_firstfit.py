"""First fit: the largest pods first, what exists before what must be made."""

from builders import (
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_spread,
    a_term,
    a_type,
    an_offering,
    pods,
)
from builders.solving import a_board
from nodewright.core.scheduling.firstfit import (
    Filling,
    blocked_drafts,
    fill_first_fit,
    in_order,
)
from nodewright.model.labels import HOSTNAME, ZONE

WEB, DB = {"app": "web"}, {"app": "db"}


def filled(*things, **options):
    board, shapes = a_board(*things, **options)
    filling = Filling(board)
    fill_first_fit(board, in_order([(s, pod) for s in shapes for pod in s.pods]), filling)
    return filling


def loads(filling):
    return [
        [pod.metadata.name for pod in filling.pods_of[draft.number]]
        for draft in filling.board.drafts
    ]


def left(filling):
    return [pod.metadata.name for _, pod in filling.left]


def test_pods_come_by_cpu_then_memory_then_age():
    waiting = [
        a_pod("young", cpu=1, created="2026-11-02T00:00:00Z"),
        a_pod("old", cpu=1, created="2026-11-01T00:00:00Z"),
        a_pod("wide", cpu=1, memory="1Gi"),
        a_pod("big", cpu=2),
    ]
    _, shapes = a_board(waiting, a_type())
    ordered = in_order([(shape, pod) for shape in shapes for pod in shape.pods])
    assert [pod.metadata.name for _, pod in ordered] == ["big", "wide", "old", "young"]


def test_existing_nodes_are_filled_first():
    filling = filled(pods(3, cpu=2), a_node(cpu=4), a_type())
    assert [len(host.placed) for host in filling.board.hosts] == [2]
    assert loads(filling) == [["pod-2"]]


def test_initialized_nodes_come_before_younger_ones():
    young = a_managed_node("a", initialized=False, labels={"node.kubernetes.io/instance-type": "m"})
    filling = filled(a_pod(cpu=1), young, a_managed_node("b"), a_type())
    assert [(host.name, len(host.placed)) for host in filling.board.hosts] == [("b", 1), ("a", 0)]


def test_a_second_pod_joins_the_planned_node():
    assert loads(filled(pods(2, cpu=1), a_type())) == [["pod-0", "pod-1"]]


def test_the_emptiest_draft_is_asked_first():
    filling = filled(
        a_pod("a", cpu=3, ports=[80]), a_pod("b", cpu=2, ports=[80]), pods(3, "c", cpu=1), a_type()
    )
    assert sorted(len(names) for names in loads(filling)) == [2, 3]


def test_a_pod_that_waits_for_company_is_tried_again():
    friend = a_pod("friend", cpu=1, labels=WEB, selector={ZONE: "zone-b"})
    follower = a_pod("follower", cpu=2, labels=DB, near=[a_term(ZONE)])
    filling = filled(friend, follower, a_type())
    assert left(filling) == []


def test_a_round_without_progress_ends_the_search():
    filling = filled(pods(3, "no", cpu=99), a_pod("yes", cpu=1), a_type())
    assert left(filling) == ["no-0", "no-1", "no-2"]
    assert loads(filling) == [["yes"]]


def test_pods_that_wait_for_reserved_capacity_are_told_apart():
    kind = a_type(offerings=[an_offering(reservation="cr", left=1), an_offering(price=2)])
    filling = filled(pods(2, cpu=3), kind)
    assert filling.deferred == {"default/pod-1"}
    assert left(filling) == ["pod-1"]


def test_pools_are_asked_in_their_order():
    filling = filled(a_pod(cpu=1), a_pool("a"), a_pool("b", weight=2), a_type())
    assert [draft.supply.name for draft in filling.board.drafts] == ["b"]


def test_drafts_that_neighbours_rule_out_are_known_at_once():
    board, (shape,) = a_board(pods(3, cpu=1, labels=WEB, apart=[a_term(HOSTNAME)]), a_type())
    wish = shape.ladder[0]
    assert blocked_drafts(wish) == 0
    draft = board.new_draft(board.supplies[0])
    board.put_on_draft(shape, 0, draft, board.on_draft(shape, wish, draft))
    assert blocked_drafts(wish) == 1


def test_only_drafts_with_friends_are_open_to_a_pod_that_needs_them():
    lonely = a_pod(cpu=1, labels=DB, near=[a_term(HOSTNAME)])
    _, (shape,) = a_board(lonely, a_type())
    assert blocked_drafts(shape.ladder[0]) == -1


def test_a_spread_over_hosts_rules_out_full_ones():
    board, (shape,) = a_board(pods(3, cpu=1, labels=WEB, spread=[a_spread(HOSTNAME, 2)]), a_type())
    wish = shape.ladder[0]
    draft = board.new_draft(board.supplies[0])
    for blocked in (0, 1):
        board.put_on_draft(shape, 0, draft, board.on_draft(shape, wish, draft))
        assert blocked_drafts(wish) == blocked
