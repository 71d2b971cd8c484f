"""Price in charge: slack that is paid for is used, and machines are bought by worth."""

from builders import (
    a_node,
    a_pod,
    a_pool,
    a_term,
    a_type,
    an_offering,
    pods,
    want,
)
from builders.solving import a_board, plan_of, sizes_of
from nodewright.core.scheduling.firstfit import Filling
from nodewright.core.scheduling.pricefit import PriceFit, price_of
from nodewright.model.instance import NANO
from nodewright.model.labels import HOSTNAME, ZONE

WEB = {"app": "web"}


def filled(*things, first=frozenset(), **options):
    board, shapes = a_board(*things, **options)
    filling = Filling(board)
    behind = PriceFit(board, shapes, filling).run(first)
    return filling, [pod.metadata.name for _, pod in behind]


def types_of(filling):
    return sorted(
        draft.supply.types[
            draft.supply.ways[(draft.bits & -draft.bits).bit_length() - 1].type_index
        ].name
        for draft in filling.board.drafts
        if draft.pod_count
    )


def test_every_pod_is_on_a_node_or_told_to_have_no_place():
    filling, behind = filled(pods(5, cpu=1), a_pod("huge", cpu=99), a_type(cpu=4))
    placed = [pod.metadata.name for many in filling.pods_of.values() for pod in many]
    assert sorted([*placed, *behind]) == ["huge", *(f"pod-{i}" for i in range(5))]
    assert behind == ["huge"]


def test_the_machine_that_gives_most_for_its_price_is_bought():
    cheap, dear = a_type("cheap", cpu=8, price=1), a_type("dear", cpu=4, price=0.9)
    assert types_of(filled(pods(8, cpu=1), cheap, dear)[0]) == ["cheap"]


def test_the_last_machine_is_no_larger_than_what_is_left():
    small, large = a_type("s", cpu=2, price=0.3), a_type("l", cpu=8, price=1)
    assert types_of(filled(pods(9, cpu=1), small, large)[0]) == ["l", "s"]


def test_a_filling_is_repeated_while_enough_pods_are_left_and_each_pod_goes_once():
    large, small = pods(40, "large", cpu=3), pods(50, "small", cpu=1)
    filling, behind = filled(large, small, a_type(cpu=4))

    assert behind == []
    placed = [pod.metadata.name for many in filling.pods_of.values() for pod in many]
    assert len(placed) == len(set(placed)) == 90
    loads = [
        sorted(p.metadata.name.split("-")[0] for p in many) for many in filling.pods_of.values()
    ]
    assert loads.count(["large", "small"]) == 40


def test_a_filling_is_repeated_within_the_limits_of_its_pool_only():
    pool = a_pool(limits={"cpu": "20"})
    filling, behind = filled(pods(40, cpu=2), a_type(cpu=4), pool)
    assert len(filling.pods_of) == 5
    assert len(behind) == 30


def test_slack_of_nodes_that_must_be_there_anyway_is_used_first():
    apart = pods(3, "apart", cpu=1, labels=WEB, apart=[a_term(HOSTNAME)])
    filling, behind = filled(apart, pods(3, "rest", cpu=1), a_type(cpu=2))
    assert behind == []
    assert len([draft for draft in filling.board.drafts if draft.pod_count]) == 3


def test_nodes_that_exist_are_filled_before_anything_is_bought():
    filling, _ = filled(pods(3, cpu=1), a_node(cpu=2), a_type(cpu=4))
    assert [len(host.placed) for host in filling.board.hosts] == [2]


def test_weights_of_pools_are_never_traded_for_price():
    filling, _ = filled(
        a_pod(cpu=1),
        a_pool("heavy", weight=1),
        a_pool("light"),
        types={"heavy": [a_type("dear", price=9)], "light": [a_type("cheap", price=1)]},
    )
    assert types_of(filling) == ["dear"]


def test_of_pools_of_one_weight_the_cheaper_one_is_taken():
    filling, _ = filled(
        a_pod(cpu=1),
        a_pool("a"),
        a_pool("z"),
        types={"z": [a_type("dear", price=9)], "a": [a_type("cheap", price=1)]},
    )
    assert types_of(filling) == ["cheap"]


def test_pods_named_first_are_served_first():
    pool = a_pool(limits={"nodes": 1})
    both = a_pod("small", cpu=1), a_pod("big", cpu=4)
    _, behind = filled(both, pool, a_type(cpu=4))
    assert behind == ["small"]
    _, behind = filled(both, pool, a_type(cpu=4), first=frozenset({"default/small"}))
    assert behind == ["big"]


def test_pods_that_wait_for_reserved_capacity_are_noted():
    kind = a_type(offerings=[an_offering(reservation="cr", left=1), an_offering(price=2)])
    filling, behind = filled(pods(2, cpu=3), kind)
    assert behind == []
    assert len(filling.deferred) == 1


def test_the_price_of_a_draft_is_its_cheapest_way():
    filling, _ = filled(a_pod(cpu=1), a_type("m", price=2), a_type("l", cpu=8, price=5))
    (draft,) = filling.board.drafts
    assert price_of(draft, draft.bits) == 2 * NANO


def test_a_preference_is_not_given_up_to_save_money():
    wishes = [(1, [want(ZONE, "In", "zone-b")])]
    kind = a_type(offerings=[an_offering("zone-a", price=1), an_offering("zone-b", price=9)])
    plan = plan_of(a_pod(cpu=1, wishes=wishes), kind)
    assert plan.price == 9 * NANO


def test_few_large_machines_are_preferred_at_the_same_price_per_core():
    plan = plan_of(pods(16, cpu=1), a_type("s", cpu=2), a_type("l", cpu=16))
    assert sizes_of(plan) == [16]
