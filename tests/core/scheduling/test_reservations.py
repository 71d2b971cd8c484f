"""Reserved capacity: never promised twice, and waited for where the mode is strict."""

from builders import a_pod, a_pool, a_type, an_offering, pods, want
from builders.solving import a_board, codes_of, home_of, plan_of
from nodewright.core.scheduling.board import Fitting
from nodewright.model.labels import CAPACITY_TYPE, INSTANCE_TYPE, RESERVATION_ID, ZONE
from nodewright.model.reason import Reason


def reserved(name="r", left=1, reservation="cr-1", zone="zone-a", also=True):
    offerings = [an_offering(zone, price=5, reservation=reservation, left=left)]
    if also:
        offerings.append(an_offering(zone, price=1))
    return a_type(name, offerings=offerings)


def opened(board, shape):
    draft = board.new_draft(board.supplies[0])
    fitting = board.on_draft(shape, shape.ladder[0], draft)
    if isinstance(fitting, Fitting):
        board.put_on_draft(shape, 0, draft, fitting)
    return draft, fitting


def test_reserved_capacity_comes_before_anything_cheaper():
    pod = a_pod(cpu=1)
    home = home_of(plan_of(pod, reserved()), pod)
    assert home.offering.capacity_type == "reserved"
    assert home.requirements[CAPACITY_TYPE].values == {"reserved"}
    assert home.requirements[RESERVATION_ID].values == {"cr-1"}


def test_pods_beyond_the_reservation_wait_where_the_mode_is_strict():
    plan = plan_of(pods(2, cpu=3), reserved(left=1))
    assert len(plan.new_nodes) == 1
    (verdict,) = plan.unschedulable.values()
    assert verdict.deferred
    assert verdict.code == "NW-1401"


def test_pods_beyond_the_reservation_are_bought_for_where_the_mode_allows():
    plan = plan_of(pods(2, cpu=3), reserved(left=1), reserved_offering_mode="Fallback")
    bought = sorted(node.offering.capacity_type for node in plan.new_nodes)
    assert bought == ["on-demand", "reserved"]


def test_a_reservation_is_one_for_all_pools():
    types = {"a": [reserved("x", left=1)], "b": [reserved("y", left=2)]}
    plan = plan_of(pods(3, cpu=3), a_pool("a"), a_pool("b"), types=types)
    assert len([node for node in plan.new_nodes if node.offering.capacity_type == "reserved"]) == 1


def test_a_pod_that_waits_gives_up_no_preference():
    wishes = [(1, [want(CAPACITY_TYPE, "In", "reserved")])]
    plan = plan_of(pods(2, cpu=3, wishes=wishes), reserved(left=1))
    assert [one.deferred for one in plan.unschedulable.values()] == [True]


def test_a_pod_that_waits_is_not_sent_to_a_lighter_pool():
    types = {"heavy": [reserved(left=1)], "light": [a_type("m")]}
    plan = plan_of(pods(2, cpu=3), a_pool("heavy", weight=9), a_pool("light"), types=types)
    assert [node.node_pool for node in plan.new_nodes] == ["heavy"]
    assert len(plan.unschedulable) == 1


def test_a_pod_that_refuses_reserved_capacity_does_not_wait_for_it():
    plan = plan_of(pods(2, cpu=3, selector={CAPACITY_TYPE: "on-demand"}), reserved(left=1))
    assert codes_of(plan) == {}
    assert len(plan.new_nodes) == 2


def test_a_draft_holds_every_reservation_that_it_may_be_bought_from():
    board, (shape,) = a_board(
        pods(2, cpu=3), reserved("a", reservation="cr-a"), reserved("b", reservation="cr-b")
    )
    draft, _ = opened(board, shape)
    assert draft.held == {"cr-a", "cr-b"}
    assert board.reservations.left == {"cr-a": 0, "cr-b": 0}
    assert opened(board, shape)[1] is Reason.RESERVATION_TAKEN
    board.reservations.hold(draft, frozenset({"cr-a"}))
    assert board.reservations.left == {"cr-a": 0, "cr-b": 1}


def test_slots_come_back_when_a_later_pod_rules_a_reservation_out():
    near = reserved("a", reservation="cr-a", zone="zone-a")
    far = reserved("b", reservation="cr-b", zone="zone-b")
    board, shapes = a_board(
        a_pod("any", cpu=1), a_pod("tied", cpu=2, selector={ZONE: "zone-b"}), near, far
    )
    anywhere, tied = sorted(shapes, key=lambda shape: shape.requests["cpu"])
    draft, _ = opened(board, anywhere)
    fitting = board.on_draft(tied, tied.ladder[0], draft)
    board.put_on_draft(tied, 0, draft, fitting)
    assert draft.held == {"cr-b"}
    assert board.reservations.left == {"cr-a": 1, "cr-b": 0}


def test_a_pod_that_would_cost_a_draft_its_last_reservation_does_not_join_it():
    small = reserved("small")
    big = a_type("big", cpu=8, price=2)
    plan = plan_of(
        a_pod("a", cpu=3),
        a_pod("b", cpu=2, selector={"node.kubernetes.io/instance-type": "big"}),
        small,
        big,
    )
    assert len(plan.new_nodes) == 2


def test_an_offering_that_does_not_say_how_many_are_left_has_none():
    plan = plan_of(pods(2, cpu=3), reserved(left=None), reserved_offering_mode="Fallback")
    assert {node.offering.capacity_type for node in plan.new_nodes} == {"on-demand"}


def test_slots_that_are_paid_for_are_used_even_if_few_types_have_any_left():
    types = [reserved("x"), reserved("y", left=2, reservation="cr-2")]
    choice = a_pool(requirements=[want(INSTANCE_TYPE, at_least=2)])
    plan = plan_of(pods(2, cpu=3, selector={CAPACITY_TYPE: "reserved"}), choice, *types)
    assert sorted(len(node.instance_types) for node in plan.new_nodes) == [1, 2]
