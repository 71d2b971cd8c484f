"""A load is what of a node would have to move, and is looked over again only when it has changed."""

from builders import a_pod
from builders.lives import with_conditions, with_status
from nodewright.core.disruption.cost import ONE, node_cost
from nodewright.core.disruption.loads import NO_LOAD, is_healthy, load_of, workload_of

WEB = [a_pod(f"web-{number}", node="n", owner=("ReplicaSet", "web")) for number in range(2)]
DAEMON = a_pod("agent", node="n", owner=("DaemonSet", "agent"))
ALONE = a_pod("alone", node="n")


def test_daemon_pods_do_not_move_and_cost_nothing():
    load = load_of([*WEB, DAEMON, ALONE])

    assert load.moving == (*WEB, ALONE)
    assert load.cost == node_cost(load.moving) == 4 * ONE


def test_healthy_pods_are_counted_by_what_made_them():
    sick = with_conditions(WEB[1], Ready="False")
    gone = with_status(WEB[1], phase="Succeeded")

    assert load_of([*WEB, ALONE]).healthy == {"default/ReplicaSet/web": 2}
    assert load_of([WEB[0], sick]).healthy == {"default/ReplicaSet/web": 1}
    assert load_of([WEB[0], gone]).moving == (WEB[0],)


def test_a_node_on_which_nothing_happened_has_the_same_load():
    assert load_of(WEB) is load_of(list(WEB))
    assert load_of(WEB) is not load_of(WEB[:1])


def test_no_pods_are_no_load():
    assert (NO_LOAD.moving, NO_LOAD.cost) == ((), node_cost(()))


def test_a_pod_that_nobody_makes_anew_has_no_workload():
    assert workload_of(ALONE) == ""
    assert is_healthy(with_status(ALONE, phase="Running"))
    assert not is_healthy(with_status(ALONE, phase="Pending", conditions=()))
