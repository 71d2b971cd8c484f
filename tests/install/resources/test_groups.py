import msgspec
import pytest

from builders.found import a_cluster, a_found, a_group
from nodewright.install.found import GroupNode, Kube, Scaler
from nodewright.install.plan import plan_hand_back, plan_install, plan_uninstall
from nodewright.install.resources.objects import DEPLOYMENT_PATH
from nodewright.install.steps import Ask, AwaitNodes, Drain, Merge, Remember
from nodewright.install.wish import Wish
from nodewright.model.errors import UserError

GROUPS = (a_group("large", smallest=1, largest=5), a_group("main"))
NODES = (GroupNode("n1", "large"), GroupNode("n2", "large", is_closed=True), GroupNode("m", "main"))
SCALER = Scaler("cluster-autoscaler", "kube-system", "cluster-autoscaler", 1)
INSTALLED = {DEPLOYMENT_PATH: {"metadata": {}, "spec": {"replicas": 2}}}
SIZES = {"minSize": 1, "maxSize": 5, "desiredSize": 2}
MOVE = Wish("shop", move_group="large")


def a_moving(groups=GROUPS, **more):
    kube = Kube(live=INSTALLED, pools=("default",), nodes=NODES, scalers=(SCALER,))
    return a_found(a_cluster(node_groups=groups), msgspec.structs.replace(kube, **more))


def last(plan, count):
    return plan.steps[-count:]


def test_the_other_autoscaler_stops_before_the_nodes_are_emptied_and_the_group_shrinks_last():
    scaler, nodes, group = last(plan_install(a_moving(), MOVE), 3)

    assert scaler.title == "deployment kube-system/cluster-autoscaler"
    assert nodes.deeds == (
        Remember("closed.large", ["n1"]),
        Merge("/api/v1/nodes/n1", {"spec": {"unschedulable": True}}),
        Drain("n1"),
        Drain("n2"),
    )
    assert group.deeds[0] == Remember("group.large", SIZES)
    sizes = group.deeds[1].params["scalingConfig"]
    assert sizes == {"minSize": 0, "maxSize": 5, "desiredSize": 0}


def test_a_group_that_was_moved_off_is_right_already():
    empty = (a_group("large", desired=0), a_group("main"))
    plan = plan_install(a_moving(empty, nodes=NODES[2:]), MOVE)

    assert [(step.sign, step.title) for step in last(plan, 1)] == [("=", "node group large")]


@pytest.mark.parametrize("make", [plan_hand_back, plan_uninstall])
def test_everything_is_put_back_before_our_nodes_go(make):
    record = {"closed.large": {"was": ["n1", "gone"]}, "group.large": {"was": SIZES}}
    steps = [
        step
        for step in make(a_moving(record=record), Wish("shop")).steps
        if step.kind in ("nodes", "node group", "nodepool")
    ]

    assert [step.title for step in steps] == ["nodes ×1", "node group large"]  # noqa: RUF001
    assert steps[0].deeds[0] == Merge("/api/v1/nodes/n1", {"spec": {"unschedulable": None}})
    resize, wait = steps[1].deeds[:2]
    assert isinstance(resize, Ask)
    assert resize.params["scalingConfig"] == SIZES
    assert wait == AwaitNodes("large", 2)


@pytest.mark.parametrize(
    ("found", "wish", "said"),
    [
        (a_moving(), Wish("shop", move_group="huge"), "no node group huge"),
        (a_moving(live={}), MOVE, "nobody would make nodes"),
        (a_moving(pools=()), MOVE, "nobody would make nodes"),
        (a_moving(GROUPS[:1]), MOVE, "the only node group with machines"),
        (a_moving(), msgspec.structs.replace(MOVE, takes_over=False), "grow again"),
    ],
)
def test_what_would_leave_pods_without_a_node_is_refused(found, wish, said):
    with pytest.raises(UserError, match=said):
        plan_install(found, wish)


def test_an_installation_says_how_to_go_on_with_the_groups():
    notes = plan_install(a_moving(), Wish("shop")).notes

    assert any("`--move-group large` later moves them" in one for one in notes)
