"""A problem is read once, and every board made from it starts clean."""

import msgspec

from builders import (
    a_daemon_set,
    a_managed_node,
    a_node,
    a_pod,
    a_pool,
    a_storage_class,
    a_taint,
    a_type,
    a_volume_claim,
    a_world,
    pods,
)
from nodewright.core.scheduling.problem import Problem
from nodewright.model.labels import ZONE

SOFT = a_taint("soft", effect="PreferNoSchedule")


def test_the_resources_of_a_problem_are_those_that_its_pods_ask_for():
    problem = Problem(a_world(a_pod("a", cpu=1), a_pod("b", requests={"gpu": 1}), a_type()))
    assert problem.resources == ("cpu", "gpu", "pods")


def test_two_boards_share_nothing_that_changes():
    problem = Problem(a_world(pods(2, cpu=1), a_node(), a_pool(limits={"cpu": 9}), a_type()))
    (one, shapes), (other, _) = problem.new_board(), problem.new_board()
    shape = shapes[0]
    one.put_on_host(shape, shape.ladder[0], one.hosts[0], shape.pods[0])
    draft = one.new_draft(one.supplies[0])
    one.put_on_draft(shape, 0, draft, one.on_draft(shape, shape.ladder[0], draft))
    assert other.hosts[0].placed == []
    assert other.hosts[0].available["cpu"] == 4000
    assert other.drafts == []
    assert [limits.room for limits in other.limits.values()] == [{"cpu": 9000}]


def test_pods_that_share_their_spec_as_an_object_are_one_shape():
    first = a_pod("first", cpu=1)
    twin = msgspec.structs.replace(
        first, metadata=msgspec.structs.replace(first.metadata, name="twin")
    )
    _, shapes = Problem(a_world(first, twin, a_type())).new_board()
    assert [len(shape.pods) for shape in shapes] == [2]


def test_pods_with_volumes_of_their_own_are_kept_apart():
    claims = [a_volume_claim(f"c{i}") for i in range(2)]
    waiting = [a_pod(f"p{i}", cpu=1, claims=[claims[i]]) for i in range(2)]
    _, shapes = Problem(a_world(waiting, claims, a_storage_class(), a_type())).new_board()
    assert len(shapes) == 2


def test_soft_taints_add_a_rung_only_where_there_are_some():
    def rungs(*things):
        _, (shape,) = Problem(a_world(a_pod(cpu=1), a_type(), *things)).new_board()
        return len(list(shape.ladder.rungs()))

    assert rungs() == 1
    assert rungs(a_pool(taints=[SOFT])) == 2
    assert rungs(a_managed_node(taints=[SOFT])) == 2


def test_claims_for_one_pod_that_are_in_use_are_known_from_the_start():
    node = a_node()
    claim = a_volume_claim(volume="v", modes=["ReadWriteOncePod"])
    board, _ = Problem(a_world(node, claim, a_pod(node=node, claims=[claim]), a_type())).new_board()
    assert board.exclusive == {"default/data"}


def test_daemons_and_pools_are_read_once():
    problem = Problem(
        a_world(a_pod(cpu=1, selector={ZONE: "zone-a"}), a_daemon_set(cpu=1), a_type())
    )
    assert [daemon.name for daemon in problem.daemons] == ["kube-system/agent"]
    assert problem.new_board()[0].supplies == problem.new_board()[0].supplies
